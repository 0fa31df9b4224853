import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { main } from '../src/cli.js';
import { loadConfig } from '../src/config/load.js';
import { packageRoot } from '../src/lib/package.js';
import { labelSpecs } from '../src/task/labels.js';
import { capturedIo } from './agent/captured-io.js';

const ROOT = packageRoot();
const READMES = ['README.md', 'README.ja.md'];
const DOCUMENTS = [
  ...READMES,
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'docs/decisions.md',
  'docs/security.md',
  'docs/operating.md',
];

async function help(...command: string[]): Promise<string> {
  const io = capturedIo({ cwd: ROOT, env: {}, now: 0 });
  await main([...command, '--help'], io);
  return io.out();
}

async function commandNames(): Promise<string[]> {
  const listed = (await help()).split('\nCommands:\n')[1] ?? '';
  return [...listed.matchAll(/^ {2}([a-z]+) /gm)].map((match) => match[1]!).filter((name) => name !== 'help');
}

function text(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8');
}

function found(document: string, pattern: RegExp): string[] {
  return [...new Set([...text(document).matchAll(pattern)].map((match) => match[1]!))];
}

describe.each(READMES)('%s', (readme) => {
  it('lists every command there is, and no other', async () => {
    expect(found(readme, /^\| `agent ([a-z]+)`/gm)).toEqual(await commandNames());
  });

  it('lists every label, under the name it has by default', async () => {
    const { github } = await exampleConfig(readme);
    const names = labelSpecs(github!).map(({ name }) => name);
    expect(found(readme, /^\| `((?:coding agent|awaiting)[a-z -]*)`/gm).sort()).toEqual([...names].sort());
  });

  it('shows a configuration that works', async () => {
    expect(await exampleConfig(readme)).toMatchObject({ taskSources: ['github'], llm: { provider: 'ollama' } });
  });

  it('names the two commands exactly', () => {
    expect(text(readme)).toContain('\nnpm ci && npm run demo\n');
    expect(text(readme)).toContain('\nnpm ci && npm test\n');
  });
});

describe.each(DOCUMENTS)('%s', (document) => {
  it('names only commands and options that exist', async () => {
    const names = await commandNames();
    const helps = (await Promise.all([help(), ...names.map((name) => help(name))])).join('\n');
    const named = found(document, /(?:^|`)(?:node bin\/)?agent(?:\.js)? ([a-z]+)/gm);
    expect(named.filter((name) => !names.includes(name) && !NOT_COMMANDS.includes(name))).toEqual([]);
    const options = found(document, /(?<![\w-])(--[a-z][a-z-]+)/g);
    expect(options.filter((option) => !helps.includes(option))).toEqual([]);
  });

  it('points only to files that are there', () => {
    const linked = found(document, /\]\((?!https?:)([^)#]+)/g).map((path) => join(dirname(document), path));
    const mentioned = found(document, /`((?:src|test|docs|bin)\/[\w./-]+)`/g);
    expect([...linked, ...mentioned].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names only scripts of package.json', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
    expect(found(document, /npm run ([a-z:]+)/g).filter((script) => !(script in scripts))).toEqual([]);
  });
});

/** Commander's own. */
const NOT_COMMANDS = ['help'];

async function exampleConfig(readme: string): ReturnType<typeof loadConfig> {
  const dir = mkdtempSync(join(tmpdir(), 'readme-'));
  try {
    const file = join(dir, 'config.yaml');
    writeFileSync(file, found(readme, /```yaml\n([\s\S]*?)```/g)[0]!);
    return await loadConfig({ file, env: { GITHUB_TOKEN: 'a-token-of-the-reader' }, cwd: dir });
  } finally {
    rmSync(dir, { recursive: true });
  }
}
