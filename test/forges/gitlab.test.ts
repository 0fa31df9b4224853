import type { TaskKey } from '../../src/task/key.js';
import { freshParts, openForge } from './rig.js';
import { serve, type Reply } from './server.js';

const KEY: TaskKey = { source: 'gitlab', owner: 'group/sub', repo: 'app', type: 'merge_request', id: '7' };
const AT = '2026-03-01T10:00:00.000Z';
const note = { id: 1, author: { username: 'ann' }, body: 'fine', created_at: AT, updated_at: AT, system: false };
const issue = { iid: 3, state: 'opened', title: 'T', labels: ['coding agent'], created_at: AT, updated_at: AT };

const NOT_FOUND: Reply = { status: 404, body: { message: '404 Not Found' } };
const FORBIDDEN: Reply = { status: 403, body: { message: '403 Forbidden' } };

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

async function gitlab(answer: (url: URL) => Reply, suffix = '/api/v4') {
  const server = await serve(answer);
  close = server.close;
  const parts = freshParts();
  return { forge: openForge('gitlab', `${server.origin}${suffix}`, parts), parts, asked: server.asked };
}

test('a project named by its number gives keys with its path', async () => {
  const { forge, asked } = await gitlab(({ pathname }) => ({
    body: pathname.endsWith('/issues') ? [{ ...issue, references: { full: 'group/sub/app#3' } }] : [],
  }));
  const [head] = await forge.findByLabel({ kind: 'repository', path: '42' }, 'coding agent');
  expect(head?.key).toEqual({ source: 'gitlab', owner: 'group/sub', repo: 'app', type: 'issue', id: '3' });
  expect(asked[0]?.path).toContain('/api/v4/projects/42/issues?labels=coding%20agent&state=opened');
});

test.each([
  ['the list it was asked for', 'group/sub/app', {}],
  ['its page', '42', { web_url: 'https://git.example.com/group/sub/app/-/issues/3' }],
])('an item without references is known by %s', async (_, path, told) => {
  const { forge } = await gitlab(({ pathname }) => ({
    body: pathname.endsWith('/issues') ? [{ ...issue, ...told }] : [],
  }));
  const [head] = await forge.findByLabel({ kind: 'repository', path }, 'coding agent');
  expect(head?.key).toEqual({ source: 'gitlab', owner: 'group/sub', repo: 'app', type: 'issue', id: '3' });
});

test('an item of which nothing tells the project is skipped with a warning', async () => {
  const { forge, parts } = await gitlab(() => ({ body: [issue] }));
  expect(await forge.findByLabel({ kind: 'owner', name: 'group', query: '' }, 'coding agent')).toEqual([]);
  expect(parts.log.lines[0]).toMatchObject({ level: 'warning', message: 'malformed item skipped' });
});

test.each(['issues', 'merge_requests'])(
  'a project that has its %s switched off is worked on all the same',
  async (off) => {
    const { forge } = await gitlab(({ pathname }) => {
      const mark = pathname.endsWith('/issues') ? '#' : '!';
      return pathname.endsWith(off) ? FORBIDDEN : { body: [{ ...issue, references: { full: `group/app${mark}3` } }] };
    });
    const heads = await forge.findByLabel({ kind: 'repository', path: 'group/app' }, 'coding agent');
    expect(heads.map(({ key }) => key.type)).toEqual([off === 'issues' ? 'merge_request' : 'issue']);
  },
);

test('a project that shows neither of its lists is forbidden', async () => {
  const { forge } = await gitlab(() => FORBIDDEN);
  const finding = forge.findByLabel({ kind: 'repository', path: 'group/app' }, 'coding agent');
  await expect(finding).rejects.toMatchObject({ kind: 'forbidden' });
});

test('somebody whom an answer told of is not looked up', async () => {
  const event = {
    id: 1,
    action: 'add',
    label: { name: 'coding agent' },
    user: { id: 5, username: 'ann' },
    created_at: AT,
  };
  const { forge, asked } = await gitlab(({ pathname }) => ({
    body: pathname.endsWith('/members/all/5') ? { access_level: 20 } : [event],
  }));
  await forge.newestLabelEvent(KEY, 'coding agent');
  expect(await forge.access('group/sub/app', 'Ann')).toBe('triage');
  expect(asked.map(({ path }) => path).filter((path) => path.includes('/users'))).toEqual([]);
});

test('a malformed note is skipped with a warning, a token’s account is a machine, a deleted one ghost', async () => {
  const { forge, parts } = await gitlab(() => ({
    body: [
      { ...note, id: undefined },
      { ...note, id: 2, author: null },
      { ...note, id: 3, author: { username: 'project_42_bot_ab12' } },
      { ...note, id: 4, system: true },
      { ...note, id: 5, created_at: 'yesterday' },
    ],
  }));
  const comments = await forge.commentsSince(KEY, null, { reviews: false });
  expect(comments.map(({ author, bot }) => [author, bot])).toEqual([
    ['ghost', false],
    ['project_42_bot_ab12', true],
  ]);
  expect(parts.log.lines).toHaveLength(2);
});

test('the files of a change are read where older GitLabs tell them, and work goes on where none does', async () => {
  const changes = [{ new_path: 'a.ts', new_file: true, diff: '@@ -0,0 +1 @@\n+a' }];
  const old = await gitlab(({ pathname }) => (pathname.endsWith('/changes') ? { body: { changes } } : NOT_FOUND));
  expect(await old.forge.changedFiles(KEY)).toEqual([{ path: 'a.ts', status: 'added', additions: 1, deletions: 0 }]);
  await close();
  const { forge } = await gitlab(() => NOT_FOUND);
  expect(await forge.changedFiles(KEY)).toEqual([]);
});

test('labels change in one request that does both', async () => {
  const { forge, asked } = await gitlab(({ pathname }) => ({ body: pathname.endsWith('/labels') ? [] : {} }));
  await forge.changeLabels(KEY, ['a', 'b'], ['c']);
  expect(asked.map(({ method, path }) => `${method} ${path.split('?')[0]}`)).toEqual([
    'GET /api/v4/projects/group%2Fsub%2Fapp/labels',
    'PUT /api/v4/projects/group%2Fsub%2Fapp/merge_requests/7',
  ]);
});

test('an api_url without /api/v4 is understood', async () => {
  const { forge, asked } = await gitlab(() => ({ body: { username: 'ann' } }), '/gitlab/');
  expect(await forge.whoAmI()).toBe('ann');
  expect(asked[0]).toMatchObject({ path: '/gitlab/api/v4/user' });
});

test('a token that cannot be asked about has no scopes to tell', async () => {
  const { forge } = await gitlab(({ pathname }) =>
    pathname.endsWith('/user') ? { body: { username: 'ann' } } : NOT_FOUND,
  );
  expect(await forge.inspectToken()).toEqual({ login: 'ann', scopes: null, problems: [] });
});
