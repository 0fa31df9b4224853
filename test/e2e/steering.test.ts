import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SummaryLine } from '../../src/records.js';
import { finished, LABEL, REPO, setStage, type ForgeName, type Stage, type StageOptions } from './stage.js';
import {
  ago,
  changeBy,
  done,
  expectRest,
  isSummary,
  note,
  reactionsOn,
  requests,
  talk,
  times,
  turnRequests,
  type Ref,
  type Talk,
} from './talk.js';

let stage: Stage;
afterEach(() => stage.close());

const PAUSED = 'coding agent paused';

async function play(script: Talk, options: Partial<StageOptions> = {}): Promise<void> {
  stage = await setStage({ script: talk(script), ...options });
}

function say(ref: Ref, author: string, body: string): number {
  return stage.world.comment(REPO, ref, { author, body });
}

function signalFile(): string {
  return join(stage.dataDir, 'pause_signal');
}

/** What is done while the n-th request to the model waits for its answer. */
function duringRequest(n: number, act: () => unknown): void {
  stage.model.onRequest = async (index, phase) => {
    if (index === n && phase === 'before') await act();
  };
}

interface Way {
  forge?: ForgeName;
  by: 'person' | 'signal_file';
  pause: (n: Ref) => unknown;
  resume: (n: Ref) => unknown;
}

const WAYS: Record<string, Way> = {
  'the shell': {
    by: 'person',
    pause: () => stage.agent('pause', `${REPO}#1`),
    resume: () => stage.agent('resume', `${REPO}#1`),
  },
  'the thread': {
    by: 'person',
    pause: (n) => say(n, 'alice', '/agent pause'),
    resume: (n) => say(n, 'alice', '/agent resume'),
  },
  'the thread of a GitLab issue': {
    ...{ forge: 'gitlab', by: 'person' },
    pause: (n) => say(n, 'alice', '/agent pause'),
    resume: (n) => say(n, 'alice', '/agent resume'),
  },
  'the label': {
    by: 'person',
    pause: (n) => stage.world.label(REPO, n, PAUSED, 'alice'),
    resume: (n) => stage.world.unlabel(REPO, n, PAUSED, 'alice'),
  },
  'the label of the person who lent the token': {
    by: 'person',
    pause: (n) => stage.world.label(REPO, n, PAUSED, 'agent-bot'),
    resume: (n) => stage.world.label(REPO, n, LABEL, 'agent-bot'),
  },
  'the label on GitLab, and going on by the request label': {
    ...{ forge: 'gitlab', by: 'person' },
    pause: (n) => stage.world.label(REPO, n, PAUSED, 'alice'),
    resume: (n) => stage.world.label(REPO, n, LABEL, 'alice'),
  },
  'the signal file': {
    by: 'signal_file',
    pause: () => writeFileSync(signalFile(), ''),
    resume: () => rmSync(signalFile()),
  },
};

test.each(Object.keys(WAYS))('paused and resumed by %s, nothing is said, done or counted twice', async (name) => {
  const way = WAYS[name]!;
  await play({ turns: [note('one'), note('two', 1050), note('three'), done()] }, { forge: way.forge ?? 'github' });
  const n = stage.issue();
  duringRequest(1, () => way.pause(n));
  expect(await stage.tick()).toMatchObject({ code: 0, stderr: '' });
  expect(stage.attempt()).toMatchObject({ status: 'paused', paused_by: way.by, llm_call_count: 2, tool_call_count: 2 });
  expect(stage.labels(n)).toEqual([PAUSED]);
  expect(stage.notes).toEqual(['one', 'two']);
  const pausedKinds = way.by === 'person' ? ['progress', 'paused'] : ['progress'];
  expect(stage.kinds(n)).toEqual(pausedKinds);
  await expectRest(stage, n);

  const { uuid } = stage.attempt();
  await way.resume(n);
  await stage.tick();
  expect(stage.notes).toEqual(['one', 'two', 'three']);
  expect(stage.attempt()).toMatchObject({ uuid, status: 'completed', turn_count: 4, tool_call_count: 3 });
  expect(stage.kinds(n)).toEqual([...pausedKinds, 'result']);
  expect(stage.labels(n)).toEqual(['awaiting-response']);
  const [, second, third] = turnRequests(stage);
  expect(third!.slice(0, second!.length)).toEqual(second);
  expect(stage.shown(3)).not.toContain('/agent');
  for (const comment of stage.world.comments(REPO, n)) {
    if (comment.body.startsWith('/agent'))
      expect(reactionsOn(stage, n, comment.id)).toEqual([stage.forge === 'github' ? '+1' : 'thumbsup']);
  }
});

test('with the signal file in place a tick asks nobody anything, and pause_resume.enabled: false ignores it', async () => {
  await play({ turns: [done()] });
  const n = stage.issue();
  await stage.agent('pause');
  expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(stage.playground.journal).toHaveLength(0);
  stage.configure({ pause_resume: { enabled: false } });
  await stage.tick();
  expect(stage.labels(n)).toEqual(['awaiting-response']);
});

test('paused by the signal file, it goes on when the signal file is no longer heeded', async () => {
  await play({ turns: [note('one'), done()] });
  const n = stage.issue();
  duringRequest(0, () => writeFileSync(signalFile(), ''));
  await stage.tick();
  expect(stage.labels(n)).toEqual([PAUSED]);
  stage.configure({ pause_resume: { enabled: false } });
  await stage.tick();
  expect(stage.notes).toEqual(['one']);
  expect(stage.labels(n)).toEqual(['awaiting-response']);
});

test('a paused label that is ours, left behind because it could not be taken off, pauses nothing again', async () => {
  await play({ turns: [note('one'), done()] }, { config: { github: { username: 'agent-bot' } } });
  const n = stage.issue();
  duringRequest(0, () => stage.agent('pause', `${REPO}#1`));
  await stage.tick();
  await stage.agent('resume', `${REPO}#1`);
  stage.playground.faults.add({ kind: 'fail_before', status: 422, method: 'POST', path: '/labels', times: 1 });
  await stage.tick();
  expect(stage.attempt()).toMatchObject({ status: 'completed' });
  expect(stage.labels(n)).toEqual(['awaiting-response']);
});

const STOPS: Record<
  string,
  { reason: string; stop: (ref: Ref) => unknown; before?: (ref: Ref) => void; change?: boolean; forge?: ForgeName }
> = {
  'the shell': { reason: 'A person asked for it.', stop: () => stage.agent('stop', `${REPO}#1`) },
  'the thread': { reason: 'A person asked for it.', stop: (n) => say(n, 'alice', '/agent stop') },
  'taking the label off': {
    reason: 'The processing label was taken off.',
    stop: (n) => stage.world.unlabel(REPO, n, 'coding agent processing', 'alice'),
  },
  'closing a GitLab issue': {
    forge: 'gitlab',
    reason: 'The item was closed.',
    stop: (n) => stage.world.close(REPO, n, 'alice'),
  },
  merging: { change: true, reason: 'It was merged.', stop: (n) => stage.world.merge(REPO, n, 'alice') },
  unassigning: {
    reason: 'The agent was unassigned.',
    before: (n) => stage.world.assign(REPO, n, 'agent-bot', 'alice'),
    stop: (n) => stage.world.unassign(REPO, n, 'agent-bot', 'alice'),
  },
  'unassigning on GitLab': {
    forge: 'gitlab',
    reason: 'The agent was unassigned.',
    before: (n) => stage.world.assign(REPO, n, 'agent-bot', 'alice'),
    stop: (n) => stage.world.unassign(REPO, n, 'agent-bot', 'alice'),
  },
  'the thread of a pull request': {
    change: true,
    reason: 'A person asked for it.',
    stop: (ref) => say(ref, 'alice', '/agent stop'),
  },
  'the thread of a merge request': {
    ...{ change: true, forge: 'gitlab' },
    reason: 'A person asked for it.',
    stop: (ref) => say(ref, 'alice', '/agent stop'),
  },
};

test.each(Object.keys(STOPS))(
  'stopped by %s: the summary is written, the work kept, the thread told why and how to go on',
  async (name) => {
    const { reason, stop, before, change, forge = 'github' } = STOPS[name]!;
    await play({ turns: [note('one'), done('Too late.')] }, { forge });
    const ref: Ref = change ? changeBy(stage) : stage.issue();
    before?.(ref);
    duringRequest(1, () => stop(ref));
    expect(await stage.tick()).toMatchObject({ code: 0, stderr: '' });
    expect(stage.attempt()).toMatchObject({ status: 'stopped', tool_call_count: 1 });
    expect(stage.labels(ref)).toEqual(['coding agent stopped']);
    expect(stage.kinds(ref)).toEqual(['progress', 'stopped']);
    expect(stage.comments(ref).at(-1)!.body).toContain(reason);
    expect(stage.comments(ref).at(-1)!.body).toContain(`\`${LABEL}\``);
    const summaries = stage.lines<SummaryLine>(stage.attempt().uuid, 'summaries.jsonl');
    expect(summaries.filter((line) => line.final).map((line) => line.summary)).toEqual([
      'Summary: the greeting was looked at.',
    ]);
    expect(stage.notes).toEqual(['one']);
  },
);

test('`agent retry` begins a new attempt at what was stopped, and the stop does not haunt it', async () => {
  await play({ turns: [note('one'), done()] });
  const n = stage.issue();
  duringRequest(1, () => stage.agent('stop', `${REPO}#1`));
  await stage.tick();
  expect(await stage.agent('retry', `${REPO}#1`)).toMatchObject({ code: 0 });
  stage.model.onRequest = null;
  await stage.tick();
  expect(stage.labels(n)).toEqual(['awaiting-response']);
  expect(stage.attempt()).toMatchObject({ status: 'completed', follow_up: 0 });
  expect(times(turnRequests(stage).at(-1), 'Summary of the previous attempt: ')).toBe(1);
  expect(stage.query('SELECT * FROM wishes')).toEqual([]);
});

test('commands of strangers are neither obeyed nor shown; `/agent status` is heard and changes nothing; the last word counts', async () => {
  const ids: number[] = [];
  let n = 0;
  const meanwhile = (turn: number): void => {
    if (turn !== 0) return;
    ids.push(
      say(n, 'mallory', '/agent stop'),
      say(n, 'alice', '/agent status'),
      say(n, 'alice', '/agent pause'),
      say(n, 'alice', '/agent resume'),
    );
    say(n, 'alice', 'Is `/agent stop` a thing?');
  };
  await play({ turns: [done(), done()], meanwhile });
  n = stage.issue();
  await stage.tick();
  expect(stage.labels(n)).toEqual(['awaiting-response']);
  expect(ids.map((id) => reactionsOn(stage, n, id))).toEqual([[], ['+1'], ['+1'], ['+1']]);
  expect(turnRequests(stage)[1]!.at(-1)!.content).toBe('[New Comment from @alice]:\nIs `/agent stop` a thing?');
});

test.each<[string, (n: number) => unknown, string, ForgeName?]>([
  ['/agent stop', (n) => say(n, 'alice', '/agent stop'), 'A person asked for it.'],
  ['closing it', (n) => stage.world.close(REPO, n, 'alice'), 'The item was closed.'],
  ['thirty days', () => stage.query('UPDATE tasks SET paused_at = ?', ago(31 * 24)), 'paused for more than 30 days'],
  [
    'thirty days on GitLab',
    () => stage.query('UPDATE tasks SET paused_at = ?', ago(31 * 24)),
    'paused for more than 30 days',
    'gitlab',
  ],
])('what is paused is ended by %s, with a comment', async (_, act, reason, forge = 'github') => {
  await play({ turns: [note('one'), done()] }, { forge });
  const n = stage.issue();
  duringRequest(0, () => stage.agent('pause', `${REPO}#1`));
  await stage.tick();
  await act(n);
  await stage.tick();
  expect(stage.attempt()).toMatchObject({ status: 'stopped' });
  expect(stage.labels(n)).toEqual(['coding agent stopped']);
  expect(stage.kinds(n)).toEqual(['progress', 'paused', 'stopped']);
  expect(stage.comments(n).at(-1)!.body).toContain(reason);
  expect(turnRequests(stage)).toHaveLength(1);
});

test.each<[string, (n: number) => unknown]>([
  ['/agent stop', (n) => say(n, 'alice', '/agent stop')],
  ['agent stop', () => stage.agent('stop', `${REPO}#1`)],
])(
  'what waits for an answer is stopped by `%s`; until then status and pause are only acknowledged',
  async (_, stop) => {
    await play({ turns: [done()] });
    const n = stage.issue();
    await stage.tick();
    const ids = [say(n, 'alice', '/agent status'), say(n, 'alice', '/agent pause')];
    await stage.tick();
    expect(ids.map((id) => reactionsOn(stage, n, id))).toEqual([['+1'], ['+1']]);
    expect(stage.labels(n)).toEqual(['awaiting-response']);
    await stop(n);
    await stage.tick();
    expect(stage.labels(n)).toEqual(['coding agent stopped']);
    expect(stage.kinds(n)).toEqual(['progress', 'result', 'stopped']);
  },
);

test('`/agent retry` in a thread that waits is a follow-up without new words', async () => {
  await play({ turns: [done()] });
  const n = stage.issue();
  await stage.tick();
  const id = say(n, 'alice', '/agent retry');
  await stage.tick();
  expect(turnRequests(stage)[1]!.at(-1)!.content).toBe('Please go on with this task.');
  expect(reactionsOn(stage, n, id)).toEqual(['+1']);
  await expectRest(stage, n);
});

test('what waits is stopped for good: an earlier `agent retry` does not wake it again', async () => {
  await play({ turns: [done()] });
  const n = stage.issue();
  await stage.tick();
  await stage.agent('retry', `${REPO}#1`);
  say(n, 'alice', '/agent stop');
  await stage.tick();
  await expectRest(stage, n);
  expect(stage.labels(n)).toEqual(['coding agent stopped']);
});

test('`agent retry` and the request label together are one attempt', async () => {
  await play({ turns: [done()] });
  const n = stage.issue();
  await stage.tick();
  say(n, 'alice', 'Thanks!');
  await stage.tick();
  await stage.agent('retry', `${REPO}#1`);
  stage.world.label(REPO, n, LABEL, 'alice');
  expect((await stage.agent('run', '--dry-run')).stdout.trim().split('\n')).toHaveLength(1);
  await stage.tick();
  await expectRest(stage, n);
  expect(stage.query('SELECT status FROM tasks')).toHaveLength(2);
  expect(stage.query('SELECT * FROM wishes')).toEqual([]);
});

test('what is paused stays so when the last word is `/agent pause`, and strangers are looked up once', async () => {
  await play({ turns: [note('one'), done()] });
  const n = stage.issue();
  duringRequest(0, () => stage.agent('pause', `${REPO}#1`));
  await stage.tick();
  const ids = ['resume', 'pause', 'status'].map((word) => say(n, 'alice', `/agent ${word}`));
  say(n, 'mallory', 'Hello.');
  await stage.tick();
  expect(stage.labels(n)).toEqual([PAUSED]);
  expect(ids.map((id) => reactionsOn(stage, n, id))).toEqual([['+1'], ['+1'], ['+1']]);
  stage.playground.journal.clear();
  await expectRest(stage, n);
  expect(requests(stage).filter((each) => each.includes('/permission'))).toEqual([]);
});

test('what waits is left alone while a person has the paused label on it, and answers when it is off', async () => {
  await play({ turns: [done()] });
  const n = stage.issue();
  await stage.tick();
  stage.world.label(REPO, n, PAUSED, 'alice');
  say(n, 'alice', 'Also in French.');
  stage.query('UPDATE conversations SET last_processed_at = ?', ago(25));
  await expectRest(stage, n);
  stage.world.unlabel(REPO, n, PAUSED, 'alice');
  await stage.tick();
  expect(turnRequests(stage).at(-1)!.at(-1)!.content).toBe('[New Comment from @alice]:\nAlso in French.');
  expect(stage.labels(n)).toEqual(['awaiting-response']);
});

test('a stop survives the death of the process that heard it', async () => {
  await play({ turns: [note('one'), done()] });
  const n = stage.issue();
  const child = stage.start(['run']);
  stage.model.onRequest = (index, phase) => {
    if (index === 1 && phase === 'before') say(n, 'alice', '/agent stop');
    if (!isSummary(stage.model.requests[index]!) || child.killed) return undefined;
    child.kill('SIGKILL');
    return 'hang';
  };
  await finished(child);
  expect(stage.attempt()).toMatchObject({ status: 'running' });
  await stage.tick();
  expect(stage.attempt()).toMatchObject({ status: 'stopped' });
  expect(stage.labels(n)).toEqual(['coding agent stopped']);
  expect(turnRequests(stage)).toHaveLength(2);
});

test('--dry-run says what would be done about a command, and leaves no reaction', async () => {
  await play({ turns: [note('one'), done()] });
  const n = stage.issue();
  duringRequest(0, () => stage.agent('pause', `${REPO}#1`));
  await stage.tick();
  const id = say(n, 'alice', '/agent resume');
  expect(await stage.agent('run', '--dry-run')).toMatchObject({
    code: 0,
    stdout: `would go on with ${REPO}#1 (Fix the greeting)\n`,
  });
  expect(reactionsOn(stage, n, id)).toEqual([]);
  expect(stage.labels(n)).toEqual([PAUSED]);
});
