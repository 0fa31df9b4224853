// The tool server of both sides of the bench: one tool, as little work as a server in Node can do.
import { createInterface } from 'node:readline';

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tools = [{ name: 'echo', description: 'Says the text again.', inputSchema }];

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) })}\n`);
});

function answer(method, params) {
  if (method === 'tools/list') return { tools };
  if (method === 'tools/call') return { content: [{ type: 'text', text: params.arguments.text }] };
  const serverInfo = { name: 'echo', version: '1.0.0' };
  return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
}
