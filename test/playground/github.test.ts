import { Octokit } from '@octokit/rest';
import { startPlayground, type Playground } from '../../src/playground/start.js';

const PATH = 'octo/hello';
const REPO = { owner: 'octo', repo: 'hello' };
let playground: Playground;
let octokit: Octokit;
let now: number;

beforeEach(async () => {
  now = Date.parse('2024-05-01T10:00:00.400Z');
  playground = await startPlayground({ now: () => now });
  const { github } = playground.world;
  github.addRepository(PATH);
  github.addToken('token-abc', 'agent-bot', { scopes: ['repo', 'read:org'] });
  github.setAccess(PATH, 'agent-bot', 'write');
  github.addIssue(PATH, { title: 'Broken', body: 'It is.', author: 'alice', labels: ['Coding Agent'], by: 'octo' });
  octokit = connect('token-abc');
});
afterEach(() => playground.close());

test('comments come in ascending order, page after page, to octokit', async () => {
  for (let n = 1; n <= 65; n++) playground.world.github.comment(PATH, 1, { author: 'alice', body: `no. ${n}` });
  const all = await octokit.paginate(octokit.rest.issues.listComments, { ...REPO, issue_number: 1 });
  expect(all.map((comment) => comment.body)).toEqual(Array.from({ length: 65 }, (_, at) => `no. ${at + 1}`));
  expect(playground.journal.map((entry) => entry.status)).toEqual([200, 200, 200]);
});

test('the Link header leads to the pages around', async () => {
  for (let n = 1; n <= 5; n++) playground.world.github.comment(PATH, 1, { author: 'alice', body: `no. ${n}` });
  const request = { ...REPO, issue_number: 1, per_page: 2 };
  const rels = async (page: number) => {
    const { headers } = await octokit.rest.issues.listComments({ ...request, page });
    return [...(headers.link ?? '').matchAll(/[?&]page=(\d+)>; rel="(\w+)"/g)].map(([, to, rel]) => `${rel} ${to}`);
  };
  expect(await rels(1)).toEqual(['next 2', 'last 3']);
  expect(await rels(2)).toEqual(['prev 1', 'next 3', 'last 3', 'first 1']);
  expect(await rels(3)).toEqual(['prev 2', 'first 1']);
});

test('an unchanged answer is a 304 that uses no quota', async () => {
  const first = await octokit.rest.issues.get({ ...REPO, issue_number: 1 });
  const headers = { 'if-none-match': first.headers.etag ?? '' };
  await expect(octokit.rest.issues.get({ ...REPO, issue_number: 1, headers })).rejects.toMatchObject({ status: 304 });
  const { data } = await octokit.rest.rateLimit.get();
  expect(data.resources.core).toMatchObject({ limit: 5000, used: 1, remaining: 4999 });

  playground.world.github.comment(PATH, 1, { author: 'alice', body: 'News' });
  expect((await octokit.rest.issues.get({ ...REPO, issue_number: 1, headers })).status).toBe(200);
  expect(playground.journal.filter((entry) => entry.conditional).map((entry) => entry.status)).toEqual([304, 200]);
});

test('labels are found without regard to case, pull requests among the issues', async () => {
  const { github } = playground.world;
  github.addPullRequest(PATH, { title: 'Fix', author: 'alice', head: 'fix', base: 'main', labels: ['coding agent'] });
  github.addIssue(PATH, { title: 'Other', author: 'alice' });
  const { data } = await octokit.rest.issues.listForRepo({ ...REPO, labels: 'CODING AGENT' });
  expect(data.map((issue) => [issue.number, 'pull_request' in issue])).toEqual([
    [2, true],
    [1, false],
  ]);
});

test('every change moves updated_at, in whole seconds', async () => {
  const { github } = playground.world;
  const seen = async () => (await octokit.rest.issues.get({ ...REPO, issue_number: 1 })).data.updated_at;
  expect(await seen()).toBe('2024-05-01T10:00:00Z');
  now += 5_000;
  const id = github.comment(PATH, 1, { author: 'alice', body: 'One' });
  expect(await seen()).toBe('2024-05-01T10:00:05Z');
  now += 5_000;
  github.editComment(id, 'Two');
  expect(await seen()).toBe('2024-05-01T10:00:10Z');
  now += 5_000;
  github.label(PATH, 1, 'bug', 'alice');
  expect(await seen()).toBe('2024-05-01T10:00:15Z');
});

test('since reports what was written or edited at that second or later', async () => {
  const { github } = playground.world;
  const first = github.comment(PATH, 1, { author: 'alice', body: 'Old' });
  github.comment(PATH, 1, { author: 'alice', body: 'Older' });
  now += 60_000;
  github.editComment(first, 'Edited');
  github.comment(PATH, 1, { author: 'alice', body: 'New' });
  const since = '2024-05-01T10:01:00Z';
  const { data } = await octokit.rest.issues.listComments({ ...REPO, issue_number: 1, since });
  expect(data.map((comment) => comment.body)).toEqual(['Edited', 'New']);
});

test('labels that are put on and taken off leave events with their actors', async () => {
  await octokit.rest.issues.addLabels({ ...REPO, issue_number: 1, labels: ['made on the way'] });
  await octokit.rest.issues.removeLabel({ ...REPO, issue_number: 1, name: 'coding agent' });
  const { data } = await octokit.rest.issues.listEvents({ ...REPO, issue_number: 1 });
  const told = data.map((event) => [event.event, event.actor?.login, 'label' in event ? event.label?.name : null]);
  expect(told).toEqual([
    ['labeled', 'octo', 'Coding Agent'],
    ['labeled', 'agent-bot', 'made on the way'],
    ['unlabeled', 'agent-bot', 'Coding Agent'],
  ]);
  expect(playground.world.github.labelHistory(PATH, 1).map((entry) => entry.labels)).toEqual([
    [],
    ['Coding Agent'],
    ['Coding Agent', 'made on the way'],
    ['made on the way'],
  ]);
});

test('a label that is not there, or there already, is refused as GitHub does', async () => {
  const gone = octokit.rest.issues.removeLabel({ ...REPO, issue_number: 1, name: 'never' });
  await expect(gone).rejects.toMatchObject({ status: 404, response: { data: { message: 'Label does not exist' } } });
  const twice = octokit.rest.issues.createLabel({ ...REPO, name: 'CODING agent', color: 'ff0000' });
  const errors = [{ resource: 'Label', code: 'already_exists', field: 'name' }];
  await expect(twice).rejects.toMatchObject({ status: 422, response: { data: { errors } } });
});

test('a deleted issue is gone, a deleted repository was never there', async () => {
  playground.world.github.deleteItem(PATH, 1);
  await expect(octokit.rest.issues.get({ ...REPO, issue_number: 1 })).rejects.toMatchObject({ status: 410 });
  playground.world.github.deleteRepository(PATH);
  await expect(octokit.rest.issues.get({ ...REPO, issue_number: 1 })).rejects.toMatchObject({ status: 404 });
});

test.each([
  ['admin', 'admin', { admin: true, push: true, triage: true, pull: true }],
  ['write', 'write', { admin: false, push: true, triage: true, pull: true }],
  ['triage', 'read', { admin: false, push: false, triage: true, pull: true }],
  ['read', 'read', { admin: false, push: false, triage: false, pull: true }],
] as const)('somebody with %s access has the permission %s', async (level, permission, permissions) => {
  playground.world.github.setAccess(PATH, 'bob', level);
  const { data } = await octokit.rest.repos.getCollaboratorPermissionLevel({ ...REPO, username: 'bob' });
  expect(data).toMatchObject({ permission, role_name: level, user: { login: 'bob', permissions } });
});

test('strangers may comment on what is public, and label nothing', async () => {
  playground.world.github.addToken('token-guest', 'guest');
  const guest = connect('token-guest');
  const { data } = await guest.rest.issues.createComment({ ...REPO, issue_number: 1, body: 'Me too' });
  expect(data.author_association).toBe('NONE');
  const labelling = guest.rest.issues.addLabels({ ...REPO, issue_number: 1, labels: ['bug'] });
  await expect(labelling).rejects.toMatchObject({ status: 403 });
});

test('/user tells the scopes of a classic token and nothing of a fine-grained one', async () => {
  playground.world.github.addToken('token-fine', 'agent-bot', { scopes: null });
  const scopes = async (auth: string) => {
    const { headers } = await connect(auth).rest.users.getAuthenticated();
    return headers['x-oauth-scopes'];
  };
  expect(await scopes('token-abc')).toBe('repo, read:org');
  expect(await scopes('token-fine')).toBeUndefined();
});

test('a search finds what an owner has, and not what it may not see', async () => {
  const { github } = playground.world;
  github.addRepository('octo/secret', { private: true });
  github.addIssue('octo/secret', { title: 'Hidden', author: 'octo', labels: ['coding agent'] });
  github.addRepository('octo/second');
  github.addIssue('octo/second', { title: 'Closed', author: 'octo', labels: ['coding agent'] });
  github.close('octo/second', 1, 'octo');
  const q = 'is:issue state:open label:"coding agent" user:octo';
  const { data } = await octokit.rest.search.issuesAndPullRequests({ q });
  expect(data.items.map((item) => item.repository_url)).toEqual([`${playground.github.apiUrl}/repos/octo/hello`]);
});

test('bots are told by their type', async () => {
  playground.world.github.comment(PATH, 1, { author: 'renovate[bot]', body: 'Update' });
  const { data } = await octokit.rest.issues.listComments({ ...REPO, issue_number: 1 });
  expect(data[0]?.user).toMatchObject({ login: 'renovate[bot]', type: 'Bot' });
});

test('the newest of 10,000 comments are read without delay', async () => {
  for (let n = 1; n <= 10_000; n++) playground.world.github.comment(PATH, 1, { author: 'alice', body: `no. ${n}` });
  const page = { ...REPO, issue_number: 1, per_page: 100, page: 100 };
  const started = performance.now();
  const { data } = await octokit.rest.issues.listComments(page);
  expect(data.at(-1)?.body).toBe('no. 10000');
  expect(performance.now() - started).toBeLessThan(500);
});

function connect(auth: string): Octokit {
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  return new Octokit({ auth, baseUrl: playground.github.apiUrl, log });
}
