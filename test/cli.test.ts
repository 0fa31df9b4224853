import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { main, mayColour } from '../src/cli.js';
import type { CommandIo } from '../src/commands/io.js';
import { systemClock } from '../src/lib/clock.js';
import { Interrupted } from '../src/lib/exit.js';
import { packageRoot } from '../src/lib/package.js';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'cli-'))));
afterEach(() => rmSync(dir, { recursive: true }));

async function agent(
  argv: string[],
  signal = new AbortController().signal,
  color = false,
  cwd = dir,
): Promise<Outcome> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const io: CommandIo = { ...streams, env: {}, cwd, clock: systemClock, isTTY: false, color, signal };
  const code = await main(argv, io);
  return { code, stdout: String(streams.stdout.read() ?? ''), stderr: String(streams.stderr.read() ?? '') };
}

describe('a usage mistake exits with 2 and a hint', () => {
  it.each([
    ['an unknown command', ['runn'], /unknown command 'runn'\n\(Did you mean run\?\)\n\(`agent --help`/],
    ['an unknown option', ['run', '--onec'], /unknown option '--onec'\n\(Did you mean --once\?\)/],
    ['a missing task', ['stop'], /missing required argument 'task'/],
    ['one argument too many', ['clean', 'x'], /too many arguments/],
    ['a number that is none', ['run', '--max-tasks', '0'], /whole number above 0/],
    ['a choice that is none', ['init', '--forge', 'gitea'], /Allowed choices are github, gitlab/],
    ['verbose and quiet', ['-v', '-q', 'run'], /cannot be used with/],
    ['no command at all', [], /Usage: agent/],
  ])('%s', async (_what, argv, message) => {
    const { code, stdout, stderr } = await agent(argv);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
  });
});

it('shows help and version on stdout', async () => {
  expect(await agent(['run', '--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('--dry-run'),
    stderr: '',
  });
  expect(await agent(['-V'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

const INIT = ['--repository', 'a/b', '--model', 'm'];

it.each([
  ['before', ['--config', 'mine.yaml', 'init', ...INIT]],
  ['after', ['init', ...INIT, '-c', 'mine.yaml']],
])('takes global options %s the command', async (_where, argv) => {
  const { code, stdout } = await agent(argv);
  expect(code).toBe(0);
  expect(stdout).toContain('mine.yaml');
});

it("prints the operator's mistake with its details and the fix", async () => {
  writeFileSync(join(dir, 'config.yaml'), '');
  const { code, stderr } = await agent(['init', ...INIT]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^agent: .*config\.yaml exists already\n {2}Overwrite it with --force/);
  expect((await agent(['init', '--output', 'x.yaml'])).stderr).toContain('\n  - --model <name>\n');
});

describe('--json is one document on stdout where nothing could be done, too', () => {
  it.each([
    ['a usage mistake', ['run', '--json', '--onec'], ["error: unknown option '--onec'\n(Did you mean --once?)"]],
    ['a missing configuration', ['status', '--json', '-c', 'none.yaml'], [expect.stringContaining('none.yaml')]],
    ['a mistake in the configuration', ['run', '--json'], expect.arrayContaining([expect.stringContaining('languge')])],
  ])('%s', async (_what, argv, problems) => {
    writeFileSync(join(dir, 'config.yaml'), 'languge: en');
    const { code, stdout, stderr } = await agent(argv);
    expect([code, JSON.parse(stdout)]).toEqual([2, { exit_code: 2, tasks: [], problems }]);
    expect(stderr).not.toBe('');
  });

  it('a signal', async () => {
    const { stdout } = await agent(['run', '--json'], AbortSignal.abort(new Interrupted('SIGTERM')));
    expect(JSON.parse(stdout)).toMatchObject({ exit_code: 143, tasks: [] });
  });
});

it('says an unexpected error in one line, and shows the stack with --verbose', async () => {
  const nowhere = (argv: string[]): Promise<Outcome> => agent(argv, undefined, false, null as never);
  const short = await nowhere(['status']);
  expect(short.code).toBe(1);
  expect(short.stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^agent: unexpected error: .*details in the log/),
  ]);
  expect((await nowhere(['status', '-v'])).stderr.trim().split('\n').length).toBeGreaterThan(1);
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('exits as %s asks, whatever the command made of it', async (name, code) => {
  expect((await agent(['init', ...INIT], AbortSignal.abort(new Interrupted(name)))).code).toBe(code);
});

describe('colours', () => {
  it.each([
    ['a terminal', true, {}, true],
    ['a pipe', false, {}, false],
    ['NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', true, { NO_COLOR: '' }, true],
  ])('%s', (_what, isTTY, env, coloured) => expect(mayColour(isTTY, env)).toBe(coloured));

  it.each([
    ['are there', ['doctor'], true],
    ['are gone with --no-color', ['doctor', '--no-color'], false],
  ])('%s', async (_what, argv, coloured) => {
    writeFileSync(join(dir, 'config.yaml'), 'languge: en');
    const { stdout } = await agent(argv, new AbortController().signal, true);
    expect(stdout).toContain('languge');
    expect(stdout.includes('\u001b[')).toBe(coloured);
  });
});

it('runs as a program, and bears a reader that leaves early', () => {
  const script = `"${process.execPath}" "${join(packageRoot(), 'bin', 'agent.js')}" --help | head -n 1`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect(stdout).toBe('Usage: agent [options] [command]\n');
  expect(stderr).toBe('');
});
