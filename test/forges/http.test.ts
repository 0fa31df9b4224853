import { failureOf } from '../../src/forges/failure.js';
import { openLine } from '../../src/forges/http.js';
import type { ForgeError } from '../../src/ports.js';
import { freshParts, TOKEN } from './rig.js';
import { serve, type Reply } from './server.js';

const party = { source: 'github' as const, token: TOKEN, now: () => 1_000_000 };

function refusal(status: number, headers: Record<string, string> = {}, text = ''): ForgeError {
  return failureOf({ url: 'https://api.example.com/user?x=1', status, headers: new Headers(headers), text }, party);
}

describe('what an unsuccessful answer means', () => {
  test.each([
    [401, 'refused'],
    [403, 'forbidden'],
    [404, 'gone'],
    [410, 'gone'],
    [429, 'rate'],
    [400, 'rejected'],
    [409, 'rejected'],
    [422, 'rejected'],
    [500, 'unreachable'],
    [503, 'unreachable'],
  ])('%i is %s', (status, kind) => {
    expect(refusal(status)).toMatchObject({ kind, details: { status, source: 'github' } });
  });

  test('says what, where and why, and never the token', () => {
    const { message } = refusal(401, {}, JSON.stringify({ message: `Bad credentials ${TOKEN}` }));
    expect(message).toContain('GitHub refused the token (401 Bad credentials ***) at https://api.example.com/user');
    expect(message).toContain('github.token');
  });

  test('a limit ends when Retry-After says so', () => {
    const headers = { 'retry-after': '7', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '5000' };
    expect(refusal(403, headers)).toMatchObject({ kind: 'rate', details: { retryAt: 1_007_000 } });
  });

  test('a limit without Retry-After ends at the reset of a used-up quota', () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '5000' };
    expect(refusal(403, headers)).toMatchObject({ kind: 'rate', details: { retryAt: 5_000_000 } });
  });

  test('the reset of a quota that is not used up says nothing of another limit', () => {
    const headers = { 'x-ratelimit-remaining': '4000', 'x-ratelimit-reset': '5000' };
    expect(refusal(429, headers).details.retryAt).toBe(1_060_000);
  });

  test.each([
    'You have exceeded a secondary rate limit.',
    'API rate limit exceeded for user ID 1.',
    'You have triggered an abuse detection mechanism.',
  ])('a limit without any header is a limit all the same: %s', (message) => {
    const limited = refusal(403, {}, JSON.stringify({ message }));
    expect(limited).toMatchObject({ kind: 'rate', details: { retryAt: 1_060_000 } });
  });

  test("GitLab's plain-text 429 is a limit", () => {
    expect(refusal(429, { 'content-type': 'text/plain', 'retry-after': '9' }, 'Retry later\n')).toMatchObject({
      kind: 'rate',
      details: { retryAt: 1_009_000 },
    });
  });
});

describe('the line to a forge', () => {
  const running: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.close()));
  });

  async function start(answer: (url: URL) => Reply) {
    const server = await serve(answer);
    running.push(server);
    return server;
  }

  function line(fetch?: typeof globalThis.fetch) {
    const parts = freshParts();
    return { parts, ...openLine('github', { ...parts, config: { token: TOKEN }, ...(fetch ? { fetch } : {}) }) };
  }

  const moveTo = (location: string, status = 301): Reply => ({ status, headers: { location } });

  test('follows a redirect within the forge', async () => {
    const server = await start(({ pathname }) => (pathname === '/old' ? moveTo('/new') : { body: { ok: pathname } }));
    const response = await line().fetch(`${server.origin}/old`, {});
    expect(await response.json()).toEqual({ ok: '/new' });
  });

  test('does not follow one to another host, and sends nothing there', async () => {
    const stranger = await start(() => ({ body: {} }));
    const server = await start(() => moveTo(`${stranger.origin}/steal`));
    const { repeat, fetch } = line();
    const asking = repeat(() => fetch(`${server.origin}/user`, { headers: { authorization: TOKEN } }));
    await expect(asking).rejects.toMatchObject({ kind: 'unreachable' });
    expect([server.asked.length, stranger.asked.length]).toEqual([1, 0]);
  });

  test('tells those who ask that a thing has moved', async () => {
    const server = await start(() => moveTo('/elsewhere'));
    await expect(line().fetch(`${server.origin}/x`, { redirect: 'manual' })).rejects.toMatchObject({ kind: 'gone' });
  });

  test('does not turn a write into something else by a redirect', async () => {
    const server = await start(() => moveTo('/elsewhere', 302));
    await expect(line().fetch(`${server.origin}/x`, { method: 'POST' })).rejects.toMatchObject({ kind: 'gone' });
    expect(server.asked).toHaveLength(1);
  });

  test('gives up on redirects that never end', async () => {
    const server = await start(() => moveTo('/again'));
    await expect(line().fetch(`${server.origin}/again`, {})).rejects.toMatchObject({ kind: 'gone' });
  });

  test('a 304 that nobody asked for is no answer', async () => {
    const server = await start(() => ({ status: 304 }));
    await expect(line().fetch(server.origin, {})).rejects.toMatchObject({ kind: 'unreachable' });
  });

  test('a time-out is tried again and is unreachable in the end', async () => {
    const timedOut = () => Promise.reject(new DOMException('The operation timed out', 'TimeoutError'));
    const { repeat, fetch, parts } = line(timedOut);
    await expect(repeat(() => fetch('http://127.0.0.1/', {}))).rejects.toMatchObject({ kind: 'unreachable' });
    expect(parts.clock.slept).toHaveLength(3);
    expect(parts.log.lines).toHaveLength(3);
  });

  test('a server that asks for more than a minute is not waited for', async () => {
    const server = await start(() => ({ status: 503, headers: { 'retry-after': '120' } }));
    const { repeat, fetch, parts } = line();
    const retryAt = parts.clock.now() + 120_000;
    const asking = repeat(() => fetch(server.origin, {}));
    await expect(asking).rejects.toMatchObject({ kind: 'unreachable', details: { retryAt } });
    expect(server.asked).toHaveLength(1);
  });

  test('names the code of a connection that failed', async () => {
    const server = await serve(() => ({}));
    await server.close();
    await expect(line().fetch(server.origin, {})).rejects.toThrow(/could not be reached \(ECONNREFUSED\) at/);
  });
});
