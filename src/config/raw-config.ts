import type { Source } from '../task/key.js';
import type { SnakeKeys } from './camel-keys.js';
import type { Config, GitHubConfig, GitLabConfig, LlmConfig, McpServerConfig } from './config.js';

interface RawProvider {
  base_url?: string;
  endpoint?: string;
  api_key?: string;
  model: string | null;
  max_token: number | null;
  context_length: number;
  price?: { input: number; output: number } | null;
}

export type RawMcpServer = SnakeKeys<Omit<McpServerConfig, 'name' | 'env'>> & {
  mcp_server_name: string;
  env: Record<string, string>;
};

/** The parts of the configuration that are not merely renamed to camelCase. */
export type Renamed = 'file' | 'taskSources' | 'github' | 'gitlab' | 'llm' | 'mcpServers' | 'secrets';

/** The configuration as it stands in the YAML, defaults filled. */
export type RawConfig = SnakeKeys<Omit<Config, Renamed>> & {
  task_source: Source | Source[];
  github: SnakeKeys<GitHubConfig>;
  gitlab: SnakeKeys<Omit<GitLabConfig, 'projects'>> & { projects: (string | number)[] };
  llm: SnakeKeys<Pick<LlmConfig, 'provider' | 'functionCalling' | 'timeoutSeconds'>> &
    Record<LlmConfig['provider'], RawProvider>;
  mcp_servers: RawMcpServer[];
};

/** The forges that `task_source` names. */
export function forgesInUse(raw: { task_source: Source | Source[] }): Source[] {
  return [raw.task_source].flat();
}

/** Masking anything shorter would tear up ordinary text. */
export const SHORTEST_SECRET = 8;
export const TOO_SHORT = `is shorter than ${SHORTEST_SECRET} characters; so short a secret cannot be masked reliably`;
