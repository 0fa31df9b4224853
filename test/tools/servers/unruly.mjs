// An MCP server in plain node that can misbehave in every way the tests need.
// Its arguments say how: crash, crash-once=<file>, hang, junk, stubborn, child, pages, shapeless-list.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const manners = process.argv.slice(2);
const is = (manner) => manners.includes(manner);
const valueOf = (manner) => manners.find((word) => word.startsWith(`${manner}=`))?.slice(manner.length + 1);

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });

const tools = {
  echo: ({ args }) => text(String(args.text)),
  pid: () => text(String(process.pid)),
  env: () => text(JSON.stringify(process.env)),
  seen: () => text(JSON.stringify(seen)),
  child: () => text(String(startChild().pid)),
  fail: () => ({ ...text('the disk is full'), isError: true }),
  fail_silently: () => ({ content: [], isError: true }),
  refuse: ({ id }) => say({ id, error: { code: -32001, message: 'not today' } }),
  hang: () => void process.stderr.write('hanging\n'),
  hang_with_progress: ({ id }) => {
    setInterval(() => say({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } }), 20);
  },
  crash: () => {
    process.stderr.write('the last straw\n');
    process.exitCode = 3;
    process.exit();
  },
  answer_and_leave: ({ id }) => {
    say({ id, result: text('farewell') });
    process.exit(0);
  },
  flood: () => text('x'.repeat(5_000_000)),
  deluge: () => text('x'.repeat(11 * 1024 * 1024)),
  chatter: () => {
    for (let i = 0; i < 2000; i++) process.stderr.write(`line ${i}\n`);
    return text('said it all');
  },
  junk: () => {
    process.stdout.write('DEBUG: here I am\n{"half": \n[]\n42\n');
    return text('after the junk');
  },
  no_content: () => ({}),
  content_no_list: () => ({ content: 'hello' }),
  odd_part: () => ({ content: [{ type: 'text', text: 7 }] }),
  result_no_object: () => 'hello',
};

const seen = [];

function startChild() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
  child.unref();
  return child;
}

function page(cursor) {
  const all = Object.keys(tools).map((name) => ({ name, description: ` ${name} `, inputSchema: schemas[name] ?? {} }));
  if (is('shapeless-list')) return { tools: 'none' };
  if (!is('pages')) return { tools: [...all, { description: 'nameless' }, null] };
  const at = Number(cursor ?? 0);
  return { tools: all.slice(at, at + 7), ...(at + 7 < all.length && { nextCursor: String(at + 7) }) };
}

const schemas = {
  echo: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { text: { type: 'string', format: 'no-such-format' }, mode: { enum: ['a', 'b'] } },
    required: ['text'],
    additionalProperties: false,
  },
  pid: { type: 'no such type', $ref: '#/nowhere' },
};

const requests = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'unruly', version: '1' },
  }),
  'tools/list': ({ cursor }) => page(cursor),
  'tools/call': ({ name, arguments: args }, id) => tools[name]({ args, id }),
};

function answer({ id, method, params = {} }) {
  seen.push(method);
  const result = requests[method]?.(params, id);
  if (result !== undefined) say({ id, result });
}

if (is('junk')) process.stdout.write('Welcome to unruly 1.0!\n\n');
if (is('crash') || once('crash-once')) {
  process.stderr.write('cannot find my configuration\n');
  process.exit(7);
}
if (is('stubborn')) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
}
if (is('hang')) setInterval(() => {}, 1000);
else createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line)));

function once(manner) {
  const file = valueOf(manner);
  if (file === undefined || existsSync(file)) return false;
  writeFileSync(file, '');
  return true;
}
