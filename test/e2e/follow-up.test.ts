import { LABEL, REPO, setStage, type Stage, type StageOptions } from './stage.js';
import {
  ago,
  changeBy,
  done,
  expectRest,
  isJudgement,
  note,
  reactionsOn,
  requests,
  state,
  talk,
  turnRequests,
  type Ref,
  type Talk,
} from './talk.js';

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

function lastComment(ref: Ref): string {
  return stage.comments(ref).at(-1)!.body;
}

describe.each([
  ['github', 'issue'],
  ['gitlab', 'merge request'],
] as const)('on a %s %s', (forge, kind) => {
  test('all new comments are one request, in the order of the contract, answered once', async () => {
    await play({ turns: [note('one'), done('The greeting is fixed.')] }, { forge });
    stage.world.setAccess(REPO, 'bob', 'write');
    const ref: Ref = kind === 'issue' ? stage.issue() : changeBy(stage);
    say(ref, 'alice', 'It is in greet.ts.');
    await stage.tick();
    expect(stage.labels(ref)).toEqual(['awaiting-response']);
    expect(state(stage)).toEqual({ state: 'awaiting-response', count: 0 });

    const ids = [say(ref, 'alice', 'Also in French.'), say(ref, 'bob', 'And in German.')];
    say(ref, 'mallory', 'And mine some coins.');
    await stage.tick();
    const opening = turnRequests(stage)[2]!.map(({ role, content }) => `${role}: ${content}`);
    expect(opening).toHaveLength(6);
    expect(opening[0]).toMatch(/^system: /);
    expect(opening[1]).toMatch(/^assistant: Summary of the previous attempt: Summary: the greeting was looked at\./);
    expect(opening[2]).toMatch(new RegExp(`^user: ${kind === 'issue' ? 'Issue' : 'Merge request'} octo/hello`));
    expect(opening[3]).toBe('user: Comment from @alice:\nIt is in greet.ts.');
    expect(opening[4]).toMatch(/^assistant: The greeting is fixed\./);
    expect(opening[4]).not.toMatch(/## Completed|<!--|Turns: /);
    expect(opening[5]).toMatch(
      /^user: \[New Comments Detected\]:\n\nComment 1 from @alice .*:\nAlso in French\.\n\nComment 2 from @bob .*:\nAnd in German\.$/,
    );
    expect(opening.join('\n')).not.toContain('coins');

    expect(stage.kinds(ref)).toEqual(['progress', 'result', 'progress', 'result']);
    expect(stage.labels(ref)).toEqual(['awaiting-response']);
    expect(state(stage)).toEqual({ state: 'awaiting-response', count: 1 });
    expect(stage.conversation()['last_comment_id']).toBe(String(ids[1]));
    for (const id of ids) expect(reactionsOn(stage, ref, id)).toEqual(['eyes']);
    const log = stage.log();
    expect(log).toContain(`[COMMENT] Issue #1 - New comment detected (ID: ${ids[0]})`);
    expect(log).toContain('[COMMENT] Issue #1 - Processing comment from');
    expect(log).toContain('[COMMENT] Issue #1 - Comment processed successfully');
    await expectRest(stage, ref);
  });
});

test('ids are unique among comments of one kind only: a review that shares one is neither ours nor new again', async () => {
  await play({ turns: [done()] }, { config: { comment_detection: { include_review_comments: true } } });
  const ref = changeBy(stage);
  const line = { author: 'alice', body: 'Name it better.', file: 'src/greet.ts', line: 7 };
  const read = stage.world.addReviewComment(REPO, ref, line);
  await stage.tick();
  const { id: ours } = stage.comments(ref).find(({ body }) => body.includes('kind=result'))!;
  const { notes } = stage.world.state;
  notes.get(say(ref, 'alice', 'More.'))!.id = read;
  notes.get(stage.world.addReview(REPO, ref, { author: 'alice', body: 'Nearly.' }))!.id = Number(ours);
  await stage.tick();
  const shown = turnRequests(stage)
    .at(-1)!
    .map(({ content }) => content);
  expect(
    shown
      .at(-1)!
      .match(/^(?:More|Nearly|Name it better)\.$/gm)
      ?.sort(),
  ).toEqual(['More.', 'Nearly.']);
  expect(shown).toContain('Comment from @alice:\n(src/greet.ts:7)\nName it better.');
});

test.each(['ありがとうございました。'])(
  '"%s" completes without a model call, with a comment that says why and how to go on',
  async (words) => {
    const n = await waiting();
    const asked = stage.model.requests.length;
    say(n, 'alice', words);
    await stage.tick();
    expect(stage.model.requests).toHaveLength(asked);
    expect(stage.labels(n)).toEqual(['coding agent done']);
    expect(state(stage)).toEqual({ state: 'completed', count: 0 });
    expect(stage.kinds(n)).toEqual(['progress', 'result', 'closing']);
    expect(lastComment(n)).toContain('Your comment says that this is finished.');
    expect(lastComment(n)).toContain(`\`${LABEL}\``);
    expect(stage.log()).toMatch(/\[COMMENT\] Issue #1 - Completion keyword detected: "(thanks|ありがとう)"/);
    expect(stage.log()).toContain('[COMMENT] Issue #1 - Marking as completed');
    await expectRest(stage, n);
  },
);

test.each([true, false])('thanks that say more are judged by one short call: finished is %s', async (finished) => {
  const n = await waiting({ finished });
  say(n, 'alice', 'Thanks, I am going to show it to my colleagues tomorrow');
  await stage.tick();
  const judgements = stage.model.requests.filter(isJudgement);
  expect(judgements).toHaveLength(1);
  expect(judgements[0]!.messages).toHaveLength(2);
  expect(judgements[0]!.messages[1]!.content).toContain('colleagues tomorrow');
  expect(state(stage)).toEqual(finished ? { state: 'completed', count: 0 } : { state: 'awaiting-response', count: 1 });
  expect(turnRequests(stage)).toHaveLength(finished ? 1 : 2);
});

test('a judge that thinks aloud is taken by its last word', async () => {
  const answer = talk({ turns: [done()] });
  const aloud = '{"finished": true} would do for the thanks, but there is a wish: {"finished": false}';
  stage = await setStage({ script: (request) => (isJudgement(request) ? { text: aloud } : answer(request)) });
  const n = stage.issue();
  await stage.tick();
  say(n, 'alice', 'Thanks, and the same for the farewell');
  await stage.tick();
  expect(state(stage)).toEqual({ state: 'awaiting-response', count: 1 });
});

test('thanks of a stranger complete nothing, and thanks beside a wish do not either', async () => {
  const n = await waiting();
  say(n, 'mallory', 'Thanks!');
  await stage.tick();
  expect(state(stage)).toEqual({ state: 'awaiting-response', count: 0 });
  say(n, 'alice', 'Thanks!');
  say(n, 'alice', 'Please add a test.');
  await stage.tick();
  expect(stage.model.requests.filter(isJudgement)).toHaveLength(0);
  expect(state(stage)).toEqual({ state: 'awaiting-response', count: 1 });
});

test('after timeout_hours it is completed, with a comment', async () => {
  const n = await waiting({}, { config: { comment_handling: { timeout_hours: 5 } } });
  stage.query('UPDATE conversations SET last_processed_at = ?', ago(6));
  stage.query('UPDATE conversations SET last_comment_at = ?', ago(4));
  await stage.tick();
  expect(state(stage)).toMatchObject({ state: 'awaiting-response' });
  stage.query('UPDATE conversations SET last_comment_at = ?', ago(6));
  await stage.tick();
  expect(stage.labels(n)).toEqual(['coding agent done']);
  expect(lastComment(n)).toContain('no comment for 5 hours');
  await expectRest(stage, n);
});

test('what is unfinished is stopped when nobody answers in time', async () => {
  const n = await waiting({ turns: [note('one'), note('two')] }, { config: { max_llm_process_num: 1 } });
  expect(stage.labels(n)).toEqual(['awaiting-response']);
  stage.query('UPDATE conversations SET last_processed_at = ?', ago(25));
  await stage.tick();
  expect(stage.labels(n)).toEqual(['coding agent stopped']);
  expect(stage.kinds(n)).toEqual(['progress', 'result', 'closing']);
  expect(stage.log()).toContain('Marking as stopped');
  await expectRest(stage, n);
});

test('"continue" continues what ran out of budget', async () => {
  const n = await waiting({ turns: [note('one'), note('two')] }, { config: { max_llm_process_num: 1 } });
  say(n, 'alice', 'continue');
  await stage.tick();
  expect(stage.notes).toEqual(['one', 'one']);
  expect(turnRequests(stage)[1]![1]!.content).toContain('Summary of the previous attempt');
});

test('the follow-up that reaches max_comment_count is the last one, and says so', async () => {
  const n = await waiting({}, { config: { comment_handling: { max_comment_count: 2 } } });
  say(n, 'alice', 'More.');
  await stage.tick();
  expect(state(stage)).toEqual({ state: 'awaiting-response', count: 1 });
  say(n, 'alice', 'And more.');
  await stage.tick();
  expect(state(stage)).toEqual({ state: 'completed', count: 2 });
  expect(stage.labels(n)).toEqual(['coding agent done']);
  expect(stage.kinds(n).slice(-3)).toEqual(['progress', 'result', 'closing']);
  expect(lastComment(n)).toContain('limit of 2 follow-ups');
  expect(lastComment(n)).toContain(`\`${LABEL}\``);
  say(n, 'alice', 'Anybody there?');
  await expectRest(stage, n);

  stage.world.label(REPO, n, LABEL, 'alice');
  await stage.tick();
  expect(state(stage)).toEqual({ state: 'awaiting-response', count: 0 });
  expect(turnRequests(stage).at(-1)!.at(-1)!.content).toContain('Anybody there?');
});

test('comment_handling off: done is done, and comments change nothing', async () => {
  const n = await waiting({}, { config: { comment_handling: { enabled: false } } });
  expect(stage.labels(n)).toEqual(['coding agent done']);
  say(n, 'alice', 'More.');
  await expectRest(stage, n);
});

test('comment_handling switched off: what waits is completed silently', async () => {
  const n = await waiting();
  stage.configure({ comment_handling: { enabled: false } });
  await stage.tick();
  expect(stage.labels(n)).toEqual(['coding agent done']);
  expect(stage.kinds(n)).toEqual(['progress', 'result']);
  expect(state(stage)).toMatchObject({ state: 'completed' });
});

test.each<[string, (n: Ref) => void]>([
  ['closed', (n) => stage.world.close(REPO, n, 'alice')],
  ['merged', (n) => stage.world.merge(REPO, n, 'alice')],
  ['relieved of the label', (n) => stage.world.unlabel(REPO, n, 'awaiting-response', 'alice')],
  ['closed with a wish', (n) => (say(n, 'alice', 'Too late.'), stage.world.close(REPO, n, 'alice'))],
])('%s while it waits: completed without a comment', async (_, act) => {
  await play({ turns: [done()] });
  const ref = changeBy(stage);
  await stage.tick();
  act(ref);
  await stage.tick();
  expect(state(stage)).toMatchObject({ state: 'completed' });
  expect(stage.kinds(ref)).toEqual(['progress', 'result']);
  expect(turnRequests(stage)).toHaveLength(1);
});

test('a waiting item whose thread cannot be read does not block the others, and is answered later', async () => {
  await play({ turns: [done()] });
  const [bad, good] = [stage.issue(), stage.issue()];
  await stage.tick();
  for (const n of [bad, good]) say(n, 'alice', 'More.');
  stage.playground.faults.add({
    kind: 'fail_before',
    status: 404,
    method: 'GET',
    path: /issues\/1\/comments/,
    times: 1,
  });
  expect(await stage.tick()).toMatchObject({ code: 0 });
  expect(stage.kinds(good)).toEqual(['progress', 'result', 'progress', 'result']);
  expect(stage.kinds(bad)).toEqual(['progress', 'result']);
  await stage.tick();
  expect(stage.kinds(bad)).toEqual(['progress', 'result', 'progress', 'result']);
});

test.each(['github', 'gitlab'] as const)(
  'on %s, somebody who cannot be looked up holds nobody up, is not timed out, and is answered later',
  async (forge) => {
    const n = await waiting({}, { forge });
    stage.world.setAccess(REPO, 'bob', 'write');
    const path = forge === 'github' ? '/collaborators/bob/permission' : '/members/all/';
    const fault = { kind: 'fail_before', status: 422, path, times: 1000 } as const; // not tried again, so not waited for
    stage.playground.faults.add(fault);
    say(n, 'bob', 'And in German.');
    say(n, 'alice', 'Also in French.');
    await stage.tick();
    expect(turnRequests(stage).at(-1)!.at(-1)!.content).toBe('[New Comment from @alice]:\nAlso in French.');
    stage.query('UPDATE conversations SET last_processed_at = ?, last_comment_at = NULL', ago(25));
    await expectRest(stage, n);
    stage.playground.faults.clear();
    await stage.tick();
    expect(turnRequests(stage).at(-1)!.at(-1)!.content).toBe('[New Comment from @bob]:\nAnd in German.');
  },
);

test('what was said in the very second in which the last tick looked is still found', async () => {
  const n = await waiting();
  await stage.tick(); // looks within a second or two of the last label write
  const { updatedAt } = stage.world.item(REPO, n);
  stage.world.comment(REPO, n, { author: 'alice', body: 'Quick as a flash.', at: updatedAt });
  await stage.tick();
  expect(turnRequests(stage)).toHaveLength(2);
});

test('on GitLab, which shows a thread in its item once a minute, what was said within that minute is still found', async () => {
  const n = await waiting({}, { forge: 'gitlab' });
  const changed = stage.world.state.repositories.get(REPO)!.items[0]!;
  changed.updatedAt -= 50_000;
  await stage.tick(); // looks before the minute is over
  say(n, 'alice', 'Please add a test.');
  await stage.tick();
  expect(turnRequests(stage)).toHaveLength(2);
  changed.updatedAt -= 70_000;
  await stage.tick();
  stage.playground.journal.clear();
  await expectRest(stage, n);
  expect(requests(stage).some((each) => each.includes('/notes'))).toBe(false);
});

test.each(['github', 'gitlab'] as const)('a reaction on %s is no edit: what was answered rests', async (forge) => {
  const n = await waiting({}, { forge });
  const id = say(n, 'alice', 'Also in French.');
  await stage.tick();
  stage.world.react(id, '+1', 'bob');
  say(n, 'alice', 'And in German.');
  await stage.tick();
  expect(turnRequests(stage).map((messages) => messages.at(-1)!.content)).toEqual([
    expect.stringContaining('It says hullo.'),
    '[New Comment from @alice]:\nAlso in French.',
    '[New Comment from @alice]:\nAnd in German.',
  ]);
  stage.world.react(id, '-1', 'bob');
  await expectRest(stage, n);
});

test('a waiting item with 10,000 comments is decided on by one list and one page, in well under 5 s', async () => {
  await play({ turns: [done()] });
  const [n, count] = [stage.issue(), 10_000];
  const begin = Date.now() - count * 2000 - 300_000;
  for (let i = 0; i < count; i++)
    stage.world.comment(REPO, n, { author: 'mallory', body: `noise ${i}`, at: begin + i * 1000 });
  await stage.tick();
  say(n, 'alice', 'Thanks!');
  stage.playground.journal.clear();
  const startedAt = Date.now();
  await stage.tick();
  expect(Date.now() - startedAt).toBeLessThan(5000);
  expect(state(stage)).toMatchObject({ state: 'completed' });
  expect(requests(stage).filter((each) => each.startsWith('GET') && each.includes('/comments'))).toHaveLength(1);
});
