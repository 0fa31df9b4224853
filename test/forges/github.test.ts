import type { TaskKey } from '../../src/task/key.js';
import { freshParts, openForge } from './rig.js';
import { serve, type Reply } from './server.js';

const KEY: TaskKey = { source: 'github', owner: 'octo', repo: 'hello', type: 'pull_request', id: '7' };
const AT = '2026-03-01T10:00:00Z';
const comment = { id: 1, user: { login: 'ann', type: 'User' }, body: 'fine', created_at: AT, updated_at: AT };

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

async function github(answer: (url: URL) => Reply) {
  const server = await serve(answer);
  close = server.close;
  const parts = freshParts();
  return { forge: openForge('github', `${server.origin}/`, parts), parts, asked: server.asked };
}

test('a malformed comment is skipped with a warning, the others count', async () => {
  const { forge, parts } = await github(() => ({
    body: [
      { ...comment, id: null },
      { ...comment, user: undefined },
      { ...comment, body: 5 },
      { ...comment, created_at: 'yesterday' },
      'nonsense',
      null,
      comment,
    ],
  }));
  expect((await forge.commentsSince(KEY, null, { reviews: false })).map(({ id }) => id)).toEqual(['1']);
  expect(parts.log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual(
    Array(6).fill('warning malformed comment skipped'),
  );
});

test('a deleted account is ghost, and a machine is told', async () => {
  const { forge } = await github(() => ({
    body: [
      { ...comment, user: null },
      { ...comment, id: 2, user: { login: 'ci', type: 'Bot' } },
      { ...comment, id: 3, user: { login: 'dependabot[bot]', type: 'User' } },
    ],
  }));
  const comments = await forge.commentsSince(KEY, null, { reviews: false });
  expect(comments.map(({ author, bot }) => [author, bot])).toEqual([
    ['ghost', false],
    ['ci', true],
    ['dependabot[bot]', true],
  ]);
});

test('ids that do not fit a number stay as they are', async () => {
  const { forge } = await github(() => ({
    body: JSON.stringify([comment]).replace('"id":1', '"id":9007199254740993'),
  }));
  expect((await forge.commentsSince(KEY, null, { reviews: false }))[0]?.id).toBe('9007199254740993');
});

test('reviews and what they say of lines are read where asked for, a pending one is not', async () => {
  const { forge } = await github(({ pathname }) => {
    if (pathname.endsWith('/pulls/7/comments')) return { body: [{ ...comment, id: 2, path: 'a.ts', line: 3 }] };
    if (!pathname.endsWith('/pulls/7/reviews')) return { body: [comment] };
    const review = { ...comment, state: 'APPROVED', submitted_at: AT };
    return {
      body: [
        { ...review, id: 3 },
        { ...review, id: 4, state: 'PENDING' },
        { ...review, id: 5, body: '' },
      ],
    };
  });
  const comments = await forge.commentsSince(KEY, null, { reviews: true });
  expect(comments.map(({ kind, path, line }) => [kind, path, line])).toEqual([
    ['comment', undefined, undefined],
    ['review_comment', 'a.ts', 3],
    ['review', undefined, undefined],
  ]);
});

test('a change too large to be compared is worked on without its list of files', async () => {
  const { forge } = await github(() => ({ status: 422, body: { message: 'Sorry, this diff is taking too long' } }));
  expect(await forge.changedFiles(KEY)).toEqual([]);
});

test('a pull request is worked on by what its issue tells, where the routes of its own tell nothing', async () => {
  const item = { number: 7, title: 'T', state: 'open', user: { login: 'ann' }, created_at: AT, pull_request: {} };
  const { forge } = await github(({ pathname }) => {
    if (pathname.includes('/pulls/7')) return { status: 404, body: { message: 'Not Found' } };
    return { body: pathname.endsWith('/comments') ? [comment] : item };
  });
  expect(await forge.getItem(KEY)).toMatchObject({ key: KEY, title: 'T' });
  expect(await forge.commentsSince(KEY, null, { reviews: true })).toMatchObject([{ body: 'fine' }]);
});

test('a write that is answered without a word took effect; a comment without an id may have', async () => {
  const { forge, asked } = await github(() => ({ body: '' }));
  await forge.changeLabels(KEY, ['a'], ['b']);
  await forge.editComment(KEY, '1', 'hello');
  await expect(forge.postComment(KEY, 'hello')).rejects.toMatchObject({ kind: 'open' });
  expect(asked.map(({ method }) => method)).toEqual(['POST', 'DELETE', 'PATCH', 'POST']);
});

test('of 250 reviews only the last page is read again, conditionally, and an edit there shows', async () => {
  let edited = '';
  const { forge, asked } = await github(({ pathname, searchParams }) => {
    if (!pathname.endsWith('/reviews')) return { body: [] };
    const page = Number(searchParams.get('page') ?? 1);
    const link = page < 3 ? { link: `<http://x${pathname}?per_page=100&page=${page + 1}>; rel="next"` } : {};
    const ids = Array.from({ length: page < 3 ? 100 : 50 }, (_, i) => (page - 1) * 100 + i + 1);
    const body = ids.map((id) => ({ ...comment, id, state: 'COMMENTED', submitted_at: AT, body: edited || 'said' }));
    return { headers: { ...link, etag: `"${page} ${edited}"` }, body };
  });
  expect(await forge.commentsSince(KEY, null, { reviews: true })).toHaveLength(250);
  const later = { updatedAt: '2026-03-01T11:00:00Z', known: () => true };
  const look = async () => {
    asked.length = 0;
    const found = await forge.commentsSince(KEY, later, { reviews: true });
    const reviews = asked.filter(({ path }) => path.includes('/reviews'));
    return { found: found.length, pages: reviews.map(({ headers }) => headers['if-none-match'] ?? 'anew') };
  };
  expect(await look()).toEqual({ found: 50, pages: ['anew'] });
  edited = 'said otherwise';
  expect(await look()).toEqual({ found: 50, pages: ['"3 "'] });
});

test('an issue that was moved to another repository is null', async () => {
  const moved = { status: 301, headers: { location: '/repositories/9/issues/3' } };
  const { forge } = await github(({ pathname }) => (pathname.endsWith('/issues/7') ? moved : { body: {} }));
  expect(await forge.getItem(KEY)).toBeNull();
});

test.each([404, 301])('an item whose repository cannot be seen either (%s) is not gone', async (status) => {
  const { forge, asked } = await github(() => ({ status, headers: { location: '/repositories/9' } }));
  await expect(forge.getItem(KEY)).rejects.toMatchObject({ kind: 'forbidden', details: { status } });
  await expect(forge.postComment(KEY, 'hello')).rejects.toMatchObject({ kind: 'forbidden' });
  expect(asked.filter(({ path }) => path.endsWith('/repos/octo/hello'))).toHaveLength(1);
});

test('an answer of another shape is tried again, then unreachable', async () => {
  const { forge, asked } = await github(() => ({ body: { message: 'hello from a portal' } }));
  await expect(forge.listLabels('octo/hello')).rejects.toMatchObject({ kind: 'unreachable' });
  expect(asked).toHaveLength(4);
});

test('an item that does not name its repository belongs to the one that was asked', async () => {
  const item = {
    number: 7,
    title: 'T',
    state: 'open',
    user: { login: 'ann' },
    labels: ['coding agent'],
    created_at: AT,
  };
  const { forge } = await github(({ pathname }) => ({ body: pathname.endsWith('/7') ? item : [item] }));
  const [head] = await forge.findByLabel({ kind: 'repository', path: 'octo/hello' }, 'coding agent');
  expect(head).toMatchObject({ key: { ...KEY, type: 'issue' }, labels: ['coding agent'] });
  expect((await forge.getItem(head!.key))?.key).toEqual(head!.key);
});

test('an owner is searched by label, quoted, once for issues and once for pull requests', async () => {
  const { forge, asked } = await github(() => ({ body: { total_count: 0, items: [] } }));
  await forge.findByLabel({ kind: 'owner', name: 'octo', query: 'archived:false' }, 'coding agent');
  expect(asked.map(({ path }) => new URL(path, 'http://x').searchParams.get('q'))).toEqual([
    'is:issue label:"coding agent" state:open user:octo archived:false',
    'is:pr label:"coding agent" state:open user:octo archived:false',
  ]);
});

test('comments are asked for since a minute before the cursor', async () => {
  const { forge, asked } = await github(() => ({ body: [] }));
  await forge.commentsSince(KEY, { updatedAt: AT, known: () => false }, { reviews: false });
  expect(asked[0]?.path).toContain(`since=${encodeURIComponent('2026-03-01T09:59:00Z')}`);
});

test.each([
  [{ permission: 'read', role_name: 'triage', user: { permissions: { triage: true, pull: true } } }, 'triage'],
  [{ permission: 'admin', user: { permissions: {} } }, 'none'],
  [{ permission: 'read', role_name: 'triage', user: {} }, 'triage'],
  [{ permission: 'write', role_name: 'release-crew' }, 'write'],
  [{ permission: 'none' }, 'none'],
  [{}, 'none'],
])('of %j somebody may %s', async (body, access) => {
  const { forge } = await github(() => ({ body }));
  expect(await forge.access('octo/hello', 'ann')).toBe(access);
});

test.each([401, 403])('a token that is told %s has no account of its own', async (status) => {
  const { forge } = await github(() => ({ status, body: { message: 'Resource not accessible by integration' } }));
  expect(await forge.whoAmI()).toBeNull();
});

test('a fine-grained token has no scopes to tell', async () => {
  const fine = await github(() => ({ body: { login: 'ann' } }));
  expect(await fine.forge.inspectToken()).toEqual({ login: 'ann', scopes: null, problems: [] });
});
