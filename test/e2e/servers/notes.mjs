// A small MCP server in plain JSON-RPC: it writes what it is asked to do into a file, so that tests can count what was done.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , file] = process.argv;
/** Whoever has this noted is killed before the answer. */
const LAST_WORDS = 'farewell';
const tools = [
  {
    name: 'note',
    description: 'Writes a line into the notebook.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  {
    name: 'echo',
    description: 'Says the text again, as often as wanted.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' }, times: { type: 'number' } },
      required: ['text'],
    },
  },
  { name: 'fail', description: 'Always fails.', inputSchema: { type: 'object', properties: {} } },
];

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer(message) })}\n`);
});

function answer({ method, params }) {
  if (method === 'initialize') {
    return {
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'notes', version: '1.0.0' },
      },
    };
  }
  if (method === 'tools/list') return { result: { tools } };
  if (method === 'tools/call') return { result: call(params.name, params.arguments ?? {}) };
  return { error: { code: -32601, message: `no method ${method}` } };
}

function call(name, { text, times = 1 }) {
  if (name === 'fail') return { isError: true, content: [{ type: 'text', text: 'it cannot be done' }] };
  if (name === 'echo') return { content: [{ type: 'text', text: text.repeat(times) }] };
  appendFileSync(file, `${text}\n`);
  if (text === LAST_WORDS) process.kill(process.ppid, 'SIGKILL');
  return { content: [{ type: 'text', text: 'noted' }] };
}
