import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { RawConfig } from './raw-config.js';
import { forgesInUse, SHORTEST_SECRET, TOO_SHORT } from './raw-config.js';
import { systemPromptFile } from './translate.js';
import { looksSecret } from './variables.js';

const UNSENDABLE = 'holds a space, a line break or another character that no token has; look at its end';

/** The paths that a rule reads, and the rule. */
type Rule = [reads: string[], check: () => string[]];

/** The rules that concern more than one key, one line per mistake; none is asked about a value that cannot be used. */
export function crossCheck(raw: RawConfig, file: string, unusable: string[]): string[] {
  const sources = isTouched('/task_source', unusable) ? [] : forgesInUse(raw);
  const rules: Rule[] = [
    ...(sources.includes('github') ? githubRules(raw.github) : []),
    ...(sources.includes('gitlab') ? gitlabRules(raw.gitlab) : []),
    ...modelRules(raw.llm),
    [['/mcp_servers'], () => checkServers(raw.mcp_servers)],
    [['/security/secret_patterns'], () => checkPatterns(raw.security.secret_patterns)],
    [['/system_prompt'], () => checkSystemPrompt(raw.system_prompt, file)],
  ];
  return rules.flatMap(([reads, check]) => (reads.some((path) => isTouched(path, unusable)) ? [] : check()));
}

/** Whether the value there, one that holds it or one within it cannot be used. */
function isTouched(path: string, unusable: string[]): boolean {
  return unusable.some((bad) => `${path}/`.startsWith(`${bad}/`) || bad.startsWith(`${path}/`));
}

function githubRules(github: RawConfig['github']): Rule[] {
  return [
    [
      ['/github/repositories', '/github/owner'],
      () => oneOfBoth('github', ['repositories', github.repositories], ['owner', github.owner]),
    ],
    [
      ['/github/query', '/github/owner'],
      () => (github.query && !github.owner ? ['github.query: is for a search and needs github.owner'] : []),
    ],
    [['/github/token'], () => usableToken('github.token', github.token)],
    [[], () => distinctLabels('github', github)],
  ];
}

function gitlabRules(gitlab: RawConfig['gitlab']): Rule[] {
  return [
    [
      ['/gitlab/projects', '/gitlab/group'],
      () => oneOfBoth('gitlab', ['projects', gitlab.projects], ['group', gitlab.group]),
    ],
    [['/gitlab/token'], () => usableToken('gitlab.token', gitlab.token)],
    [[], () => distinctLabels('gitlab', gitlab)],
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

function modelRules(llm: RawConfig['llm']): Rule[] {
  const { provider } = llm;
  const key = `llm.${provider}`;
  const at = (name: string): string[] => ['/llm/provider', `/llm/${provider}/${name}`];
  return [
    [
      at('model'),
      () => (llm[provider].model === null ? [`${key}.model: must be set, since llm.provider is ${provider}`] : []),
    ],
    [at('api_key'), () => usableToken(`${key}.api_key`, llm[provider].api_key)],
    [[...at('max_token'), ...at('context_length')], () => roomForPrompt(key, llm[provider])],
  ];
}

function roomForPrompt(key: string, { max_token, context_length }: RawConfig['llm']['openai']): string[] {
  if (max_token === null || max_token < context_length) return [];
  return [`${key}.max_token: must be below context_length, or no room is left for the prompt`];
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

/** What goes into a header of a request. */
function usableToken(key: string, token: string | undefined): string[] {
  const short = longEnough(key, token);
  return short.length > 0 || token === undefined || /^[\x21-\x7e]+$/.test(token) ? short : [`${key}: ${UNSENDABLE}`];
}

function longEnough(key: string, secret: string | undefined): string[] {
  return secret === undefined || secret.length >= SHORTEST_SECRET ? [] : [`${key}: ${TOO_SHORT}`];
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
