import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { packageRoot } from '../lib/package.js';
import { camelKeys } from './camel-keys.js';
import type { Config, GitHubConfig, GitLabConfig, LlmConfig, McpServerConfig } from './config.js';
import type { RawConfig, RawMcpServer, Renamed } from './raw-config.js';
import { forgesInUse, SHORTEST_SECRET } from './raw-config.js';
import { looksSecret } from './variables.js';

export interface Checked {
  raw: RawConfig;
  /** What the file itself said, before the defaults. */
  given: Record<string, unknown>;
  file: string;
  dataDir: string | undefined;
  secrets: string[];
}

/** Makes the code's configuration of a checked one: camelCase, absolute paths, only the sections in use. */
export function toConfig(checked: Checked): Config {
  const { task_source: _, github, gitlab, llm, mcp_servers, ...rest } = checked.raw;
  const taskSources = forgesInUse(checked.raw);
  const config: Config = {
    ...camelKeys<Omit<Config, Renamed>>(rest),
    file: checked.file,
    taskSources,
    llm: chosenModel(llm),
    mcpServers: mcp_servers.map(mcpServer),
    secrets: [],
  };
  if (taskSources.includes('github')) config.github = camelKeys<GitHubConfig>(github);
  if (taskSources.includes('gitlab')) {
    config.gitlab = camelKeys<GitLabConfig>({ ...gitlab, projects: gitlab.projects.map(String) });
  }
  config.secrets = collectSecrets(config, checked.secrets);
  return withAbsolutePaths(config, checked);
}

function chosenModel(llm: RawConfig['llm']): LlmConfig {
  const chosen = llm[llm.provider];
  return {
    provider: llm.provider,
    functionCalling: llm.function_calling,
    timeoutSeconds: llm.timeout_seconds,
    model: chosen.model ?? '',
    url: chosen.base_url ?? chosen.endpoint ?? '',
    apiKey: chosen.api_key ?? null,
    maxToken: chosen.max_token,
    contextLength: chosen.context_length,
    price: chosen.price ?? null,
  };
}

function mcpServer({ mcp_server_name, env, ...rest }: RawMcpServer): McpServerConfig {
  return { ...camelKeys<Omit<McpServerConfig, 'name' | 'env'>>(rest), name: mcp_server_name, env };
}

function collectSecrets({ github, gitlab, llm, mcpServers }: Config, fromVariables: string[]): string[] {
  const inEnv = mcpServers.flatMap(({ env }) =>
    Object.keys(env)
      .filter(looksSecret)
      .map((name) => env[name] ?? ''),
  );
  const all = [github?.token ?? '', gitlab?.token ?? '', llm.apiKey ?? '', ...inEnv, ...fromVariables];
  return [...new Set(all)].filter((secret) => secret.length >= SHORTEST_SECRET);
}

function withAbsolutePaths(config: Config, { file, dataDir, given }: Checked): Config {
  const beside = dirname(file);
  const data = dataDir ?? beside;
  const baseDir = resolve(data, config.contextStorage.baseDir);
  const { signal_file } = (given['pause_resume'] ?? {}) as { signal_file?: string };
  return {
    ...config,
    systemPrompt: systemPromptFile(resolve(beside, config.systemPrompt), config.systemPrompt),
    contextStorage: { ...config.contextStorage, baseDir },
    pauseResume: {
      ...config.pauseResume,
      signalFile:
        signal_file === undefined ? join(baseDir, 'pause_signal') : resolve(data, config.pauseResume.signalFile),
    },
    logging: { ...config.logging, dir: resolve(data, config.logging.dir) },
  };
}

/** The template's own name falls back to the one shipped with the package. */
export function systemPromptFile(path: string, name: string): string {
  return name === 'system_prompt.txt' && !existsSync(path) ? join(packageRoot(), 'system_prompt.txt') : path;
}
