import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { LABEL, REPO, setStage, type Finished, type Stage } from './stage.js';

let stage: Stage;
afterEach(() => stage.close());

const done = () => ({ done: true as const, comment: 'Done.' });
const PAUSE = 1000;

/** Three repositories with items of different ages, two of them in the first one. */
function threeRepositories(): void {
  for (const path of ['octo/second', 'octo/third']) {
    stage.world.addRepository(path);
    for (const login of ['alice', 'agent-bot']) stage.world.setAccess(path, login, 'write');
  }
  const add = (path: string, title: string, minute: number): void =>
    void stage.world.addIssue(path, {
      title,
      author: 'alice',
      labels: [LABEL],
      createdAt: Date.UTC(2026, 0, 1, 0, minute),
    });
  add(REPO, 'newest here', 9);
  add('octo/third', 'of the third', 5);
  add(REPO, 'oldest', 1);
  add('octo/second', 'of the second', 7);
  stage.configure({ github: { repositories: [REPO, 'octo/second', 'octo/third'] } });
}

describe('agent run', () => {
  test('--dry-run prints the work in its order, in turns over the repositories, and writes nothing anywhere', async () => {
    stage = await setStage({ script: done });
    threeRepositories();
    const { code, stdout, stderr } = await stage.agent('run', '--dry-run');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toEqual([
      'would work on octo/hello#2 (oldest)',
      'would work on octo/third#1 (of the third)',
      'would work on octo/second#1 (of the second)',
      'would work on octo/hello#1 (newest here)',
    ]);
    expect(readdirSync(stage.dir)).toEqual(['config.yaml']);
    const json = await stage.agent('run', '--dry-run', '--json', '--max-tasks', '1');
    expect(JSON.parse(json.stdout)).toEqual({
      exit_code: 0,
      would_do: [{ task: 'octo/hello#2', source: 'github', kind: 'first', title: 'oldest' }],
      problems: [],
    });
    expect(stage.playground.journal.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect([stage.model.requests.length, existsSync(stage.dataDir)]).toEqual([0, false]);
  });

  test('--max-tasks, --task and --json work on what was asked for; a second dry run leaves the data folder alone', async () => {
    stage = await setStage({ script: done });
    threeRepositories();
    const first = await stage.agent('run', '--json', '--max-tasks', '1');
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(JSON.parse(first.stdout)).toEqual({
      exit_code: 0,
      tasks: [{ task: 'octo/hello#2', source: 'github', kind: 'first', outcome: 'completed', message: 'done' }],
      problems: [],
    });
    expect((await stage.agent('run', '--task', 'octo/second#1')).code).toBe(0);
    expect(stage.query('SELECT repo, task_id FROM tasks ORDER BY rowid')).toEqual([
      { repo: 'hello', task_id: '2' },
      { repo: 'second', task_id: '1' },
    ]);
    const settled = await stage.agent('run', '--task', 'octo/second#1');
    expect([settled.code, settled.stderr]).toEqual([
      2,
      expect.stringMatching(/octo\/second#1 is not ours to work on now[^]*awaiting-response/),
    ]);
    const unknown = await stage.agent('run', '--task', 'octo/hello#99');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('octo/hello#99')]);
    stage.query('PRAGMA wal_checkpoint(TRUNCATE)');
    const rows = (): string =>
      JSON.stringify([stage.query('SELECT * FROM responses'), stage.query('SELECT * FROM conversations')]);
    const before = rows();
    const planned = await stage.agent('run', '--dry-run');
    expect(planned.stdout).toBe(
      'would work on octo/third#1 (of the third)\nwould work on octo/hello#1 (newest here)\n',
    );
    expect(rows()).toBe(before);
  });

  test('--dry-run leaves no file behind where a request fails and where a database was read', async () => {
    stage = await setStage({ script: done });
    stage.issue();
    stage.playground.faults.add({ kind: 'fail_before', status: 502, times: 1 });
    expect((await stage.agent('run', '--dry-run')).code).toBe(0);
    expect(readdirSync(stage.dir)).toEqual(['config.yaml']);
    await stage.tick();
    const before = readdirSync(stage.dataDir);
    rmSync(join(stage.dir, 'logs'), { recursive: true });
    for (const args of [['run', '--dry-run'], ['status']]) expect((await stage.agent(...args)).code).toBe(0);
    expect([readdirSync(stage.dataDir), existsSync(join(stage.dir, 'logs'))]).toEqual([before, false]);
  });

  test.each([
    ['a refused token', { kind: 'fail_before', status: 401, times: 10 }, 3, /token/],
    ['a forge that cannot be asked', { kind: 'primary_limit', resetInSeconds: 3600, times: 10 }, 4, /limit/],
  ] as const)(
    '--task tells %s from a task that nobody knows',
    async (_what, fault, code, message) => {
      stage = await setStage({ script: done });
      stage.issue();
      stage.playground.faults.add(fault);
      for (const task of ['octo/hello#1', 'github:octo/hello#1']) {
        const planned = await stage.agent('run', '--dry-run', '--json', '--task', task);
        expect([planned.code, JSON.parse(planned.stdout)]).toEqual([
          code,
          { exit_code: code, would_do: [], problems: [expect.stringMatching(message)] },
        ]);
      }
      const asked = await stage.agent('run', '--task', 'octo/hello#1');
      expect(asked).toEqual({ code, stdout: '', stderr: expect.stringMatching(message) });
      expect((await stage.agent('run', '--task', 'abcd1234')).stderr).toContain('No task is known as abcd1234');
    },
    60_000,
  );

  test('--task on an item that a stranger labelled takes the label off and is exit 2 with the reason', async () => {
    stage = await setStage({ script: done });
    const n = stage.issue({ labelled: false });
    stage.world.label(REPO, n, LABEL, 'mallory');
    const reason = 'agent: octo/hello#1 was labelled by @mallory, who may not ask for work\n';
    const planned = await stage.agent('run', '--dry-run', '--task', 'octo/hello#1');
    expect([planned.code, planned.stderr, stage.labels(n)]).toEqual([2, reason, [LABEL]]);
    expect(await stage.agent('run', '--task', 'octo/hello#1')).toEqual({ code: 2, stdout: '', stderr: reason });
    expect([stage.labels(n), stage.comments(n)]).toEqual([[], []]);
    stage.world.label(REPO, n, LABEL, 'mallory');
    expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('--once shows progress on stderr without a terminal, and says when there is nothing to do', async () => {
    stage = await setStage({ script: done });
    stage.issue();
    expect(await stage.agent('run', '--once')).toEqual({
      code: 0,
      stdout: '',
      stderr: '… work on octo/hello#1 (Fix the greeting)\n✓ octo/hello#1: done\n',
    });
    expect(await stage.agent('run', '--once')).toEqual({ code: 0, stdout: '', stderr: 'Nothing to do.\n' });
  });

  test('the same complaint is made once an hour to cron, and every time to a person', async () => {
    stage = await setStage({ script: done });
    stage.configure({ github: { repositories: ['octo/gone'] } });
    const complaint = { code: 4, stdout: '', stderr: expect.stringMatching(/^agent: .*octo\/gone.*\n$/) };
    for (const args of [[], ['--once'], ['--once'], ['--task', 'octo/gone#1']])
      expect(await stage.agent('run', ...args)).toEqual(complaint);
    expect(await stage.tick()).toEqual({ code: 4, stdout: '', stderr: '' });
    const file = join(stage.dataDir, 'said.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    stage.ageComplaints();
    expect(await stage.tick()).toEqual(complaint);
    writeFileSync(file, '{"cut sho');
    expect(await stage.tick()).toEqual(complaint);
  });

  test('a rate limit that goes on is the same complaint, whatever time and request it names', async () => {
    stage = await setStage({ script: done });
    const limited = async (retryAfter: number): Promise<Finished> => {
      stage.playground.faults.add({ kind: 'secondary_403', retryAfter });
      const finished = await stage.tick();
      stage.query("DELETE FROM facts WHERE key = 'limited:github'"); // as if that time had come
      return finished;
    };
    const stderr = expect.stringMatching(/^agent: GitHub wants no request before 20\S+ \(403 .* request ID .*\n$/);
    expect(await limited(600)).toEqual({ code: 4, stdout: '', stderr });
    expect(await limited(1200)).toEqual({ code: 4, stdout: '', stderr: '' });
  });

  test('what is the same at every tick and ends it is said once an hour, with its exit code and its document', async () => {
    stage = await setStage({ script: done });
    await stage.tick();
    writeFileSync(join(stage.dataDir, 'tasks.db'), 'this is no database, whatever its name says');
    const first = await stage.tick();
    expect(first).toEqual({ code: expect.any(Number), stdout: '', stderr: expect.stringContaining('tasks.db') });
    expect(first.code).not.toBe(0);
    expect(await stage.tick()).toEqual({ code: first.code, stdout: '', stderr: '' });
    const { stdout, stderr } = await stage.agent('run', '--json');
    expect([JSON.parse(stdout), stderr]).toEqual([
      { exit_code: first.code, tasks: [], problems: expect.arrayContaining([expect.stringContaining('tasks.db')]) },
      '',
    ]);
    expect((await stage.agent('run', '--once')).stderr).toBe(first.stderr);
  });

  test('a log that cannot be written is said once an hour to cron, and the work is done', async () => {
    stage = await setStage({ script: done });
    writeFileSync(join(stage.dir, 'no-folder'), '');
    stage.configure({ logging: { dir: join(stage.dir, 'no-folder', 'logs') } });
    const complaint = { code: 0, stdout: '', stderr: expect.stringMatching(/^the log in .*going on without it\n$/) };
    const n = stage.issue();
    expect(await stage.tick()).toEqual(complaint);
    expect(stage.labels(n)).toEqual(['awaiting-response']);
    stage.issue();
    expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('limits.max_tasks_per_run ends a tick early, and --max-tasks outdoes it', async () => {
    stage = await setStage({ script: done, config: { limits: { max_tasks_per_run: 1 } } });
    const numbers = [1, 2, 3, 4].map(() => stage.issue());
    const taken = () => numbers.filter((n) => !stage.labels(n).includes(LABEL)).length;
    expect((await stage.tick()).code).toBe(0);
    expect(taken()).toBe(1);
    expect((await stage.agent('run', '--max-tasks', '2')).code).toBe(0);
    expect(taken()).toBe(3);
  });

  test('an item that its forge fails is none of them: the next one is not kept waiting at every tick', async () => {
    stage = await setStage({ script: done, config: { limits: { max_tasks_per_run: 1 } } });
    const [bad, good] = [stage.issue(), stage.issue()];
    stage.playground.faults.add({ kind: 'fail_before', status: 451, path: new RegExp(`issues/${bad}$`), times: 100 });
    expect((await stage.tick()).code).toBe(0);
    expect([stage.labels(bad), stage.labels(good)]).toEqual([[LABEL], ['awaiting-response']]);
  });

  test('a lock held by another tick is a silent 0 for cron and 75 for --once', async () => {
    stage = await setStage({ script: done });
    expect((await stage.tick()).code).toBe(0);
    const n = stage.issue();
    const held = new Database(join(stage.dataDir, 'run.lock'), { timeout: PAUSE });
    try {
      held.exec('BEGIN EXCLUSIVE');
      stage.playground.journal.clear();
      expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
      const asked = await stage.agent('run', '--once');
      expect([asked.code, asked.stdout, asked.stderr]).toEqual([
        75,
        '',
        expect.stringContaining('Another tick is at work'),
      ]);
      for (const [args, exit_code] of [[['--json'], 0] as const, [['--json', '--once'], 75] as const]) {
        const { code, stdout } = await stage.agent('run', ...args);
        const problems = ['Another tick is at work on this data folder.'];
        expect([code, JSON.parse(stdout)]).toEqual([exit_code, { exit_code, tasks: [], problems }]);
      }
      expect([...stage.playground.journal]).toEqual([]);
      expect(stage.labels(n)).toEqual([LABEL]);
    } finally {
      held.close();
    }
  });
});

describe('agent run while everything is paused', () => {
  test('--json says so in its document', async () => {
    stage = await setStage({ script: done });
    stage.issue();
    expect((await stage.agent('pause')).code).toBe(0);
    const { code, stdout, stderr } = await stage.agent('run', '--json');
    const problems = [expect.stringContaining('`agent resume` removes it')];
    expect([code, JSON.parse(stdout), stderr]).toEqual([0, { exit_code: 0, tasks: [], problems }, '']);
  });

  test('--dry-run says that nothing would be done, and why', async () => {
    stage = await setStage({ script: done });
    stage.issue();
    await stage.agent('pause');
    const { code, stdout } = await stage.agent('run', '--dry-run');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Nothing would be done\. Paused: .*pause_signal exists/),
    ]);
    const json = await stage.agent('run', '--dry-run', '--json');
    const problems = [expect.stringContaining('pause_signal exists')];
    expect(JSON.parse(json.stdout)).toEqual({ exit_code: 0, would_do: [], problems });
  });
});

describe.each(['github', 'gitlab'] as const)('on %s', (forge) => {
  test('an idle tick prints nothing and makes conditional requests only, all answered 304', async () => {
    stage = await setStage({ forge, script: done });
    stage.issue();
    expect((await stage.tick()).code).toBe(0); // now one conversation waits
    for (const item of stage.world.state.repositories.get(REPO)!.items) item.updatedAt -= 120_000; // GitLab shows a thread in its item once a minute
    expect((await stage.tick()).code).toBe(0);
    stage.playground.journal.clear();
    expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
    const seen = stage.playground.journal.map(({ method, status, conditional }) => [method, status, conditional]);
    const perList = forge === 'github' ? 1 : 2; // GitLab lists issues and merge requests apart
    expect(seen).toEqual(Array(2 * perList).fill(['GET', 304, true]));
  });

  test('the whole owner or group is searched, pull and merge requests included, closed items left out', async () => {
    stage = await setStage({ forge, script: done });
    stage.world.addRepository('octo/second');
    for (const login of ['alice', 'agent-bot']) stage.world.setAccess('octo/second', login, 'write');
    stage.world.addRepository('elsewhere/third');
    stage.configure({
      [forge]: forge === 'github' ? { owner: 'octo', repositories: [] } : { group: 'octo', projects: [] },
    });
    const n = stage.issue();
    const change = stage.world.addPullRequest('octo/second', {
      title: 'Change',
      author: 'alice',
      head: 'a',
      base: 'main',
      labels: [LABEL],
    });
    const closed = stage.issue({ title: 'Closed' });
    stage.world.close(REPO, closed, 'alice');
    const foreign = stage.world.addIssue('elsewhere/third', { title: 'Foreign', author: 'alice', labels: [LABEL] });
    expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
    const ref = (forge === 'gitlab' ? `!${change}` : change) as number;
    expect([stage.labels(n), stage.world.labels('octo/second', ref)]).toEqual([
      ['awaiting-response'],
      ['awaiting-response'],
    ]);
    expect([stage.labels(closed), stage.world.labels('elsewhere/third', foreign)]).toEqual([[LABEL], [LABEL]]);
  });
});
