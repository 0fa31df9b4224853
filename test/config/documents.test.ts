import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORE_SCHEMA, load } from 'js-yaml';
import { configurationPage } from '../../src/config/document.js';
import { loadConfig } from '../../src/config/load.js';
import { configSchema } from '../../src/config/schema.js';
import type { SchemaNode } from '../../src/config/schema-node.js';
import validate from '../../src/config/validator.generated.js';
import { packageRoot } from '../../src/lib/package.js';

const EXAMPLE = join(packageRoot(), 'config.example.yaml');
const example = load(readFileSync(EXAMPLE, 'utf8'), { schema: CORE_SCHEMA }) as Record<string, unknown>;

/** What has no default that could be used. */
const OWN_CHOICE = ['github.repositories', 'llm.openai.model', 'llm.ollama.model', 'llm.lmstudio.model', 'mcp_servers'];

describe('config.example.yaml', () => {
  it('loads', async () => {
    const env = { GITHUB_TOKEN: 'github-token', OPENAI_API_KEY: 'openai-key' };
    const config = await loadConfig({ file: EXAMPLE, env, cwd: '/' });
    expect(config.github?.repositories).toEqual(['your-name/your-repository']);
  });

  it('holds every key of the schema', () => {
    const missing = keysOf(configSchema).filter((path) => !present(example, path));
    expect(missing).toEqual([]);
  });

  it('holds the defaults', () => {
    const defaults = {};
    validate(defaults);
    expect(without(example, OWN_CHOICE)).toEqual(without(defaults, OWN_CHOICE));
  });

  it('holds the defaults of an MCP server', () => {
    const shown = (example['mcp_servers'] as Record<string, unknown>[])[0] ?? {};
    const { mcp_server_name, command } = shown;
    const data = { mcp_servers: [{ mcp_server_name, command }] };
    validate(data);
    expect(shown).toEqual(data.mcp_servers[0]);
  });
});

it('docs/configuration.md is what `npm run docs` makes of the schema', () => {
  expect(readFileSync(join(packageRoot(), 'docs', 'configuration.md'), 'utf8')).toBe(configurationPage());
});

it('every key of the schema has a description and, unless it is required, a default', () => {
  const bare = nodesOf(configSchema).filter(([, node]) => node.description === undefined);
  expect(bare.map(([path]) => path)).toEqual([]);
});

it('the system prompt has its places and is short', () => {
  const text = readFileSync(join(packageRoot(), 'system_prompt.txt'), 'utf8');
  expect(text).toContain('{mcp_prompt}');
  expect(text).toContain('{language}');
  expect(text.length / 4).toBeLessThan(600);
});

function nodesOf(node: SchemaNode, path = ''): [string, SchemaNode][] {
  const fields = Object.entries(node.properties ?? node.items?.properties ?? {});
  const dot = path ? `${path}${node.items ? '.0' : ''}.` : '';
  return fields.flatMap(([key, field]) => [[`${dot}${key}`, field], ...nodesOf(field, `${dot}${key}`)]);
}

/** `price` is null by default: its own keys stand in its comment. */
function keysOf(node: SchemaNode): string[] {
  return nodesOf(node)
    .map(([path]) => path)
    .filter((path) => !path.startsWith('llm.openai.price.'));
}

function present(data: unknown, path: string): boolean {
  const [key = '', ...rest] = path.split('.');
  if (typeof data !== 'object' || data === null || !(key in data)) return false;
  return rest.length === 0 || present((data as Record<string, unknown>)[key], rest.join('.'));
}

function without(data: object, paths: string[]): unknown {
  return JSON.parse(JSON.stringify(data), function (this: unknown, key, value: unknown) {
    return paths.some((path) => path.split('.').at(-1) === key) ? undefined : value;
  });
}
