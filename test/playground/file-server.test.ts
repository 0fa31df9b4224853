import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

let dir: string;
let client: Client;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'file-server-'));
  mkdirSync(join(dir, 'project', 'src'), { recursive: true });
  writeFileSync(join(dir, 'secret.txt'), 'nobody reads this');
  writeFileSync(
    join(dir, 'project', 'a.test.js'),
    "import { test } from 'node:test';\ntest('a', () => { throw new Error('no'); });\n",
  );
  symlinkSync(join(dir, 'secret.txt'), join(dir, 'project', 'link.txt'));
  symlinkSync(dir, join(dir, 'project', 'up'));
  client = new Client({ name: 'test', version: '1' });
  const args = [join(process.cwd(), 'dist/file-server.js'), join(dir, 'project')];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
});
afterAll(async () => {
  await client.close();
  rmSync(dir, { recursive: true });
});

async function call(name: string, args: Record<string, string> = {}): Promise<{ failed: boolean; text: string }> {
  const { isError, content } = await client.callTool({ name, arguments: args });
  return { failed: isError === true, text: (content as { text: string }[])[0]!.text };
}

describe('the file server of the demo', () => {
  it('offers four tools', async () => {
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(['list_directory', 'read_file', 'write_file', 'run_tests']);
  });

  it('writes, lists and reads files of the folder', async () => {
    expect(await call('write_file', { path: 'src/new.txt', content: 'hello' })).toEqual({
      failed: false,
      text: 'wrote src/new.txt',
    });
    expect(await call('read_file', { path: 'src/new.txt' })).toEqual({ failed: false, text: 'hello' });
    expect((await call('list_directory')).text.split('\n')).toContain('src/');
  });

  it.each(['../secret.txt', 'link.txt', 'up/secret.txt', '/etc/passwd'])(
    'refuses %s, which is outside',
    async (path) => {
      expect(await call('read_file', { path })).toEqual({ failed: true, text: `${path} is outside of the project` });
      expect((await call('write_file', { path, content: 'mine now' })).failed).toBe(true);
      expect(readFileSync(join(dir, 'secret.txt'), 'utf8')).toBe('nobody reads this');
    },
  );

  it('tells the exit code of a test', async () => {
    expect((await call('run_tests', { path: 'a.test.js' })).text).toMatch(/^exit code 1\n/);
  });

  it('tells about a tool or a file that is not there', async () => {
    expect((await call('remove_file')).text).toBe('there is no tool remove_file');
    expect((await call('read_file', { path: 'none.txt' })).failed).toBe(true);
  });
});
