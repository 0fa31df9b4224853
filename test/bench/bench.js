// `npm run bench`: what the program adds to the model's own time and tokens, as ratios to floors measured in the same run.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { node, root } from '../../bin/import-source.js';

const REPEATS = 9;
const TURNS = 1000;

const dir = mkdtempSync(join(tmpdir(), 'agent-bench-'));
const { startPlayground, startCannedModel } = await playgroundOf(dir);
const playground = await startPlayground({});
const world = playground.world.github;
world.addRepository('octo/bench');
world.addToken('token-0123456789', 'bench-bot', { scopes: ['repo'] });
world.setAccess('octo/bench', 'bench-bot', 'write');
world.setAccess('octo/bench', 'alice', 'write');

const asked = [];
const model = await startCannedModel({
  contextLength: 10_000_000,
  script: ({ messages }) => {
    asked.push({ at: performance.now(), messages: messages.length });
    const turns = messages.filter((message) => message.role === 'assistant').length;
    const finished = turns >= wanted || JSON.stringify(messages.at(-1)).includes('Write the summary now');
    if (finished) return { done: true, comment: 'done' };
    return { toolCalls: [{ tool: 'tools/echo', args: { text: `turn ${turns}` } }] };
  },
});
let wanted = 3;

const floor = await timed(() => run(['-e', '0']));
configure();
await run([agent(), 'run'], dir); // creates the data folder
const idle = await timed(() => run([agent(), 'run'], dir));

const loop = await timed(firstRequest([join(root, 'test/bench/smallest-loop.mjs'), model.urls.openai, echoServer()]));
const begin = await timed(async () => {
  label();
  const took = await firstRequest([agent(), 'run'])();
  return took;
});

wanted = TURNS;
asked.length = 0;
await run([join(root, 'test/bench/smallest-loop.mjs'), model.urls.openai, echoServer()], dir);
const floorTurn = gapsBetween(asked);
asked.length = 0;
playground.journal.clear();
label();
const long = await run([agent(), 'run'], dir);
const turn = gapsBetween(asked);
const charged = [...playground.journal].filter((each) => each.status !== 304).length;
const first = model.requests.find((request) => request.messages.length === 2);
const system = first.messages[0].content.length / 4;

const appended = await appends();
print([
  [
    'idle tick, wall',
    `${idle.ms.toFixed(0)} ms`,
    `${(idle.ms / floor.ms).toFixed(1)} × node -e 0 (${floor.ms.toFixed(0)} ms)`,
    'at most 10 ×',
  ],
  [
    'idle tick, peak memory',
    `${idle.mb.toFixed(0)} MB`,
    `${(idle.mb / floor.mb).toFixed(1)} × node -e 0 (${floor.mb.toFixed(0)} MB)`,
    'at most 90 MB',
  ],
  [
    'start to first model request',
    `${begin.ms.toFixed(0)} ms`,
    `${(begin.ms / loop.ms).toFixed(2)} × the smallest loop (${loop.ms.toFixed(0)} ms)`,
    'at most 1.5 ×',
  ],
  [
    'from one request to the next, with a tool',
    `${turn.early.toFixed(2)} ms`,
    `${(turn.early / floorTurn.early).toFixed(2)} × the smallest loop (${floorTurn.early.toFixed(2)} ms)`,
    'about 1.9 × (3 ms where it takes 1.6)',
  ],
  [
    `the same at turn ${TURNS}`,
    `${turn.late.toFixed(2)} ms`,
    `${(turn.late / floorTurn.late).toFixed(2)} × the smallest loop (${floorTurn.late.toFixed(2)} ms)`,
    'not more than early',
  ],
  [
    'adding a message and counting tokens',
    `${appended.early.toFixed(3)} ms`,
    `${appended.ratio.toFixed(2)} × that at message ${appended.count}`,
    '1 ×',
  ],
  [
    'heap held for it afterwards',
    `${appended.mb.toFixed(1)} MB`,
    `for ${appended.fileMb.toFixed(1)} MB of messages.jsonl`,
    '',
  ],
  [
    'peak memory of the long attempt',
    `${long.mb.toFixed(0)} MB`,
    `${(long.mb / idle.mb).toFixed(1)} × the idle tick`,
    '',
  ],
  ['forge requests a turn that are no 304', (charged / TURNS).toFixed(3), '', 'at most 1'],
  ['system prompt without tool list', `about ${system.toFixed(0)} tokens`, '', 'under 700'],
]);
await Promise.all([playground.close(), model.close()]);
rmSync(dir, { recursive: true, force: true });

function agent() {
  return join(root, 'bin/agent.js');
}

function echoServer() {
  return join(root, 'test/bench/echo-server.mjs');
}

function label() {
  const n = world.addIssue('octo/bench', { title: 'Bench', body: 'Nothing to see.', author: 'alice' });
  world.label('octo/bench', n, 'coding agent', 'alice');
}

function configure() {
  const config = {
    task_source: 'github',
    github: { api_url: playground.github.apiUrl, token: 'token-0123456789', repositories: ['octo/bench'] },
    llm: {
      provider: 'openai',
      openai: { base_url: model.urls.openai, api_key: 'key-0123456789', model: 'canned', context_length: 10_000_000 },
    },
    max_llm_process_num: TURNS + 10,
    limits: { same_error: 100_000 },
    comment_handling: { enabled: false },
    mcp_servers: [{ mcp_server_name: 'tools', command: [process.execPath, echoServer()] }],
  };
  writeFileSync(join(dir, 'config.yaml'), JSON.stringify(config));
}

/** Time from the start of a process to its first request to the model. */
function firstRequest(args) {
  return async () => {
    asked.length = 0;
    const began = performance.now();
    const { mb } = await run(args, dir);
    return { ms: asked[0].at - began, mb };
  };
}

/** Medians over the first and the last hundred turns; the model answers at once, so its part is small. */
function gapsBetween(requests) {
  const gaps = requests.slice(1, TURNS).map(({ at }, i) => at - requests[i].at);
  return { early: median(gaps.slice(5, 105)), late: median(gaps.slice(-100)) };
}

async function run(args, cwd = process.cwd()) {
  const began = performance.now();
  const child = spawn('/usr/bin/env', ['node', '--import', memoryProbe(), ...args], {
    cwd,
    env: { ...process.env, AGENT_CONFIG: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stderr.on('data', (chunk) => (printed += chunk));
  child.stdout.resume();
  const code = await new Promise((resolve) => child.once('close', resolve));
  const mb = Number(/peak (\d+)/.exec(printed)?.[1] ?? 0) / 1024;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${printed}`);
  return { ms: performance.now() - began, mb };
}

function memoryProbe() {
  const source = "process.once('exit', () => process.stderr.write(`peak ${process.resourceUsage().maxRSS}\\n`))";
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

async function timed(once) {
  await once();
  const runs = [];
  for (let i = 0; i < REPEATS; i++) runs.push(await once());
  return { ms: median(runs.map((each) => each.ms)), mb: Math.max(...runs.map((each) => each.mb)) };
}

/** A history that is appended to and compressed like a long attempt's, without a model: only our own part. */
async function appends() {
  const { openStore, History } = await bundled(
    dir,
    'history.mjs',
    "export { openStore } from './src/store/store.ts'; export { History } from './src/agent/history.ts';",
  );
  const clock = { now: () => Date.now(), sleep: async () => undefined };
  const store = openStore(join(dir, 'append'), {
    clock,
    log: { write: () => undefined },
    worker: { pid: 1, hostname: 'bench' },
  });
  const files = store.createFiles('bench', {});
  const attempts = { get: () => null, applyMessage: () => undefined };
  const history = new History('bench', files, attempts, clock, (text) => text);
  const count = 5000;
  const before = heapMb();
  const took = [];
  for (let i = 0; i < count; i++) {
    const began = performance.now();
    history.append({ role: 'user', content: `message ${i} `.repeat(50) });
    history.nextRequestTokens();
    took.push(performance.now() - began);
    if (i % 100 === 99) history.replace([...history.messages].slice(-20));
  }
  const mb = heapMb() - before;
  const fileMb = statSync(join(dir, 'append', 'bench', 'messages.jsonl')).size / 2 ** 20;
  store.close();
  const early = median(took.slice(100, 300));
  return { early, ratio: median(took.slice(-200)) / early, count, mb, fileMb };
}

function heapMb() {
  globalThis.gc();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function playgroundOf(folder) {
  const contents =
    "export { startPlayground } from './src/playground/start.ts'; export { startCannedModel } from './src/playground/model.ts';";
  return bundled(folder, 'playground.mjs', contents);
}

async function bundled(folder, name, contents) {
  const outfile = join(folder, name);
  const external = [createRequire(import.meta.url).resolve('better-sqlite3')];
  await build({
    ...node,
    stdin: { contents, resolveDir: root, loader: 'ts' },
    outfile,
    alias: { 'better-sqlite3': external[0] },
    external,
  });
  return import(pathToFileURL(outfile).href);
}

function print(rows) {
  for (const [what, figure, ratio, aim] of rows) {
    console.log(`${what.padEnd(48)} ${figure.padEnd(18)} ${ratio.padEnd(42)} ${aim && `(aim: ${aim})`}`);
  }
}
