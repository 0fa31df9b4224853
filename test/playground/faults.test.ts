import { startPlayground, type Playground } from '../../src/playground/start.js';

const PATH = 'octo/hello';
const NOW = Date.parse('2024-05-01T10:00:00Z');
let playground: Playground;

beforeEach(async () => {
  playground = await startPlayground({ now: () => NOW });
  for (const world of Object.values(playground.world)) {
    world.addRepository(PATH);
    world.addToken('token-abc', 'agent-bot');
    world.setAccess(PATH, 'agent-bot', 'write');
    world.addIssue(PATH, { title: 'Broken', author: 'alice' });
  }
});
afterEach(() => playground.close());

test('a request that fails before it takes effect leaves nothing behind, and the next one works', async () => {
  playground.faults.add({ kind: 'fail_before', method: 'POST', status: 503 });
  expect((await post()).status).toBe(503);
  expect(written()).toEqual([]);
  expect((await post()).status).toBe(201);
  expect(written()).toEqual(['Hello']);
});

test('a request whose answer is a 502 has taken effect', async () => {
  playground.faults.add({ kind: 'commit_then_502', path: /comments$/ });
  expect((await post()).status).toBe(502);
  expect(written()).toEqual(['Hello']);
});

test('a connection is dropped after the effect, or before it', async () => {
  playground.faults.add({ kind: 'commit_then_drop' });
  playground.faults.add({ kind: 'drop_before' });
  await expect(post()).rejects.toThrow();
  expect(written()).toEqual(['Hello']);
  await expect(post()).rejects.toThrow();
  expect(written()).toEqual(['Hello']);
  expect(playground.journal.map((entry) => entry.status)).toEqual([null, null]);
});

test('a fault strikes the forge, method, path and turn it is meant for', async () => {
  playground.faults.add({ kind: 'fail_before', forge: 'github', method: 'GET', path: '/issues/1', skip: 1, times: 2 });
  const statuses = [];
  for (let n = 0; n < 4; n++) statuses.push((await get('/repos/octo/hello/issues/1')).status);
  expect(statuses).toEqual([200, 500, 500, 200]);
  expect((await get('/repos/octo/hello')).status).toBe(200);
});

test('GitHub tells of its limits in three ways', async () => {
  playground.faults.add({ kind: 'rate_429', retryAfter: 7 });
  playground.faults.add({ kind: 'secondary_403' });
  playground.faults.add({ kind: 'primary_limit', resetInSeconds: 90 });
  const [tooMany, secondary, primary] = [await get('/user'), await get('/user'), await get('/user')];
  expect([tooMany.status, tooMany.headers.get('retry-after')]).toEqual([429, '7']);
  expect([secondary.status, secondary.headers.get('retry-after')]).toEqual([403, null]);
  expect(await secondary.json()).toMatchObject({ message: expect.stringContaining('secondary rate limit') as string });
  expect([primary.status, primary.headers.get('x-ratelimit-remaining')]).toEqual([403, '0']);
  expect(primary.headers.get('x-ratelimit-reset')).toBe(String(NOW / 1000 + 90));
});

test('GitLab answers too many requests in plain text', async () => {
  playground.faults.add({ kind: 'rate_429', forge: 'gitlab', retryAfter: 3 });
  const answer = await fetch(`${playground.gitlab.apiUrl}/user`, { headers: { 'private-token': 'token-abc' } });
  expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([429, '3', 'Retry later\n']);
});

test('garbage is a page in the place of JSON', async () => {
  playground.faults.add({ kind: 'garbage' });
  const answer = await get('/user');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
});

test('a delayed request takes effect after all', async () => {
  playground.faults.add({ kind: 'delay', ms: 20 });
  const started = performance.now();
  expect((await post()).status).toBe(201);
  expect(performance.now() - started).toBeGreaterThan(15);
});

test('onRequest sees every request before and after its effect', async () => {
  const seen: string[] = [];
  playground.onRequest = ({ forge, method, path, index }, phase) => {
    seen.push(`${index} ${forge} ${method} ${path} ${phase}: ${written().length}`);
  };
  await post();
  await get('/user');
  expect(seen).toEqual([
    '0 github POST /repos/octo/hello/issues/1/comments before: 0',
    '0 github POST /repos/octo/hello/issues/1/comments after: 1',
    '1 github GET /user before: 1',
    '1 github GET /user after: 1',
  ]);
});

test('a request that hangs is not answered, and does not keep the playground from closing', async () => {
  playground.onRequest = (_request, phase) => (phase === 'after' ? 'hang' : undefined);
  const lost = expect(post()).rejects.toThrow();
  while (written().length === 0) await new Promise(setImmediate);
  await playground.close();
  await lost;
});

test('the journal knows who asked what, and can be cleared', async () => {
  await post();
  const entry = { forge: 'github', method: 'POST', status: 201, user: 'agent-bot', conditional: false, at: NOW };
  const path = '/repos/octo/hello/issues/1/comments';
  expect([...playground.journal]).toEqual([{ ...entry, path, body: { body: 'Hello' } }]);
  playground.journal.clear();
  expect(playground.journal).toHaveLength(0);
});

function written(): string[] {
  return playground.world.github.comments(PATH, 1).map((comment) => comment.body);
}

function get(path: string): Promise<Response> {
  return fetch(playground.github.apiUrl + path, { headers: { authorization: 'token token-abc' } });
}

function post(): Promise<Response> {
  return fetch(`${playground.github.apiUrl}/repos/octo/hello/issues/1/comments`, {
    method: 'POST',
    headers: { authorization: 'Bearer token-abc', 'content-type': 'application/json' },
    body: JSON.stringify({ body: 'Hello' }),
  });
}
