import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { initCommand } from '../../src/commands/init.js';
import type { CommandIo, InitOptions } from '../../src/commands/io.js';
import { loadConfig } from '../../src/config/load.js';
import { systemClock } from '../../src/lib/clock.js';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'init-'))));
afterEach(() => rmSync(dir, { recursive: true }));

const ENV = { GITHUB_TOKEN: 'github-token', GITLAB_TOKEN: 'gitlab-token', OPENAI_API_KEY: 'openai-key' };

function flags(given: Partial<InitOptions>): InitOptions {
  return { verbose: false, quiet: false, repository: [], mcp: [], force: false, ...given };
}

interface Terminal {
  io: CommandIo;
  stdout: () => string;
  stderr: () => string;
}

/** Answers are given one by one, each when its question has been asked. */
function terminal(answers: string[] | null): Terminal {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const written = { stdout: '', stderr: '' };
  streams.stdout.on('data', (chunk) => (written.stdout += String(chunk)));
  streams.stderr.on('data', (chunk) => {
    written.stderr += String(chunk);
    const answer = / $/.test(String(chunk)) ? answers?.shift() : undefined;
    if (answer === '<end>') streams.stdin.end();
    else if (answer !== undefined) streams.stdin.write(`${answer}\n`);
  });
  if (answers) Object.assign(streams.stdin, { isTTY: true });
  const signal = new AbortController().signal;
  const io: CommandIo = { ...streams, env: {}, cwd: dir, clock: systemClock, isTTY: false, color: false, signal };
  return { io, stdout: () => written.stdout, stderr: () => written.stderr };
}

describe('with flags', () => {
  it('writes a private configuration that loads, without any secret in it', async () => {
    const { io } = terminal(null);
    const mcp = ['files=npx -y "@scope/server files" {workspace}'];
    await initCommand(flags({ repository: ['a/b', 'c/d'], model: 'm:1', language: 'ja', mcp }), io);
    const file = join(dir, 'config.yaml');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('token: ${GITHUB_TOKEN}');
    const config = await loadConfig({ env: ENV, cwd: dir });
    expect(config).toMatchObject({
      language: 'ja',
      github: { repositories: ['a/b', 'c/d'], username: null },
      llm: { provider: 'openai', model: 'm:1' },
      mcpServers: [{ name: 'files', command: ['npx', '-y', '@scope/server files', '{workspace}'] }],
    });
  });

  it('knows GitLab, groups, own servers and other providers', async () => {
    const { io } = terminal(null);
    const options = { forge: 'gitlab', group: 'my group/sub', apiUrl: 'https://git.example/api/v4' } as const;
    const model = { provider: 'ollama', model: 'true', baseUrl: 'http://10.0.0.1:11434' } as const;
    await initCommand(flags({ ...options, ...model, output: 'sub/my.yaml' }), io);
    const config = await loadConfig({ file: 'sub/my.yaml', env: ENV, cwd: dir });
    expect(config).toMatchObject({
      taskSources: ['gitlab'],
      gitlab: { group: 'my group/sub', apiUrl: 'https://git.example/api/v4' },
      llm: { provider: 'ollama', model: 'true', url: 'http://10.0.0.1:11434' },
    });
  });

  it('prints the crontab line with absolute paths on stdout, and what to do next on stderr', async () => {
    const { io, stdout, stderr } = terminal(null);
    await initCommand(flags({ owner: 'somebody', model: 'm', output: "it's 100%.yaml" }), io);
    expect(stdout()).toMatch(
      /^\* \* \* \* \* \. \/.*\/agent\.env; \/\S*node\S* \/\S+\/bin\/agent\.js run --config '\//,
    );
    expect(stdout()).toContain(`it'\\''s 100\\%.yaml'`);
    expect(stdout().trim().split('\n')).toHaveLength(1);
    expect(stderr()).toContain('export GITHUB_TOKEN=...');
    expect(stderr()).toContain('doctor');
    expect(stderr()).toContain('your own token');
  });

  it('overwrites only with --force, and the file is private afterwards', async () => {
    const file = join(dir, 'config.yaml');
    writeFileSync(file, 'mine');
    chmodSync(file, 0o644);
    const options = { repository: ['a/b'], model: 'm' };
    await expect(initCommand(flags(options), terminal(null).io)).rejects.toThrow('exists already');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    await initCommand(flags({ ...options, force: true }), terminal(null).io);
    expect(readFileSync(file, 'utf8')).toContain('a/b');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('says all that is missing at once', async () => {
    const error = {
      details: [expect.stringContaining('--repository'), expect.stringContaining('--model')],
      exitCode: 2,
    };
    await expect(initCommand(flags({}), terminal(null).io)).rejects.toMatchObject(error);
  });

  it('leaves nothing behind where the answers make no valid configuration', async () => {
    const wrong = initCommand(flags({ repository: ['nope'], model: 'm' }), terminal(null).io);
    await expect(wrong).rejects.toMatchObject({ details: [expect.stringContaining('must look like owner/repo')] });
    expect(existsSync(join(dir, 'config.yaml'))).toBe(false);
    expect(existsSync(join(dir, 'config.yaml.new'))).toBe(false);
  });

  it('says that the file cannot be written, and where else it could be', async () => {
    writeFileSync(join(dir, 'file'), '');
    for (const [output, force] of [['file/config.yaml', false] as const, ['.', true] as const]) {
      const error = { message: expect.stringContaining('cannot be written'), fix: expect.stringContaining('--output') };
      const wrong = initCommand(flags({ repository: ['a/b'], model: 'm', output, force }), terminal(null).io);
      await expect(wrong).rejects.toMatchObject({ ...error, exitCode: 2 });
    }
  });

  it.each([
    [{ owner: 'somebody' }, 'gitlab', '--group'],
    [{ group: 'team' }, 'github', '--owner'],
  ] as const)('refuses %j for %s, where it would do nothing', async (wrong, forge, right) => {
    const given = flags({ ...wrong, forge, repository: ['a/b'], model: 'm' });
    await expect(initCommand(given, terminal(null).io)).rejects.toMatchObject({ fix: expect.stringContaining(right) });
  });
});

describe('on a terminal', () => {
  it('asks, and asks again where an answer makes no sense', async () => {
    const { io, stderr } = terminal(['gitea', 'github', 'a/b c/d', '', '', 'gpt', 'en', 'run me', 'fs=run me', '']);
    await initCommand(flags({}), io);
    expect(await loadConfig({ env: ENV, cwd: dir })).toMatchObject({
      language: 'en',
      github: { repositories: ['a/b', 'c/d'] },
      llm: { provider: 'openai', model: 'gpt' },
      mcpServers: [{ name: 'fs', command: ['run', 'me'] }],
    });
    expect(stderr().match(/Where are the issues/g)).toHaveLength(2);
  });

  it('takes a bare name for everything that owner has', async () => {
    const { io } = terminal(['', 'somebody', 'ollama', 'llama', '', '']);
    await initCommand(flags({}), io);
    expect((await loadConfig({ env: ENV, cwd: dir })).github).toMatchObject({ owner: 'somebody', repositories: [] });
  });

  it('writes nothing where the answers end too soon', async () => {
    const { io } = terminal(['github', '<end>']);
    await expect(initCommand(flags({}), io)).rejects.toThrow('ended too soon');
    expect(existsSync(join(dir, 'config.yaml'))).toBe(false);
  });
});
