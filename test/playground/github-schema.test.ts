import { startPlayground, type Playground } from '../../src/playground/start.js';
import { githubJudge } from './schemas.js';

const judge = githubJudge();
let playground: Playground;
let ids: Record<string, number>;

beforeAll(async () => {
  playground = await startPlayground();
  ids = furnish(playground);
});
afterAll(() => playground.close());

const R = '/repos/{owner}/{repo}';
const I = `${R}/issues/{issue_number}`;

/** Method and path as GitHub describes it, the status, and what fills the path or is sent. */
const EXCHANGES: [string, string, number, Record<string, string>?, unknown?][] = [
  ['GET', '/user', 200],
  ['GET', '/users/{username}', 200],
  ['GET', '/users/{username}', 404, { username: 'nobody' }],
  ['GET', '/rate_limit', 200],
  ['GET', R, 200],
  ['GET', R, 404, { repo: 'secret' }],
  ['GET', `${R}/issues`, 200],
  ['GET', `${R}/issues`, 404, { repo: 'none' }],
  ['GET', I, 200],
  ['GET', I, 200, { issue_number: '2' }],
  ['GET', I, 404, { issue_number: '99' }],
  ['GET', I, 410, { issue_number: '3' }],
  ['PATCH', I, 200, {}, { state: 'closed' }],
  ['PATCH', I, 200, {}, { state: 'open', title: 'Renamed' }],
  ['PATCH', I, 422, {}, { state: 'ajar' }],
  ['GET', `${I}/comments`, 200],
  ['POST', `${I}/comments`, 201, {}, { body: 'Hello' }],
  ['POST', `${I}/comments`, 422, {}, { body: '' }],
  ['POST', `${I}/comments`, 422, {}, { body: 'x'.repeat(65_537) }],
  ['POST', `${I}/comments`, 410, { issue_number: '3' }, { body: 'Hello' }],
  ['GET', `${R}/issues/comments/{comment_id}`, 200],
  ['GET', `${R}/issues/comments/{comment_id}`, 404, { comment_id: '1' }],
  ['PATCH', `${R}/issues/comments/{comment_id}`, 200, {}, { body: 'Edited' }],
  ['PATCH', `${R}/issues/comments/{comment_id}`, 422, {}, { body: '' }],
  ['POST', `${R}/issues/comments/{comment_id}/reactions`, 201, {}, { content: 'eyes' }],
  ['POST', `${R}/issues/comments/{comment_id}/reactions`, 200, {}, { content: 'eyes' }],
  ['POST', `${R}/issues/comments/{comment_id}/reactions`, 422, {}, { content: 'shrug' }],
  ['POST', `${R}/pulls/comments/{comment_id}/reactions`, 201, { comment_id: 'review' }, { content: '+1' }],
  ['DELETE', `${R}/issues/comments/{comment_id}`, 204],
  ['GET', `${I}/labels`, 200],
  ['POST', `${I}/labels`, 200, {}, { labels: ['new one'] }],
  ['PUT', `${I}/labels`, 200, {}, { labels: ['bug', 'coding agent'] }],
  ['DELETE', `${I}/labels/{name}`, 200, { name: 'BUG' }],
  ['DELETE', `${I}/labels/{name}`, 404, { name: 'bug' }],
  ['GET', `${R}/labels`, 200],
  ['POST', `${R}/labels`, 201, {}, { name: 'fresh', color: 'ff0000', description: 'A label' }],
  ['POST', `${R}/labels`, 422, {}, { name: 'FRESH', color: 'ff0000' }],
  ['GET', `${R}/labels/{name}`, 200, { name: 'fresh' }],
  ['GET', `${R}/labels/{name}`, 404, { name: 'stale' }],
  ['POST', `${I}/assignees`, 201, {}, { assignees: ['agent-bot'] }],
  ['DELETE', `${I}/assignees`, 200, {}, { assignees: ['agent-bot'] }],
  ['GET', `${I}/events`, 200],
  ['GET', `${I}/timeline`, 200],
  ['GET', `${I}/timeline`, 200, { issue_number: '2' }],
  ['GET', `${R}/collaborators/{username}/permission`, 200],
  ['GET', `${R}/collaborators/{username}/permission`, 404, { username: 'nobody' }],
  ['GET', `${R}/pulls/{pull_number}`, 200],
  ['GET', `${R}/pulls/{pull_number}`, 404, { pull_number: '1' }],
  ['GET', `${R}/pulls/{pull_number}/files`, 200],
  ['GET', `${R}/pulls/{pull_number}/comments`, 200],
  ['GET', `${R}/pulls/{pull_number}/reviews`, 200],
];

test.each(EXCHANGES)(
  '%s %s is answered %i as GitHub describes it',
  async (method, template, status, fill = {}, body) => {
    const { answer, text } = await ask(method, pathOf(template, fill), body);
    expect(answer.status).toBe(status);
    expect(judge(method, template, status, text === '' ? undefined : JSON.parse(text))).toEqual([]);
  },
);

test.each([
  [200, 'is:issue state:open label:"coding agent" user:octo'],
  [422, 'state:open label:"coding agent" user:octo'],
  [422, 'is:issue user:nobody-at-all'],
])('a search is answered %i as GitHub describes it: %s', async (status, q) => {
  const { answer, text } = await ask('GET', `/search/issues?q=${encodeURIComponent(q)}`);
  expect(answer.status).toBe(status);
  expect(judge('GET', '/search/issues', status, JSON.parse(text))).toEqual([]);
});

test('an unknown token is answered 401 as GitHub describes it', async () => {
  const answer = await fetch(`${playground.github.apiUrl}/user`, { headers: { authorization: 'Bearer wrong' } });
  const body: unknown = await answer.json();
  expect(answer.status).toBe(401);
  expect(body).toMatchObject({ message: 'Bad credentials', status: '401' });
  expect(judge('GET', '/user', 401, body)).toEqual([]);
});

test('the description is strict: an answer that lacks a field or has a wrong one is told', async () => {
  const { text } = await ask('GET', '/repos/octo/hello/issues/1');
  const issue = JSON.parse(text) as Record<string, unknown>;
  const { number: _number, ...lacking } = issue;
  expect(judge('GET', I, 200, lacking)).not.toEqual([]);
  expect(judge('GET', I, 200, { ...issue, updated_at: '2024-01-01T00:00:00.123Z' })).not.toEqual([]);
  expect(judge('GET', I, 200, { ...issue, user: { login: 'alice' } })).not.toEqual([]);
});

async function ask(method: string, path: string, body?: unknown): Promise<{ answer: Response; text: string }> {
  const headers = { authorization: 'Bearer token-abc', 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(playground.github.apiUrl + path, { method, headers, ...sent });
  return { answer, text: await answer.text() };
}

function pathOf(template: string, fill: Record<string, string>): string {
  const usual = { owner: 'octo', repo: 'hello', issue_number: '1', pull_number: '2', username: 'alice' };
  const comment = String(ids[fill.comment_id ?? 'comment'] ?? fill.comment_id);
  const values: Record<string, string> = { ...usual, ...fill, comment_id: comment };
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

function furnish({ world: { github } }: Playground): Record<string, number> {
  const path = 'octo/hello';
  github.addRepository(path);
  github.addRepository('octo/secret', { private: true });
  github.addToken('token-abc', 'agent-bot');
  github.setAccess(path, 'agent-bot', 'write');
  github.setAccess(path, 'alice', 'triage');
  github.addIssue(path, { title: 'Broken', body: 'It is.', author: 'alice', labels: ['coding agent', 'bug'] });
  const files = [{ path: 'a.ts', status: 'modified' as const, additions: 1, deletions: 2, patch: '@@ -1 +1 @@' }];
  github.addPullRequest(path, { title: 'Fix', author: 'alice', head: 'fix', base: 'main', files });
  github.deleteItem(path, github.addIssue(path, { title: 'Spam', author: 'mallory' }));
  github.unlabel(path, 1, 'bug', 'alice');
  github.assign(path, 1, 'alice', 'octo');
  const comment = github.comment(path, 1, { author: 'agent-bot', body: 'First' });
  github.comment(path, 1, { author: 'renovate[bot]', body: 'Second' });
  const review = github.addReviewComment(path, 2, { author: 'octo', body: 'Here', file: 'a.ts', line: 3 });
  github.addReview(path, 2, { author: 'octo', body: 'Good', state: 'APPROVED' });
  github.merge(path, 2, 'octo');
  return { comment, review };
}
