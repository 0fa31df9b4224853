import { LABEL, REPO, setStage, type Stage, type StageOptions } from './stage.js';
import { ago, done, expectRest, state, talk, times, turnRequests, type Ref, type Talk } from './talk.js';

let stage: Stage;
afterEach(() => stage.close());

async function play(script: Talk, options: Partial<StageOptions> = {}): Promise<void> {
  stage = await setStage({ script: talk(script), ...options });
}

/** An issue that was worked on and now waits for an answer. */
async function waiting(script: Partial<Talk> = {}, options: Partial<StageOptions> = {}): Promise<number> {
  await play({ turns: [done('The greeting is fixed.')], ...script }, options);
  const n = stage.issue();
  await stage.tick();
  return n;
}

function say(ref: Ref, author: string, body: string): number {
  return stage.world.comment(REPO, ref, { author, body });
}

test('the request label on a waiting item means go on, even when the time is up, and the count begins anew', async () => {
  const n = await waiting();
  say(n, 'alice', 'More.');
  await stage.tick();
  expect(state(stage)).toEqual({ state: 'awaiting-response', count: 1 });
  stage.query('UPDATE conversations SET last_processed_at = ?, last_comment_at = ?', ago(48), ago(48));
  stage.world.label(REPO, n, LABEL, 'alice');
  await stage.tick();
  expect(state(stage)).toEqual({ state: 'awaiting-response', count: 0 });
  expect(stage.labels(n)).toEqual(['awaiting-response']);
  expect(turnRequests(stage)).toHaveLength(3);
  expect(turnRequests(stage)[2]![1]!.content).toMatch(/^Summary of the previous attempt: /);
  expect(stage.kinds(n)).not.toContain('closing');
  await expectRest(stage, n);
});

test('the request label on a completed item leads to a new attempt that knows the last one', async () => {
  const n = await waiting();
  say(n, 'alice', 'Thanks!');
  await stage.tick();
  stage.world.label(REPO, n, LABEL, 'alice');
  await stage.tick();
  expect(state(stage)).toEqual({ state: 'awaiting-response', count: 0 });
  expect(stage.query('SELECT uuid FROM tasks')).toHaveLength(2);
  expect(times(turnRequests(stage)[1], 'Summary of the previous attempt: ')).toBe(1);
});

test('a first attempt that fails goes to failed and is taken up by the label; its failure is not inherited', async () => {
  let broken = true;
  stage = await setStage({
    script: (request) =>
      broken ? { status: 400, body: { error: { message: 'bad parameter' } } } : talk({ turns: [done()] })(request),
  });
  const n = stage.issue();
  expect(await stage.tick()).toMatchObject({ code: 1 });
  expect(stage.labels(n)).toEqual(['coding agent failed']);
  expect(stage.kinds(n)).toEqual(['progress', 'failure']);
  await expectRest(stage, n);
  broken = false;
  stage.world.label(REPO, n, LABEL, 'alice');
  await stage.tick();
  expect(stage.labels(n)).toEqual(['awaiting-response']);
  expect(stage.shown(stage.model.requests.length - 1)).not.toContain('Summary of the previous attempt');
});

test('a follow-up that fails says so, waits again, and its comments are not answered twice', async () => {
  let broken = false;
  const answer = talk({ turns: [done('Fixed.')] });
  stage = await setStage({
    script: (request) => (broken ? { status: 400, body: { error: { message: 'bad parameter' } } } : answer(request)),
  });
  const n = stage.issue();
  await stage.tick();
  broken = true;
  say(n, 'alice', 'More.');
  expect(await stage.tick()).toMatchObject({ code: 1 });
  expect(stage.kinds(n)).toEqual(['progress', 'result', 'progress', 'failure']);
  expect(stage.labels(n)).toEqual(['awaiting-response']);
  expect(state(stage)).toEqual({ state: 'awaiting-response', count: 1 });
  broken = false;
  await expectRest(stage, n);
  say(n, 'alice', 'Try it once more.');
  await stage.tick();
  const last = turnRequests(stage).at(-1)!;
  expect(last.at(-1)!.content).toBe('[New Comment from @alice]:\nTry it once more.');
  expect(last.map(({ content }) => content)).toContain('Comment from @alice:\nMore.');
});

test('a label that could not be written gives way to what a person asked for meanwhile', async () => {
  await play({ turns: [done()] });
  const n = stage.issue();
  stage.playground.faults.add({
    kind: 'fail_before',
    status: 403,
    method: 'POST',
    path: /issues\/1\/labels/,
    skip: 1,
    times: 1,
  });
  await stage.tick();
  expect(state(stage)).toMatchObject({ state: 'awaiting-response' });
  expect(stage.labels(n)).toEqual(['coding agent processing']);
  stage.world.label(REPO, n, LABEL, 'alice');
  await stage.tick();
  expect(turnRequests(stage)).toHaveLength(2);
  expect(stage.labels(n)).toEqual(['awaiting-response']);
});

test('a label that could not be written is written by the next tick', async () => {
  await play({ turns: [done()] });
  const n = stage.issue();
  stage.playground.faults.add({
    kind: 'fail_before',
    status: 403,
    method: 'POST',
    path: /issues\/1\/labels/,
    skip: 1,
    times: 1,
  });
  await stage.tick();
  await stage.tick();
  expect(stage.labels(n)).toEqual(['awaiting-response']);
  expect(stage.kinds(n)).toEqual(['progress', 'result']);
});
