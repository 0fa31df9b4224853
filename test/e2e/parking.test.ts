import { join } from 'node:path';
import { REPO, setStage, type Stage } from './stage.js';

let stage: Stage;
afterEach(() => stage.close());

const PROCESSING = 'coding agent processing';
const done = (comment: string) => ({ done: true as const, comment });
const note = (text: string) => ({ text: `Noting ${text}.`, toolCalls: [{ tool: 'notes/note', args: { text } }] });
const MINUTE = 60_000;

/** Makes what is parked due now. */
function due(): void {
  stage.query('UPDATE tasks SET not_before = ?', new Date(Date.now() - 1000).toISOString());
}

function waitOf(row: Record<string, unknown>): number {
  return Date.parse(String(row['not_before'])) - Date.parse(String(row['paused_at']));
}

function posts(): string[] {
  return stage.playground.journal
    .filter(({ method, path }) => method === 'POST' && /\/(comments|notes)$/.test(path))
    .map(({ path }) => path);
}

test('a model that is down parks the attempt, longer each time, claims nothing else, and repeats nothing when it is back', async () => {
  let down = false;
  stage = await setStage({
    script: ({ messages }) => {
      const turns = messages.filter(({ role }) => role === 'assistant').length;
      if (messages[0]!.content.includes('summar')) return { text: 'Summary.' };
      if (down) return { status: 503, headers: { 'retry-after': '0' } };
      down = turns === 0;
      return turns === 0 ? note('one') : turns === 1 ? note('two') : done('Both.');
    },
  });
  const [n, other] = [stage.issue(), stage.issue({ title: 'Another' })];
  expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(stage.attempt()).toMatchObject({
    status: 'paused',
    paused_by: 'parked',
    error_message: expect.stringContaining('503'),
  });
  expect([stage.labels(n), stage.labels(other)]).toEqual([[PROCESSING], ['coding agent']]);
  expect(stage.kinds(n)).toEqual(['progress']);
  expect(stage.comments(n)[0]!.body).toMatch(
    /\*\*Waiting\*\* — The model cannot be reached\. The work goes on after \d{4}-/,
  );
  expect(stage.query('SELECT count(*) AS n FROM tasks')).toEqual([{ n: 1 }]);

  stage.playground.journal.clear();
  due();
  const asked = stage.model.requests.length;
  expect((await stage.tick()).code).toBe(0);
  expect(stage.model.requests.length - asked).toBe(4);
  expect([stage.attempt()['park_count'], posts()]).toEqual([2, []]);

  down = false;
  due();
  expect(stage.conversation()['reason']).toBe('unreachable');
  let atWork: unknown;
  stage.model.onRequest = () => void (atWork ??= [stage.conversation()['reason'], stage.attempt()['error_message']]);
  expect((await stage.agent('run', '--task', `${REPO}#${n}`)).code).toBe(0);
  expect(atWork).toEqual([null, null]);
  expect(stage.notes).toEqual(['one', 'two']);
  expect(stage.kinds(n)).toEqual(['progress', 'result']);
  expect(stage.labels(n)).toEqual(['awaiting-response']);
  const messages = stage.lines<{ role: string }>(stage.attempt().uuid, 'messages.jsonl').map(({ role }) => role);
  expect(messages).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
});

test('an Ollama that does not know the model when it is asked about tools parks the attempt and claims nothing else', async () => {
  stage = await setStage({ provider: 'ollama', model: 'not-pulled', script: [] });
  const [n, other] = [stage.issue(), stage.issue({ title: 'Another' })];
  expect((await stage.tick()).code).toBe(0);
  expect([stage.labels(n), stage.labels(other)]).toEqual([[PROCESSING], ['coding agent']]);
  expect(stage.attempt()).toMatchObject({ status: 'paused', paused_by: 'parked' });
});

test('without a word from the server the wait is 1, 2, 4 … 60 minutes; before it is over nothing is asked', async () => {
  stage = await setStage({
    script: () => ({ status: 429, body: { error: { message: 'no money left', code: 'insufficient_quota' } } }),
  });
  const n = stage.issue();
  expect((await stage.tick()).code).toBe(0);
  expect(waitOf(stage.attempt())).toBe(MINUTE);
  stage.playground.journal.clear();
  expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(stage.playground.journal.every(({ method }) => method === 'GET')).toBe(true);
  expect([stage.model.requests.length, stage.labels(n)]).toEqual([1, [PROCESSING]]);
  due();
  expect((await stage.tick()).code).toBe(0);
  expect([waitOf(stage.attempt()), stage.attempt()['park_count']]).toEqual([2 * MINUTE, 2]);
  stage.query('UPDATE tasks SET park_count = 9');
  expect((await stage.agent('run', '--task', `${REPO}#${n}`)).code).toBe(0);
  expect([waitOf(stage.attempt()), stage.attempt()['park_count']]).toEqual([60 * MINUTE, 10]);
  const parkedWhileAhead = [9, 10].map((hours) => new Date(Date.now() + hours * 60 * MINUTE).toISOString());
  stage.query('UPDATE tasks SET paused_at = ?, not_before = ?', ...parkedWhileAhead); // the clock was set back since
  await stage.tick();
  expect(stage.attempt()['park_count']).toBe(11);
  expect(stage.kinds(n)).toEqual(['progress']);
});

test('a rate limit parks until the time the server names', async () => {
  stage = await setStage({ script: [{ status: 429, headers: { 'retry-after': '1800' } }] });
  const n = stage.issue();
  expect((await stage.tick()).code).toBe(0);
  expect(stage.model.requests).toHaveLength(1);
  expect(stage.attempt()).toMatchObject({ status: 'paused', paused_by: 'parked' });
  expect(Math.round(waitOf(stage.attempt()) / 1000)).toBe(1800);
  expect(stage.comments(n)[0]!.body).toContain('has reached its rate limit');
});

test('a key that is refused is exit 3, one line, and the same line only once an hour', async () => {
  stage = await setStage({ script: [done('Back.')], apiKey: 'another-key' });
  const [n, other] = [stage.issue(), stage.issue()];
  const first = await stage.tick();
  expect(first.code).toBe(3);
  expect(first.stderr).toMatch(/^agent: canned at http[^\n]*Incorrect API key[^\n]*llm\.openai\.api_key\n$/);
  expect([stage.labels(n), stage.labels(other)]).toEqual([[PROCESSING], ['coding agent']]);
  expect(stage.attempt()).toMatchObject({ status: 'paused', paused_by: 'parked' });
  expect(stage.kinds(n)).toEqual(['progress']);
  due();
  expect(await stage.tick()).toEqual({ code: 3, stdout: '', stderr: '' });
  stage.ageComplaints();
  due();
  expect(await stage.tick()).toEqual(first);
});

test('a forge that is down is exit 4 and does not keep the other one from its work; a refused token is exit 3', async () => {
  stage = await setStage({ script: () => done('Done.') });
  const { gitlab } = stage.playground.world;
  gitlab.addRepository('group/sub/project');
  gitlab.addToken('token-of-gitlab-0123456789', 'agent-bot', { scopes: ['api'] });
  for (const login of ['alice', 'agent-bot']) gitlab.setAccess('group/sub/project', login, 'write');
  const other = gitlab.addIssue('group/sub/project', { title: 'Fix it', author: 'alice', labels: ['coding agent'] });
  stage.configure({
    task_source: ['github', 'gitlab'],
    gitlab: {
      api_url: stage.playground.gitlab.apiUrl,
      token: 'token-of-gitlab-0123456789',
      projects: ['group/sub/project'],
    },
  });
  const n = stage.issue();
  stage.playground.faults.add({
    kind: 'fail_before',
    forge: 'github',
    status: 503,
    times: 1000,
    headers: { 'retry-after': '0' },
  });
  const { code, stdout, stderr } = await stage.tick();
  expect([code, stdout]).toEqual([4, '']);
  expect(stderr).toMatch(/^agent: [^\n]*GitHub[^\n]*503[^\n]*\n$/i);
  expect([stage.labels(n), gitlab.labels('group/sub/project', other)]).toEqual([
    ['coding agent'],
    ['awaiting-response'],
  ]);

  stage.playground.faults.clear();
  stage.world.removeToken('token-of-the-bot-0123456789');
  stage.playground.faults.add({
    kind: 'fail_before',
    forge: 'gitlab',
    status: 503,
    times: 1000,
    headers: { 'retry-after': '0' },
  });
  const both = await stage.tick();
  expect([both.code, both.stderr.trim().split('\n').sort()]).toEqual([
    3,
    [expect.stringMatching(/GitHub refused the token/), expect.stringMatching(/GitLab.*503/)],
  ]);
});

test.each(['github', 'gitlab'] as const)(
  '%s names a time for its rate limit: no request before it, whatever tick',
  async (forge) => {
    stage = await setStage({ forge, script: [done('Done.')] });
    const n = stage.issue();
    stage.playground.faults.add({ kind: 'primary_limit', resetInSeconds: 1800 });
    const { code, stdout, stderr } = await stage.tick();
    expect([code, stdout, stderr]).toEqual([
      4,
      '',
      expect.stringMatching(/^agent: [^\n]*wants no request before \d{4}-[^\n]*\n$/),
    ]);
    expect(stage.playground.journal).toHaveLength(forge === 'github' ? 1 : 2); // GitLab's two lists are asked for at once
    stage.playground.journal.clear();
    expect((await stage.tick()).code).toBe(4);
    expect([...stage.playground.journal]).toEqual([]);
    stage.query("UPDATE facts SET value = value - 1800000 WHERE key LIKE 'limited:%'");
    expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(stage.labels(n)).toEqual(['awaiting-response']);
  },
);

test('a forge that fails two tasks in a row is not asked for the third', async () => {
  stage = await setStage({ script: () => done('Done.') });
  const issues = [stage.issue(), stage.issue(), stage.issue()];
  stage.playground.faults.add({
    kind: 'fail_before',
    status: 503,
    method: 'GET',
    path: /\/issues\/\d+$/,
    times: 1000,
    headers: { 'retry-after': '0' },
  });
  expect((await stage.tick()).code).toBe(0);
  const read = new Set(stage.playground.journal.map(({ path }) => /\/issues\/(\d+)$/.exec(path)?.[1]).filter(Boolean));
  expect([...read]).toEqual(issues.slice(0, 2).map(String));
  expect(stage.query('SELECT * FROM tasks')).toEqual([]);
});

test('a forge that goes down in the middle parks, and a later tick goes on and posts everything once', async () => {
  stage = await setStage({ forge: 'gitlab', script: [note('one'), done('Done.'), { text: 'Summary.' }] });
  const n = stage.issue();
  stage.model.onRequest = (index, phase) => {
    if (index !== 1 || phase !== 'before') return;
    stage.playground.faults.add({ kind: 'fail_before', status: 503, times: 1000, headers: { 'retry-after': '0' } });
  };
  expect((await stage.tick()).code).toBe(0);
  expect(stage.kinds(n)).toEqual(['progress']);
  stage.playground.faults.clear();
  expect((await stage.tick()).code).toBe(0);
  expect(stage.notes).toEqual(['one']);
  expect(stage.kinds(n)).toEqual(['progress', 'result']);
  expect(stage.labels(n)).toEqual(['awaiting-response']);
});

test.each(['github', 'gitlab'] as const)('on %s a post whose answer was lost is not posted twice', async (forge) => {
  stage = await setStage({ forge, script: [done('Done.')] });
  const n = stage.issue();
  const path = /\/(comments|notes)$/;
  stage.playground.faults.add({ kind: 'commit_then_502', method: 'POST', path, times: 1 });
  stage.playground.faults.add({ kind: 'commit_then_drop', method: 'POST', path, times: 1 });
  expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(stage.kinds(n)).toEqual(['progress', 'result']);
});

test('a post that the forge says is there already is ours, and one that it never takes holds no other up', async () => {
  stage = await setStage({ script: () => done('Done.') });
  const n = stage.issue();
  const path = /\/comments$/;
  stage.playground.faults.add({ kind: 'commit_then_422', method: 'POST', path });
  expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(stage.kinds(n)).toEqual(['progress', 'result']);
  expect(stage.comments(n)[0]!.body).toContain('**Finished**');

  const other = stage.issue();
  stage.playground.faults.add({ kind: 'fail_before', status: 422, method: 'POST', path, times: 2 });
  expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(stage.kinds(other)).toEqual(['result']);
});

test('a progress comment that may no longer be edited does not keep the result back', async () => {
  stage = await setStage({ forge: 'gitlab', script: [done('Done.')] });
  const n = stage.issue();
  stage.playground.faults.add({ kind: 'fail_before', status: 403, method: 'PUT', path: '/notes/', times: 100 });
  expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect([stage.kinds(n), stage.labels(n)]).toEqual([['progress', 'result'], ['awaiting-response']]);
});

test('the tokens of a day, once spent, park until midnight', async () => {
  stage = await setStage({ config: { limits: { max_tokens_per_day: 50 } }, script: [note('one'), note('two')] });
  const n = stage.issue();
  expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect([stage.notes, stage.labels(n), stage.kinds(n)]).toEqual([['one'], [PROCESSING], ['progress']]);
  expect(stage.attempt()).toMatchObject({ paused_by: 'parked', not_before: expect.stringMatching(/T00:00:00\.000Z$/) });
});

test('an MCP server that does not start: exit 1, nothing claimed, and what is unsettled is parked with the reason', async () => {
  stage = await setStage({
    script: ({ n }) => (n === 0 ? { status: 429, headers: { 'retry-after': '600' } } : done('Done.')),
  });
  const n = stage.issue();
  const { mcp_servers: working } = stage.settings();
  expect((await stage.tick()).code).toBe(0);
  const other = stage.issue({ title: 'Another' });
  stage.configure({
    mcp_servers: [{ mcp_server_name: 'broken', command: [process.execPath, join(stage.dir, 'missing.mjs')] }],
  });
  due();
  const { code, stdout, stderr } = await stage.tick();
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^agent: an MCP server does not start: broken[^\n]*\n$/);
  expect([stage.labels(other), stage.comments(other)]).toEqual([['coding agent'], []]);
  expect(stage.query('SELECT task_id, status, paused_by FROM tasks')).toEqual([
    { task_id: '1', status: 'paused', paused_by: 'parked' },
  ]);
  expect(stage.kinds(n)).toEqual(['progress']);
  expect(stage.comments(n)[0]!.body).toMatch(/\*\*Waiting\*\* — The MCP server broken[^\n]* does not start\./);
  stage.configure({ mcp_servers: working });
  due();
  expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect([stage.labels(n), stage.labels(other)]).toEqual([['awaiting-response'], ['awaiting-response']]);
});
