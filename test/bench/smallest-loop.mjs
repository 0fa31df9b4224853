// The floor: the smallest agent that uses the same packages (openai, MCP SDK, one tool server), and nothing else.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import OpenAI from 'openai';

const [, , baseURL, server] = process.argv;
const client = new Client({ name: 'smallest', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [server] }));
const { tools } = await client.listTools();
const openai = new OpenAI({ baseURL, apiKey: 'key-0123456789' });
const messages = [{ role: 'user', content: 'Nothing to see.' }];
const offered = tools.map(({ name, description, inputSchema }) => ({
  type: 'function',
  function: { name: `tools__${name}`, description, parameters: inputSchema },
}));
for (;;) {
  const { choices } = await openai.chat.completions.create({ model: 'canned', messages, tools: offered });
  const { message } = choices[0];
  if (!message.tool_calls || message.tool_calls[0].function.name === 'done') break;
  messages.push(message);
  for (const call of message.tool_calls) {
    const name = call.function.name.replace('tools__', '');
    const { content } = await client.callTool({ name, arguments: JSON.parse(call.function.arguments) });
    messages.push({ role: 'tool', tool_call_id: call.id, content: content.map(({ text }) => text).join('') });
  }
}
await client.close();
