import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished, LABEL, REPO, setStage, type Stage } from './stage.js';

let stage: Stage;
beforeEach(async () => {
  stage = await setStage({
    script: ({ messages }) => {
      if (messages.some(({ content }) => content.startsWith('<conversation>'))) return { text: 'Summary.' };
      if (messages.some(({ role }) => role === 'tool')) return { done: true, comment: 'Done.' };
      return { text: 'Noting.', toolCalls: [{ tool: 'notes/note', args: { text: 'hello' } }] };
    },
  });
});
afterEach(() => stage.close());

const configFile = (): string => join(stage.dir, 'config.yaml');

/** Nothing was run: no request, no folder, and the issue as it was. */
async function refusedWith(pattern: RegExp): Promise<string> {
  const n = stage.issue();
  const { code, stdout, stderr } = await stage.tick();
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(pattern);
  expect([...stage.playground.journal, ...stage.model.requests]).toEqual([]);
  expect(stage.labels(n)).toEqual([LABEL]);
  return stderr;
}

describe('a configuration that cannot be used', () => {
  test('broken YAML is shown with line and column', async () => {
    writeFileSync(configFile(), 'task_source: github\ngithub: [unclosed\nllm: {}\n');
    await refusedWith(/config\.yaml is not valid\n {2}- line 3, column \d+: /);
    expect(existsSync(stage.dataDir)).toBe(false);
  });

  test('all mistakes are told at once, an unknown key with the nearest one, an unset variable with its key', async () => {
    stage.configure({ languge: 'en', max_llm_process_num: -3, progress_comments: 'loud' });
    stage.configure({ github: { token: '${NOT_SET_ANYWHERE}' } });
    const stderr = await refusedWith(/^agent: the configuration .*config\.yaml is not valid/);
    expect(stderr).toMatch(/languge.*language/);
    expect(stderr).toMatch(/max_llm_process_num/);
    expect(stderr).toMatch(/progress_comments.*sticky/);
    expect(stderr).toMatch(/github\.token.*NOT_SET_ANYWHERE/);
    expect(existsSync(stage.dataDir)).toBe(false);
  });

  test('a file that was named and is missing, and a command that does not exist, are exit 2', async () => {
    const missing = await stage.agent('run', '--config', 'nowhere.yaml');
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('nowhere.yaml')]);
    const usage = await stage.agent('walk');
    expect([usage.code, usage.stdout, usage.stderr]).toEqual([2, '', expect.stringContaining('walk')]);
  });
});

describe('a data folder that cannot be used', () => {
  test('not a folder that can be written: exit 2, nothing claimed', async () => {
    writeFileSync(join(stage.dir, 'file'), '');
    stage.configure({ context_storage: { base_dir: 'file/contexts' } });
    await refusedWith(/^agent: .*file\/contexts[^]*(writable|belongs to you)/);
  });

  test('a database from a newer version is refused and left as it was', async () => {
    expect((await stage.tick()).code).toBe(0);
    stage.query("INSERT INTO migrations VALUES ('999_from_the_future', '2100-01-01T00:00:00.000Z')");
    stage.query('PRAGMA wal_checkpoint(TRUNCATE)');
    const before = readFileSync(join(stage.dataDir, 'tasks.db'));
    stage.playground.journal.clear();
    await refusedWith(/newer version[^]*999_from_the_future/);
    expect(readFileSync(join(stage.dataDir, 'tasks.db')).equals(before)).toBe(true);
  });

  test('a broken folder of an attempt means: start anew', async () => {
    const n = stage.issue();
    stage.model.onRequest = (index, phase) => (index === 1 && phase === 'before' ? 'hang' : undefined);
    const child = stage.start(['run']);
    const killed = new Promise((resolve) => child.once('exit', resolve));
    await until(() => stage.model.requests.length === 2);
    child.kill('SIGKILL');
    await killed;
    stage.model.onRequest = null;
    const { uuid } = stage.attempt();
    for (const file of readdirSync(join(stage.dataDir, uuid))) {
      if (file.endsWith('.jsonl')) writeFileSync(join(stage.dataDir, uuid, file), '{"seq": 1, broken\n\0\0');
    }
    expect((await stage.tick()).code).toBe(0);
    expect(stage.labels(n)).toEqual(['awaiting-response']);
    expect(stage.kinds(n)).toEqual(['progress', 'result']);
  });
});

describe('a repository that vanished', () => {
  test('is told, and the others are worked on all the same, those that wait included', async () => {
    stage.world.addRepository('octo/other');
    for (const login of ['alice', 'agent-bot']) stage.world.setAccess('octo/other', login, 'write');
    const waiting = stage.world.addIssue('octo/other', { title: 'First', author: 'alice', labels: [LABEL] });
    stage.configure({ github: { repositories: ['octo/other', REPO] } });
    const earlier = stage.issue();
    expect((await stage.tick()).code).toBe(0);
    expect(stage.world.labels('octo/other', waiting)).toEqual(['awaiting-response']);
    stage.world.deleteRepository('octo/other');
    stage.query("UPDATE outbox SET body = 'Sent late. ' || body WHERE kind = 'result'"); // as if it could not be sent before
    const n = stage.issue();
    const { code, stderr } = await stage.tick();
    expect([code, stderr]).toEqual([4, expect.stringMatching(/^agent: [^\n]*octo\/other[^\n]*\n$/)]);
    expect(stage.labels(n)).toEqual(['awaiting-response']);
    expect(stage.comments(earlier).at(-1)!.body).toMatch(/^Sent late\. /);
    expect(stage.query("SELECT state FROM conversations WHERE repo = 'other'")).toEqual([
      { state: 'awaiting-response' },
    ]);
  });
});

/** A folder of a few hundred kilobytes, in a mount namespace of its own: gone with the process. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

if (canMount) {
  test('a full disk: exit 1, no "done", and with room again the next tick finishes the work', async () => {
    const n = stage.issue();
    mkdirSync(stage.dataDir);
    const agent = `"${process.execPath}" "${join(process.cwd(), 'bin/agent.js')}"`;
    const script = [
      'mount -t tmpfs -o size=4m tmpfs contexts || exit 99',
      `${agent} clean > /dev/null`, // makes the database
      'head -c 9000000 /dev/zero > contexts/filler 2>/dev/null',
      'truncate -s -150k contexts/filler',
      `${agent} run`,
      'echo "full: $?"',
      'rm contexts/filler',
      `${agent} run`,
      'echo "room: $?"',
    ].join('\n');
    const child = stage.start(['-rm', 'sh', '-c', script], { program: 'unshare' });
    let seen = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      if (seen === '' && chunk.toString().includes('full:')) seen = JSON.stringify([stage.labels(n), stage.kinds(n)]);
    });
    const { stdout, stderr } = await finished(child);
    expect(stdout).toBe('full: 1\nroom: 0\n');
    expect(stderr).toMatch(/^agent: \S*contexts cannot be written \([^\n]*(ENOSPC|full)[^\n]*make room there[^\n]*\n$/);
    expect(stage.log()).toMatch(/the tick broke off.*(ENOSPC|full)/);
    expect(seen).toContain('coding agent processing');
    expect(seen).not.toMatch(/result|awaiting|done|failed/);
    expect(stage.labels(n)).toEqual(['awaiting-response']);
    expect(stage.kinds(n)).toEqual(['progress', 'result']);
    expect(stage.notes).toEqual(['hello']);
  });
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
