import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import Database from 'better-sqlite3';
import { lookUp } from '../../src/commands/doctor/model-listing.js';
import { doctorCommand } from '../../src/commands/doctor.js';
import type { CommandIo } from '../../src/commands/io.js';
import type { LlmConfig } from '../../src/config/config.js';
import { systemClock } from '../../src/lib/clock.js';
import type { CannedRequest, Step } from '../../src/playground/model/steps.js';
import { notesServer, REPO, setStage, TOKEN, type Stage, type StageOptions } from '../e2e/stage.js';

interface Check {
  name: string;
  status: string;
  message: string;
  fix: string | null;
}

let stage: Stage;
afterEach(() => stage.close());

const LABELS = [
  ...['coding agent', 'coding agent processing', 'awaiting-response', 'coding agent done'],
  ...['coding agent paused', 'coding agent stopped', 'coding agent failed'],
];

/** A model that does as it is told. */
function obedient({ messages, tools }: CannedRequest): Step {
  if (!tools) return { text: '{"sum": 5}' };
  const called = messages.some(({ role }) => role === 'tool');
  return called ? { done: true } : { toolCalls: [{ tool: 'doctor/echo', args: { text: 'pong' } }] };
}

async function healthy(options: Partial<StageOptions> = {}): Promise<void> {
  stage = await setStage({ script: obedient, ...options });
  for (const label of LABELS) stage.world.addLabel(REPO, label);
}

async function run(options: { json?: boolean; quiet?: boolean; env?: Record<string, string>; now?: number } = {}) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const env = {
    PATH: process.env['PATH'],
    HOME: stage.dir,
    BOT_TOKEN: TOKEN,
    OPENAI_API_KEY: 'key-0123456789',
    ...options.env,
  };
  const { signal } = new AbortController();
  const clock = { ...systemClock, now: () => options.now ?? Date.now() };
  const io: CommandIo = { ...streams, env, cwd: stage.dir, clock, isTTY: false, color: false, signal };
  const exit = await doctorCommand({ json: options.json ?? false, verbose: false, quiet: options.quiet ?? false }, io);
  return { exit, stdout: String(streams.stdout.read() ?? ''), stderr: String(streams.stderr.read() ?? '') };
}

/** The checks of that name, and the exit code, as a program reads them. */
async function diagnosis(options: Parameters<typeof run>[0] = {}) {
  const { exit, stdout } = await run({ ...options, json: true });
  const document = JSON.parse(stdout) as { checks: Check[]; exit: number };
  expect(document.exit).toBe(exit);
  return {
    exit,
    checks: document.checks,
    of: (name: string) => document.checks.filter((check) => check.name === name),
  };
}

describe('where all is well', () => {
  test.each([
    ['github', 'openai'],
    ['gitlab', 'ollama'],
    ['github', 'lmstudio'],
  ] as const)('every check of %s and %s is ok, and the exit code 0', async (forge, provider) => {
    await healthy({ forge, provider, ...(provider === 'lmstudio' && { dialect: 'lmstudio' }) });
    const { exit, checks, of } = await diagnosis();
    expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(exit).toBe(0);
    expect(of('mcp')[0]!.message).toBe('notes starts and offers 3 tools');
    expect(of('tools')[0]!.message).toContain('goes on with the result');
    expect(of(forge)[0]!.message).toContain('lent by that person: what @agent-bot writes without our marker');
    if (provider !== 'openai') expect(of('context')[0]!.message).toBe('32,768 of 128,000 tokens');
  });

  test('a person reads a line for each, and nothing is said with --quiet', async () => {
    await healthy();
    const { stdout, stderr } = await run();
    expect(stdout.split('\n')[0]).toBe(`ok       config       ${join(stage.dir, 'config.yaml')}`);
    expect(stderr).toBe('');
    expect((await run({ quiet: true })).stdout).toBe('');
  });
});

test('a wrong token is a problem of the forge alone, and is not shown', async () => {
  await healthy();
  const { exit, of } = await diagnosis({ env: { BOT_TOKEN: 'wrong-token-0123456789' } });
  expect(exit).toBe(1);
  expect(of('github')).toEqual([
    expect.objectContaining({ status: 'problem', fix: expect.stringContaining('github.token') }),
  ]);
  expect(JSON.stringify(of('github'))).not.toContain('wrong-token');
  expect(of('json')[0]!.status).toBe('ok');
});

test('a token without the scope it needs, and a name that is not its own, are told', async () => {
  await healthy({ config: { github: { username: 'somebody-else' } } });
  stage.world.addToken(TOKEN, 'agent-bot', { scopes: ['gist'] });
  const [account, scope] = (await diagnosis()).of('github');
  expect(account).toMatchObject({ status: 'warning', message: expect.stringContaining('posts as @agent-bot') });
  expect(scope).toMatchObject({ status: 'problem', fix: expect.stringContaining('`repo`') });
});

test('a missing label is a warning, a repository that cannot be seen or written a problem', async () => {
  stage = await setStage({ script: obedient, config: { github: { repositories: [REPO, 'octo/typo'] } } });
  for (const label of LABELS.slice(1)) stage.world.addLabel(REPO, label.toUpperCase());
  stage.world.setAccess(REPO, 'agent-bot', 'read');
  const { exit, of } = await diagnosis();
  expect(exit).toBe(1);
  expect(of('labels')).toEqual([
    {
      name: 'labels',
      status: 'warning',
      message: `${REPO} lacks \`coding agent\``,
      fix: expect.stringContaining('at first use'),
    },
  ]);
  const messages = of('repository').map(({ status, message }) => [status, message]);
  expect(messages).toEqual([
    ['problem', expect.stringContaining(`@agent-bot may not write to ${REPO}`)],
    ['problem', expect.stringContaining('octo/typo')],
  ]);
});

test('an MCP server that does not start is a problem, one without usable tools a warning', async () => {
  await healthy();
  const notes = { command: notesServer(join(stage.dir, 'n.txt')) };
  stage.configure({
    mcp_servers: [
      { mcp_server_name: 'dead', command: [process.execPath, '-e', 'process.exit(3)'] },
      { mcp_server_name: 'missing', command: ['no-such-program-here'] },
      { mcp_server_name: 'mute', ...notes, denied_tools: ['*'] },
    ],
  });
  const { exit, of } = await diagnosis();
  expect(exit).toBe(1);
  expect(of('mcp').map(({ status }) => status)).toEqual(['problem', 'problem', 'warning']);
  expect(of('mcp')[1]).toMatchObject({
    message: expect.stringContaining('missing did not start'),
    fix: expect.stringContaining('PATH'),
  });
});

test.each([
  ['openai', 'Set llm.openai.model to one it has.'],
  ['ollama', 'Run `ollama pull cand`, or set llm.ollama.model to one it has.'],
  ['lmstudio', 'Download it in LM Studio, or set llm.lmstudio.model to one it has.'],
] as const)('a model that %s does not know is said to be so, with the names it has', async (provider, fix) => {
  await healthy({ provider, ...(provider === 'lmstudio' && { dialect: 'lmstudio' }) });
  const url = provider === 'ollama' ? { endpoint: stage.model.urls.ollama } : { base_url: stage.model.urls.openai };
  stage.configure({ llm: { provider, [provider]: { ...url, model: 'cand' } } });
  const { exit, of } = await diagnosis();
  expect(exit).toBe(1);
  expect(of('model')).toEqual([
    {
      name: 'model',
      status: 'problem',
      message: expect.stringMatching(/does not know the model "cand"; it has canned$/),
      fix,
    },
  ]);
});

test('a context that is configured longer than it is', async () => {
  await healthy({ provider: 'ollama', contextLength: 8192 });
  const { exit, of } = await diagnosis();
  expect(exit).toBe(1);
  expect(of('context')).toEqual([
    {
      name: 'context',
      status: 'problem',
      message: '32,768 tokens are configured, but canned has 8,192 tokens',
      fix: 'Set llm.ollama.context_length: 8192.',
    },
  ]);
});

test('a model without native tools is fine, one that cannot do JSON either is not', async () => {
  await healthy({ takesTools: false, script: () => ({ text: 'five, I think' }) });
  const { exit, of } = await diagnosis();
  expect(of('tools')[0]).toMatchObject({ status: 'ok', message: expect.stringContaining('JSON protocol') });
  expect(of('json')[0]).toMatchObject({ status: 'problem', message: expect.stringContaining('five, I think') });
  expect(exit).toBe(1);
});

test('a model that chats instead of calling the tool is a warning', async () => {
  await healthy({ script: (request) => (request.tools ? { text: 'Pong!' } : obedient(request)) });
  expect((await diagnosis()).of('tools')[0]).toMatchObject({
    status: 'warning',
    fix: expect.stringContaining('made for tools'),
  });
});

test('a key that is refused, and a server that is not there', async () => {
  await healthy({ apiKey: 'another-key-0123' });
  expect((await diagnosis()).of('model')[0]).toMatchObject({
    status: 'problem',
    fix: expect.stringContaining('llm.openai.api_key'),
  });
  await stage.model.close();
  expect((await diagnosis()).of('model')[0]).toMatchObject({
    status: 'problem',
    message: expect.stringContaining('does not answer'),
  });
});

test('an address of LM Studio without its /v1', async () => {
  await healthy({ provider: 'lmstudio', dialect: 'lmstudio' });
  stage.configure({ llm: { lmstudio: { base_url: stage.model.urls.ollama, model: 'canned' } } });
  expect((await diagnosis()).of('model')[0]).toMatchObject({
    status: 'problem',
    message: expect.stringMatching(/Unexpected endpoint.*correct the address in llm.lmstudio/),
  });
});

test('an LM Studio from before its own list of models is asked for the one it shares with OpenAI', async () => {
  await healthy();
  const answers: Record<string, object> = {
    '/api/v0/models': { error: 'Unexpected endpoint or method. (GET /api/v0/models)' },
    '/v1/models': { data: [{ id: 'canned' }] },
  };
  const ask = (url: string) => Promise.resolve(Response.json(answers[new URL(url).pathname]));
  const llm = { provider: 'lmstudio', model: 'canned', url: 'http://127.0.0.1:1234/v1' } as LlmConfig;
  const listing = await lookUp(llm, new AbortController().signal, ask as typeof fetch);
  expect(listing).toMatchObject({ kind: 'found', contextLength: null });
});

test('what `agent init` writes is accepted', async () => {
  await healthy();
  const forge = ['--repository', REPO, '--api-url', stage.playground.github.apiUrl];
  const model = ['--model', 'canned', '--base-url', stage.model.urls.openai];
  const tools = [
    '--mcp',
    `notes="sh" ${join(process.cwd(), 'test/e2e/servers/notes.sh')} "${join(stage.dir, 'notes.txt')}"`,
  ];
  expect((await stage.agent('init', ...forge, ...model, ...tools, '--force')).code).toBe(0);
  const { exit, checks } = await diagnosis({ env: { GITHUB_TOKEN: TOKEN } });
  expect([exit, checks.filter(({ status }) => status !== 'ok')]).toEqual([0, []]);
});

test('a data folder that cannot be written to, or that others can read', async () => {
  await healthy();
  mkdirSync(stage.dataDir);
  chmodSync(stage.dataDir, 0o755);
  expect((await diagnosis()).of('data')[0]).toMatchObject({
    status: 'warning',
    fix: expect.stringContaining('chmod 700'),
  });
  writeFileSync(join(stage.dir, 'file'), '');
  stage.configure({ context_storage: { base_dir: 'file' } });
  const { exit, of } = await diagnosis();
  expect(of('data')[0]).toMatchObject({ status: 'problem', fix: expect.stringContaining('context_storage.base_dir') });
  expect(exit).toBe(1);
});

test('who holds the lock, and that everything is paused', async () => {
  await healthy();
  mkdirSync(stage.dataDir, { mode: 0o700 });
  writeFileSync(join(stage.dataDir, 'pause_signal'), '');
  const lock = new Database(join(stage.dataDir, 'run.lock'));
  lock.exec('BEGIN EXCLUSIVE');
  const { of } = await diagnosis();
  lock.close();
  expect(of('lock')[0]!.message).toBe(`held: a tick is at work (process ${process.pid})`);
  expect(of('pause')[0]!.status).toBe('warning');
});

test('a clock that is not that of the forge', async () => {
  await healthy();
  expect((await diagnosis({ now: Date.now() - 600_000 })).of('clock')[0]).toMatchObject({
    status: 'warning',
    message: expect.stringMatching(/^it is (599|600|601) s behind github$/),
  });
  expect((await diagnosis({ now: 0 })).of('clock')[0]!.status).toBe('problem');
});

test('a bad configuration is reported with all its mistakes, and nothing else is tried', async () => {
  await healthy();
  stage.configure({ max_llm_process_num: 'many', planing: {} });
  const { exit, checks } = await diagnosis();
  expect(exit).toBe(1);
  const fix = expect.stringContaining(join(stage.dir, 'config.yaml'));
  expect(checks).toEqual([
    { name: 'config', status: 'problem', message: expect.stringContaining('planing'), fix },
    { name: 'config', status: 'problem', message: expect.stringContaining('max_llm_process_num'), fix },
  ]);
  expect(stage.model.requests).toHaveLength(0);
  rmSync(join(stage.dir, 'config.yaml'));
  expect((await diagnosis()).checks).toEqual([
    {
      ...{ name: 'config', status: 'problem', message: expect.stringContaining('no configuration file found') },
      fix: expect.stringContaining('agent init'),
    },
  ]);
});
