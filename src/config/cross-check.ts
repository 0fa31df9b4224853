import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { RawConfig } from './raw-config.js';
import { forgesInUse, SHORTEST_SECRET } from './raw-config.js';
import { systemPromptFile } from './translate.js';
import { looksSecret } from './variables.js';

/** The rules that concern more than one key, for sections that have the right shape; one line per mistake. */
export function crossCheck(raw: RawConfig, file: string, misshapen: ReadonlySet<string>): string[] {
  const sources = misshapen.has('task_source') ? [] : forgesInUse(raw);
  const checks: [section: string, check: () => string[]][] = [
    ['github', () => (sources.includes('github') ? checkGitHub(raw.github) : [])],
    ['gitlab', () => (sources.includes('gitlab') ? checkGitLab(raw.gitlab) : [])],
    ['llm', () => checkModel(raw.llm)],
    ['mcp_servers', () => checkServers(raw.mcp_servers)],
    ['security', () => checkPatterns(raw.security.secret_patterns)],
    ['system_prompt', () => checkSystemPrompt(raw.system_prompt, file)],
  ];
  return checks.flatMap(([section, check]) => (misshapen.has(section) ? [] : check()));
}

function checkGitHub(github: RawConfig['github']): string[] {
  return [
    ...oneOfBoth('github', ['repositories', github.repositories], ['owner', github.owner]),
    ...(github.query && !github.owner ? ['github.query: is for a search and needs github.owner'] : []),
    ...longEnough('github.token', github.token),
    ...distinctLabels('github', github),
  ];
}

function checkGitLab(gitlab: RawConfig['gitlab']): string[] {
  return [
    ...oneOfBoth('gitlab', ['projects', gitlab.projects], ['group', gitlab.group]),
    ...longEnough('gitlab.token', gitlab.token),
    ...distinctLabels('gitlab', gitlab),
  ];
}

function oneOfBoth(
  forge: string,
  [list, places]: [string, unknown[]],
  [single, name]: [string, string | null],
): string[] {
  if (places.length > 0 && name !== null) {
    return [`${forge}: set either ${forge}.${list} or ${forge}.${single}, not both`];
  }
  if (places.length > 0 || name !== null) return [];
  return [`${forge}: says nowhere to look for work; set ${forge}.${list} or ${forge}.${single}`];
}

function distinctLabels(forge: string, labels: RawConfig['github'] | RawConfig['gitlab']): string[] {
  const seen = new Map<string, string>();
  return Object.entries(labels).flatMap(([key, value]) => {
    if (!key.endsWith('_label') || typeof value !== 'string') return [];
    const name = value.trim().toLowerCase();
    const other = seen.get(name);
    seen.set(name, key);
    return other ? [`${forge}.${key}: is the same label as ${forge}.${other} (case does not count)`] : [];
  });
}

function checkModel(llm: RawConfig['llm']): string[] {
  const chosen = llm[llm.provider];
  return [
    ...(chosen.model === null ? [`llm.${llm.provider}.model: must be set, since llm.provider is ${llm.provider}`] : []),
    ...(chosen.api_key === undefined ? [] : longEnough(`llm.${llm.provider}.api_key`, chosen.api_key)),
    ...(chosen.max_token !== null && chosen.max_token >= chosen.context_length
      ? [`llm.${llm.provider}.max_token: must be below context_length, or no room is left for the prompt`]
      : []),
  ];
}

function checkServers(servers: RawConfig['mcp_servers']): string[] {
  const names = servers.map((server) => server.mcp_server_name.toLowerCase());
  return servers.flatMap((server, index) => [
    ...(names.indexOf(names[index] ?? '') < index
      ? [`mcp_servers[${index}].mcp_server_name: "${server.mcp_server_name}" is taken by another server`]
      : []),
    ...Object.entries(server.env)
      .filter(([name]) => looksSecret(name))
      .flatMap(([name, value]) => longEnough(`mcp_servers[${index}].env.${name}`, value)),
  ]);
}

function longEnough(key: string, secret: string): string[] {
  if (secret.length >= SHORTEST_SECRET) return [];
  return [`${key}: is shorter than ${SHORTEST_SECRET} characters; so short a secret cannot be masked reliably`];
}

function checkPatterns(patterns: string[]): string[] {
  return patterns.flatMap((pattern, index) => {
    try {
      return new RegExp(pattern).test('') ? [`security.secret_patterns[${index}]: matches the empty text`] : [];
    } catch (error) {
      return [`security.secret_patterns[${index}]: ${(error as Error).message}`];
    }
  });
}

function checkSystemPrompt(name: string, file: string): string[] {
  const path = systemPromptFile(resolve(dirname(file), name), name);
  return existsSync(path) ? [] : [`system_prompt: the file ${path} does not exist`];
}
