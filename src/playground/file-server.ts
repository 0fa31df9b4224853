import { execFile } from 'node:child_process';
import { readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult,
  type Tool as ToolDefinition,
} from '@modelcontextprotocol/sdk/types.js';

/** The MCP server of `agent demo`: `node file-server.js <folder>`. It reads, writes and tests in that folder alone. */
async function main(folder: string): Promise<void> {
  const root = await realpath(folder);
  const server = new Server({ name: 'demo-files', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: Object.entries(TOOLS).map(describe) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => call(root, params.name, params.arguments ?? {}));
  await server.connect(new StdioServerTransport());
}

interface Tool {
  description: string;
  /** Every argument is a text; these must be there. */
  required: string[];
  optional: string[];
  run(root: string, args: Record<string, unknown>): Promise<string>;
}

const TOOLS: Record<string, Tool> = {
  list_directory: {
    description: 'Names of the files in a folder of the project; folders end with a slash.',
    required: [],
    optional: ['path'],
    run: async (root, { path = '.' }) => {
      const entries = await readdir(await inside(root, String(path)), { withFileTypes: true });
      return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).join('\n');
    },
  },
  read_file: {
    description: 'The text of a file of the project.',
    required: ['path'],
    optional: [],
    run: async (root, { path }) => readFile(await inside(root, String(path)), 'utf8'),
  },
  write_file: {
    description: 'Writes a file of the project, as a whole.',
    required: ['path', 'content'],
    optional: [],
    run: async (root, { path, content }) => {
      await writeFile(await inside(root, String(path)), String(content));
      return `wrote ${String(path)}`;
    },
  },
  run_tests: {
    description: 'Runs one test file of the project with `node --test`, and tells its exit code and output.',
    required: ['path'],
    optional: [],
    run: async (root, { path }) => runTest(root, await inside(root, String(path))),
  },
};

function describe([name, { description, required, optional }]: [string, Tool]): ToolDefinition {
  const properties = Object.fromEntries([...required, ...optional].map((argument) => [argument, { type: 'string' }]));
  return { name, description, inputSchema: { type: 'object', properties, required, additionalProperties: false } };
}

/** What goes wrong is told to the model, which may try something else. */
async function call(root: string, name: string, args: Record<string, unknown>): Promise<CallToolResult> {
  try {
    const tool = TOOLS[name];
    if (!tool) throw new Error(`there is no tool ${name}`);
    return { content: [{ type: 'text', text: await tool.run(root, args) }] };
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: (error as Error).message }] };
  }
}

/** The path with its links resolved, which must lie in the folder; a file that is to be made may be missing. */
async function inside(root: string, path: string): Promise<string> {
  const wanted = resolve(root, path);
  const real = await realpath(wanted).catch(async () => join(await realpath(dirname(wanted)), basename(wanted)));
  const way = relative(root, real);
  if (way.startsWith('..') || resolve(root, way) !== real) throw new Error(`${path} is outside of the project`);
  return real;
}

const TEST_LIMIT_MS = 20_000;

function runTest(root: string, file: string): Promise<string> {
  const args = ['--test', '--test-reporter=tap', file];
  return new Promise((told) => {
    const child = execFile(process.execPath, args, { cwd: root, timeout: TEST_LIMIT_MS }, (_error, stdout, stderr) =>
      told(`exit code ${child.exitCode ?? 'none: it was ended'}\n${stdout}${stderr}`),
    );
  });
}

await main(process.argv[2] ?? '.');
