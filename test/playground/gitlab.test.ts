import { Gitlab } from '@gitbeaker/rest';
import { startPlayground, type Playground } from '../../src/playground/start.js';

const PATH = 'group/sub/project';
let playground: Playground;
let project: number;
let now: number;

beforeEach(async () => {
  now = Date.parse('2024-05-01T10:00:00.400Z');
  playground = await startPlayground({ now: () => now });
  const { gitlab } = playground.world;
  project = gitlab.addRepository(PATH);
  gitlab.addToken('token-abc', 'agent-bot');
  gitlab.setAccess(PATH, 'agent-bot', 'write');
  gitlab.addIssue(PATH, { title: 'Broken', body: 'It is.', author: 'alice', labels: ['coding agent'], by: 'bob' });
});
afterEach(() => playground.close());

test('gitbeaker reads an issue by the path and by the number of its project', async () => {
  const api = gitbeaker();
  const wanted = {
    ...{ iid: 1, project_id: project, title: 'Broken', description: 'It is.', state: 'opened' },
    ...{ labels: ['coding agent'], references: { full: `${PATH}#1` }, author: { username: 'alice' } },
    updated_at: '2024-05-01T10:00:00.400Z',
  };
  expect(await api.Issues.show(1, { projectId: PATH })).toMatchObject(wanted);
  expect(await api.Issues.show(1, { projectId: project })).toMatchObject(wanted);
});

test('gitbeaker moves labels in one request, which leaves an event for each', async () => {
  const api = gitbeaker();
  await api.Issues.edit(PATH, 1, { addLabels: 'processing', removeLabels: 'coding agent' });
  expect(playground.world.gitlab.labelHistory(PATH, 1).at(-1)?.labels).toEqual(['processing']);
  const events = await api.IssueLabelEvents.all(PATH, 1);
  expect(events.map((event) => [event.action, event.label.name, event.user.username])).toEqual([
    ['add', 'coding agent', 'bob'],
    ['add', 'processing', 'agent-bot'],
    ['remove', 'coding agent', 'agent-bot'],
  ]);
});

test('gitbeaker pages through notes', async () => {
  for (let n = 1; n <= 45; n++) playground.world.gitlab.comment(PATH, 1, { author: 'alice', body: `no. ${n}` });
  const notes = await gitbeaker().IssueNotes.all(PATH, 1, { sort: 'asc' });
  expect(notes).toHaveLength(45);
  expect(notes[44]).toMatchObject({ body: 'no. 45', system: false, noteable_iid: 1 });
});

test('notes come newest first, the forge telling of changes among them', async () => {
  const { gitlab } = playground.world;
  gitlab.comment(PATH, 1, { author: 'alice', body: 'Hello' });
  gitlab.close(PATH, 1, 'bob');
  gitlab.reopen(PATH, 1, 'bob');
  gitlab.editItem(PATH, 1, { body: 'It was.' }, 'mallory');
  gitlab.label(PATH, 1, 'bug', 'bob');
  const notes = (await ask('GET', `${ISSUE}/notes`)).body as { body: string; system: boolean }[];
  expect(notes.map((note) => [note.body, note.system])).toEqual([
    ['changed the description', true],
    ['reopened', true],
    ['closed', true],
    ['Hello', false],
  ]);
});

test('notes in the order of their last change put an edited one first', async () => {
  const { gitlab } = playground.world;
  const first = gitlab.comment(PATH, 1, { author: 'alice', body: 'First' });
  now += 1;
  gitlab.comment(PATH, 1, { author: 'alice', body: 'Second' });
  now += 1;
  gitlab.editComment(first, 'First, edited');
  const { body } = await ask('GET', `${ISSUE}/notes?order_by=updated_at`);
  expect((body as { body: string }[]).map((note) => note.body)).toEqual(['First, edited', 'Second']);
});

test('the headers lead from page to page', async () => {
  for (let n = 1; n <= 5; n++) playground.world.gitlab.comment(PATH, 1, { author: 'alice', body: `no. ${n}` });
  const first = await ask('GET', `${ISSUE}/notes?per_page=2`);
  const last = await ask('GET', `${ISSUE}/notes?per_page=2&page=3`);
  const read = (headers: Headers) =>
    ['x-next-page', 'x-page', 'x-total', 'x-total-pages'].map((key) => headers.get(key));
  expect(read(first.headers)).toEqual(['2', '1', '5', '3']);
  expect(read(last.headers)).toEqual(['', '3', '5', '3']);
  expect(first.headers.get('link')).toContain('rel="next"');
  expect(last.headers.get('link')).not.toContain('rel="next"');
});

test('more than 10,000 notes are paged quickly, and not counted', async () => {
  for (let n = 1; n <= 10_001; n++) playground.world.gitlab.comment(PATH, 1, { author: 'alice', body: `no. ${n}` });
  const started = performance.now();
  const { headers, body } = await ask('GET', `${ISSUE}/notes?order_by=updated_at&per_page=100`);
  expect(performance.now() - started).toBeLessThan(500);
  expect((body as { body: string }[])[0]?.body).toBe('no. 10001');
  expect([headers.get('x-next-page'), headers.get('x-total')]).toEqual(['2', null]);
  expect(headers.get('link')).not.toContain('rel="last"');
});

test('an unchanged answer is a 304', async () => {
  const etag = (await ask('GET', ISSUE)).headers.get('etag') ?? '';
  expect((await ask('GET', ISSUE, undefined, { 'if-none-match': etag })).status).toBe(304);
  playground.world.gitlab.comment(PATH, 1, { author: 'alice', body: 'News' });
  expect((await ask('GET', ISSUE, undefined, { 'if-none-match': etag })).status).toBe(200);
});

test.each([
  ['POST', 'issues/1/notes', { body: 'Hello' }, 201, { body: 'Hello' }],
  ['POST', 'issues/1/notes', { body: ' ' }, 400, {}],
  ['GET', 'issues/9', undefined, 404, { message: '404 Not found' }],
  ['GET', 'issues/1/notes/1', undefined, 404, {}],
  ['POST', 'labels', { name: 'coding agent', color: '#ff0000' }, 409, { message: 'Label already exists' }],
  ['POST', 'labels', { name: 'Coding Agent', color: '#ff0000' }, 201, { color: '#ff0000' }],
  ['GET', 'members/all/1', undefined, 404, { message: '404 Not found' }],
  ['PUT', 'issues/1', { state_event: 'close' }, 200, { state: 'closed' }],
])('%s %s with %j is answered %i', async (method, path, sent, status, body) => {
  const answer = await ask(method, `${PROJECT}/${path}`, sent);
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject(body);
});

test('labels in lists are compared with case', async () => {
  const count = async (labels: string) => ((await ask('GET', `${PROJECT}/issues?labels=${labels}`)).body as []).length;
  expect(await count('coding%20agent')).toBe(1);
  expect(await count('Coding%20Agent')).toBe(0);
});

test('issues and merge requests are counted apart, and a group has those of its subgroups', async () => {
  const { gitlab } = playground.world;
  const files = [{ path: 'a.ts', status: 'added' as const, additions: 1, deletions: 0, patch: '+1' }];
  const change = { title: 'Fix', author: 'alice', head: 'fix', base: 'main', files, labels: ['coding agent'] };
  expect(gitlab.addMergeRequest(PATH, change)).toBe(1);
  expect(gitlab.item(PATH, '!1').title).toBe('Fix');
  expect(gitlab.item(PATH, 1).title).toBe('Broken');
  const issues = await ask('GET', '/groups/group/issues?state=opened&labels=coding%20agent');
  expect(issues.body).toMatchObject([{ iid: 1, title: 'Broken' }]);
  const changes = await ask('GET', '/groups/group%2Fsub/merge_requests?state=opened');
  expect(changes.body).toMatchObject([{ iid: 1, source_branch: 'fix', references: { full: `${PATH}!1` } }]);
  const diffs = await ask('GET', `${PROJECT}/merge_requests/1/diffs`);
  expect(diffs.body).toMatchObject([{ new_path: 'a.ts', new_file: true, diff: '+1' }]);
});

test('a note on the diff stands in the discussions with its place', async () => {
  const { gitlab } = playground.world;
  gitlab.addMergeRequest(PATH, { title: 'Fix', author: 'alice', head: 'fix', base: 'main' });
  gitlab.addReviewComment(PATH, '!1', { author: 'bob', body: 'Here', file: 'a.ts', line: 3 });
  const { body } = await ask('GET', `${PROJECT}/merge_requests/1/discussions`);
  const note = { type: 'DiffNote', body: 'Here', position: { new_path: 'a.ts', new_line: 3 } };
  expect(body).toMatchObject([{ individual_note: false, notes: [note] }]);
});

test('a note shows in its issue only where that has not changed for a minute', () => {
  const { gitlab } = playground.world;
  const { updatedAt } = gitlab.item(PATH, 1);
  gitlab.comment(PATH, 1, { author: 'alice', body: 'Soon', at: updatedAt + 60_000 });
  expect(gitlab.item(PATH, 1).updatedAt).toBe(updatedAt);
  gitlab.comment(PATH, 1, { author: 'alice', body: 'Later', at: updatedAt + 60_001 });
  expect(gitlab.item(PATH, 1).updatedAt).toBe(updatedAt + 60_001);
});

test('an award is a change of its note, and none of the issue', async () => {
  const { gitlab } = playground.world;
  const id = gitlab.comment(PATH, 1, { author: 'alice', body: 'Hello', at: 1000 });
  const { updatedAt } = gitlab.item(PATH, 1);
  gitlab.react(id, 'eyes', 'bob');
  expect(gitlab.comments(PATH, 1)[0]!.updatedAt).toBeGreaterThan(1000);
  expect(gitlab.item(PATH, 1).updatedAt).toBe(updatedAt);
});

test('an emoji can be awarded once', async () => {
  const id = playground.world.gitlab.comment(PATH, 1, { author: 'alice', body: 'Hello' });
  const path = `${ISSUE}/notes/${id}/award_emoji`;
  expect(await ask('POST', path, { name: 'eyes' })).toMatchObject({ status: 201, body: { name: 'eyes' } });
  const again = await ask('POST', path, { name: 'eyes' });
  expect(again.status).toBe(404);
  expect(again.body).toEqual({ message: '404 Award Emoji Name has already been taken Not Found' });
  expect(playground.world.gitlab.comments(PATH, 1)[0]?.reactions).toEqual([{ content: 'eyes', author: 'agent-bot' }]);
});

test.each([
  ['read', 10],
  ['triage', 20],
  ['write', 30],
  ['maintain', 40],
  ['admin', 50],
] as const)('a member with %s access has level %i', async (access, level) => {
  playground.world.gitlab.setAccess(PATH, 'carol', access);
  const [user] = (await ask('GET', '/users?username=carol')).body as { id: number }[];
  expect((await ask('GET', `${PROJECT}/members/all/${user?.id}`)).body).toMatchObject({ access_level: level });
});

test('a token tells its scopes; a wrong one, and one that may only read, are refused', async () => {
  expect((await ask('GET', '/personal_access_tokens/self')).body).toMatchObject({ scopes: ['api'] });
  const wrong = await ask('GET', '/user', undefined, { 'private-token': 'wrong' });
  expect([wrong.status, wrong.body]).toEqual([401, { message: '401 Unauthorized' }]);
  playground.world.gitlab.addToken('token-read', 'agent-bot', { scopes: ['read_api'] });
  const readOnly = await ask('POST', `${ISSUE}/notes`, { body: 'Hello' }, { 'private-token': 'token-read' });
  expect(readOnly).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
});

const PROJECT = `/projects/${encodeURIComponent(PATH)}`;
const ISSUE = `${PROJECT}/issues/1`;

function gitbeaker() {
  return new Gitlab({ host: playground.gitlab.apiUrl.replace('/api/v4', ''), token: 'token-abc' });
}

async function ask(method: string, path: string, sent?: unknown, more: Record<string, string> = {}) {
  const headers = { 'private-token': 'token-abc', 'content-type': 'application/json', ...more };
  const body = sent === undefined ? {} : { body: JSON.stringify(sent) };
  const answer = await fetch(playground.gitlab.apiUrl + path, { method, headers, ...body });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: (text === '' ? null : JSON.parse(text)) as unknown };
}
