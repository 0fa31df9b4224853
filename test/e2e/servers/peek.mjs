// An MCP server that shows what stands in the outbox at the moment of the call, or what is in a file.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';

const [, , database] = process.argv;
const tools = [
  { name: 'outbox', description: 'Shows the outbox.', inputSchema: { type: 'object', properties: {} } },
  {
    name: 'file',
    description: 'Shows a file.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  },
];

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) })}\n`);
});

function answer({ method, params }) {
  if (method === 'tools/list') return { tools };
  if (method === 'tools/call') return { content: [{ type: 'text', text: look(params.name, params.arguments ?? {}) }] };
  return {
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'peek', version: '1.0.0' },
  };
}

function look(name, { path }) {
  if (name === 'file') return readFileSync(path, 'utf8');
  const db = new Database(database, { readonly: true });
  return JSON.stringify(db.prepare('SELECT kind, n, body FROM outbox ORDER BY id').all());
}
