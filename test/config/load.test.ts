import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/load.js';
import type { LoadOptions } from '../../src/config/load.js';
import { OperatorError } from '../../src/lib/exit.js';
import { packageRoot } from '../../src/lib/package.js';

const ENV = { GITHUB_TOKEN: 'github-token-1', OPENAI_API_KEY: 'openai-key-1', A_PASSWORD: 'abc' };
const MINIMAL = `
github: { repositories: [owner/repo] }
llm: { openai: { model: some-model } }
`;

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'config-'))));
afterEach(() => rmSync(dir, { recursive: true }));

function load(yaml: string, options: Partial<LoadOptions> = {}): Promise<Config> {
  writeFileSync(join(dir, 'config.yaml'), yaml);
  return loadConfig({ env: ENV, cwd: dir, ...options });
}

async function complaintsOf(yaml: string, env: Record<string, string> = ENV): Promise<string[]> {
  const error: unknown = await load(yaml, { env }).catch((thrown: unknown) => thrown);
  if (!(error instanceof OperatorError)) throw error;
  expect(error.exitCode).toBe(2);
  return error.details;
}

describe('a minimal configuration', () => {
  it('is filled with the defaults', async () => {
    const config = await load(MINIMAL);
    expect(config.taskSources).toEqual(['github']);
    expect(config.github).toMatchObject({
      apiUrl: 'https://api.github.com',
      token: 'github-token-1',
      repositories: ['owner/repo'],
      botLabel: 'coding agent',
      awaitingLabel: 'awaiting-response',
    });
    expect(config.gitlab).toBeUndefined();
    expect(config.llm).toEqual({
      provider: 'openai',
      functionCalling: 'auto',
      timeoutSeconds: 600,
      model: 'some-model',
      url: 'https://api.openai.com/v1',
      apiKey: 'openai-key-1',
      maxToken: null,
      contextLength: 128_000,
      price: null,
    });
    expect(config.contextInheritance.planning.reuseSuccessfulPatterns).toBe(true);
    expect(config.planning.replanning.maxTotalReplans).toBe(10);
    expect(config.mcpServers).toEqual([]);
  });

  it('has absolute paths, beside its file', async () => {
    const config = await load(MINIMAL);
    expect(config.file).toBe(join(dir, 'config.yaml'));
    expect(config.contextStorage.baseDir).toBe(join(dir, 'contexts'));
    expect(config.pauseResume.signalFile).toBe(join(dir, 'contexts', 'pause_signal'));
    expect(config.logging.dir).toBe(join(dir, 'logs'));
  });

  it('uses the system prompt shipped with the package until there is one beside it', async () => {
    expect((await load(MINIMAL)).systemPrompt).toBe(join(packageRoot(), 'system_prompt.txt'));
    writeFileSync(join(dir, 'system_prompt.txt'), 'mine');
    expect((await load(MINIMAL)).systemPrompt).toBe(join(dir, 'system_prompt.txt'));
  });

  it('may end a conversation after seconds', async () => {
    const config = await load(`${MINIMAL}comment_handling: { timeout_hours: 0.001 }\n`);
    expect(config.commentHandling.timeoutHours).toBe(0.001);
  });

  it('takes a section whose keys are all commented out as absent', async () => {
    expect((await load(`${MINIMAL}\nlimits:\n  # same_error: 5\n`)).limits.sameError).toBe(3);
  });
});

describe('paths', () => {
  it('start from --data-dir where it is given, but for the system prompt', async () => {
    writeFileSync(join(dir, 'p.txt'), '');
    const yaml = `${MINIMAL}\nsystem_prompt: p.txt\npause_resume: { signal_file: stop }`;
    const config = await load(yaml, { dataDir: 'data' });
    expect(config.contextStorage.baseDir).toBe(join(dir, 'data', 'contexts'));
    expect(config.logging.dir).toBe(join(dir, 'data', 'logs'));
    expect(config.pauseResume.signalFile).toBe(join(dir, 'data', 'stop'));
    expect(config.systemPrompt).toBe(join(dir, 'p.txt'));
  });

  it('of the signal file follow the base folder', async () => {
    const config = await load(`${MINIMAL}\ncontext_storage: { base_dir: /elsewhere }`);
    expect(config.pauseResume.signalFile).toBe('/elsewhere/pause_signal');
  });
});

describe('the file', () => {
  it('is looked for at --config, $AGENT_CONFIG, the current and the user folder, in this order', async () => {
    mkdirSync(join(dir, 'here'));
    mkdirSync(join(dir, 'xdg', 'agent'), { recursive: true });
    const places = ['named.yaml', 'env.yaml', 'here/config.yaml', 'xdg/agent/config.yaml'].map((p) => join(dir, p));
    for (const place of places) writeFileSync(place, MINIMAL);
    const cwd = join(dir, 'here');
    const xdg = { ...ENV, XDG_CONFIG_HOME: join(dir, 'xdg') };
    const env = { ...xdg, AGENT_CONFIG: '../env.yaml' };
    const [named, fromEnv, here, user] = places;
    expect((await loadConfig({ file: '../named.yaml', env, cwd })).file).toBe(named);
    expect((await loadConfig({ env, cwd })).file).toBe(fromEnv);
    expect((await loadConfig({ env: xdg, cwd })).file).toBe(here);
    expect((await loadConfig({ env: xdg, cwd: dir })).file).toBe(user);
  });

  it.each([
    ['--config', { file: 'none.yaml', env: ENV }],
    ['$AGENT_CONFIG', { env: { ...ENV, AGENT_CONFIG: 'none.yaml' } }],
  ])('must exist if %s names it', async (name, options) => {
    writeFileSync(join(dir, 'config.yaml'), MINIMAL);
    await expect(loadConfig({ cwd: dir, ...options })).rejects.toThrow(`none.yaml (named by ${name}) does not exist`);
  });

  it('is asked for with all the places where it was looked for', async () => {
    const error: unknown = await loadConfig({ env: { HOME: dir }, cwd: dir }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining('no configuration file found'), exitCode: 2 });
    expect((error as OperatorError).message).toContain(join(dir, '.config', 'agent', 'config.yaml'));
  });

  it.each([
    ['a: [1', /^line 2, column 1: /],
    ['language: ja\nlanguage: en', /^line 2, column \d+: duplicated mapping key/],
    ['x: !!js/function "f"', /^line 1, column \d+: unknown tag/],
    ['- a list', /must be a mapping/],
  ])('is refused with line and column where it is no YAML of ours: %s', async (yaml, complaint) => {
    expect(await complaintsOf(`${yaml}\n`)).toEqual([expect.stringMatching(complaint)]);
  });
});

describe('mistakes', () => {
  it('are all reported at once', async () => {
    const complaints = await complaintsOf(
      `
task_source: github
github: { repositories: [nope], ownr: x, api_url: 'ftp://x' }
gitlab: { projcts: [] }
llm: { timeout_seconds: 0, ollama: { model: 3 } }
level: debug
planning: { enabled: maybe }
mcp_servers: [{ command: [] }, { mcp_server_name: files }]
`,
      {},
    );
    expect(complaints.sort()).toEqual(
      [
        'github.repositories[0]: must look like owner/repo (it is "nope")',
        'github.ownr: unknown key; did you mean owner?',
        'github.api_url: must be a URL that begins with http:// or https:// (it is "ftp://x")',
        'github.token: the environment variable GITHUB_TOKEN is not set',
        'gitlab.projcts: unknown key; did you mean projects?',
        'level: unknown key; it belongs to logging.level',
        'llm.timeout_seconds: must be >= 1 (it is 0)',
        'llm.ollama.model: must be string or null (it is 3)',
        'llm.openai.model: must be set, since llm.provider is openai',
        'llm.openai.api_key: the environment variable OPENAI_API_KEY is not set',
        'mcp_servers[0].mcp_server_name: is missing',
        'mcp_servers[0].command: must NOT have fewer than 1 items (it is [])',
        'mcp_servers[1].command: is missing',
        'planning.enabled: must be boolean (it is "maybe")',
      ].sort(),
    );
  });

  it.each([
    ['nowhere to look', 'llm: {openai: {model: m}}', 'github: says nowhere to look for work'],
    ['two places', 'github: {repositories: [a/b], owner: c}\nllm: {openai: {model: m}}', 'github: set either'],
    ['GitLab too', 'task_source: gitlab\ngitlab: {projects: [1], group: g, token: abcdefgh}', 'gitlab: set either'],
    ['no model', 'github: {owner: a}', 'llm.openai.model: must be set, since llm.provider is openai'],
    ['a query without owner', `github: {repositories: [a/b], query: x}`, 'github.query: is for a search'],
    [
      'the same label twice',
      'github: {owner: a, done_label: Coding Agent}',
      'github.bot_label: is the same label as github.done_label',
    ],
    ['a short secret', 'github: {owner: a, token: short}', 'github.token: is shorter than 8 characters'],
    [
      'a token with a line break',
      'github: {owner: a, token: "ghp_012345\\r"}',
      'github.token: holds a space, a line break',
    ],
    [
      'a short secret from a variable',
      'mcp_servers: [{mcp_server_name: a, command: [x, "${A_PASSWORD}"]}]',
      'mcp_servers[0].command[1]: the environment variable A_PASSWORD is shorter than 8 characters',
    ],
    ['a threshold above 1', 'context_storage: {compression_threshold: 7}', 'compression_threshold: must be <= 1'],
    ['an unknown source', 'task_source: gitea', 'task_source: must be github, gitlab, or [github, gitlab]'],
    [
      'a name with __',
      'mcp_servers: [{mcp_server_name: a__b, command: [x]}]',
      'mcp_server_name: must be a name without',
    ],
    ['a missing prompt', 'system_prompt: none.txt', 'none.txt does not exist'],
    ['a broken pattern', "security: {secret_patterns: ['(']}", 'security.secret_patterns[0]: Invalid regular'],
    [
      'a reply as long as all',
      'llm: {openai: {model: m, max_token: 200000}}',
      'max_token: must be below context_length',
    ],
    [
      'a short secret in env',
      'mcp_servers: [{mcp_server_name: a, command: [x], env: {A_TOKEN: abc}}]',
      'env.A_TOKEN: is',
    ],
    [
      'a name taken',
      'mcp_servers: [{mcp_server_name: a, command: [x]}, {mcp_server_name: A, command: [x]}]',
      'mcp_servers[1].mcp_server_name: "A" is taken',
    ],
  ])('are explained: %s', async (_what, yaml, complaint) => {
    expect((await complaintsOf(yaml)).join('\n')).toContain(complaint);
  });

  it('never show a secret', async () => {
    expect((await complaintsOf('github: { token: 1234567890123 }')).join()).not.toContain('1234567890');
  });
});

describe('variables', () => {
  it('are replaced wherever they stand, and $${ stands for itself', async () => {
    const yaml = `${MINIMAL}\nmcp_servers: [{mcp_server_name: a, command: ['\${BIN}/x', '$\${HOME}'], env: {B: 'x\${BIN}y'}}]`;
    const [server] = (await load(yaml, { env: { ...ENV, BIN: '/bin' } })).mcpServers;
    expect(server).toMatchObject({ command: ['/bin/x', '${HOME}'], env: { B: 'x/biny' } });
  });

  it('are taken as data: what they hold is not replaced again', async () => {
    const config = await load(MINIMAL, { env: { ...ENV, GITHUB_TOKEN: 'a${OPENAI_API_KEY}' } });
    expect(config.github?.token).toBe('a${OPENAI_API_KEY}');
  });

  it('of sections that are not in use need not be set', async () => {
    const yaml = `
task_source: gitlab
gitlab: { projects: [group/project, 42], token: '\${MY_GITLAB}' }
github: { api_url: '\${GHE_URL}' }
llm: { provider: ollama, ollama: { model: m } }`;
    const config = await load(yaml, { env: { MY_GITLAB: 'gitlab-token' } });
    expect(config.gitlab?.projects).toEqual(['group/project', '42']);
    expect(config.llm).toMatchObject({ url: 'http://localhost:11434', apiKey: null, contextLength: 32_768 });
    expect(config.github).toBeUndefined();
  });
});

it('collects every secret, so that it can be masked', async () => {
  const yaml = `${MINIMAL}
mcp_servers:
  - mcp_server_name: a
    command: [run, '--password=\${DB_PASSWORD}']
    env: { SERVICE_TOKEN: literal-token, MODE: literal-mode }`;
  const { secrets } = await load(yaml, { env: { ...ENV, DB_PASSWORD: 'database-password' } });
  expect(secrets.sort()).toEqual(['database-password', 'github-token-1', 'literal-token', 'openai-key-1']);
});
