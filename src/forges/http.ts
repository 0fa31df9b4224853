import { withRetry, type Verdict } from '../lib/retry.js';
import { ForgeError, type Clock, type Log, type ResponseCache } from '../ports.js';
import type { Source } from '../task/key.js';
import { failureOf, moved, stillLimited, unreachable, unreadable, type Party } from './failure.js';

/** What an adapter is made of. */
export interface ForgeOptions<C> {
  config: C;
  clock: Clock;
  cache: ResponseCache;
  log: Log;
  signal: AbortSignal;
  fetch?: typeof fetch;
  /** Keeps the time before which the forge wants no request, so that the next tick heeds it too. */
  memory?: { get(key: string): string | null; set(key: string, value: string): void };
}

/** All that goes over the wire to one forge goes through here, whichever client asks. */
export interface Line {
  readonly party: Party;
  /** One exchange: answers are 2xx with JSON (or nothing, 204) and 304; all else throws `ForgeError`. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** For reads and idempotent writes: tried again by the one policy. */
  repeat<T>(ask: () => Promise<T>): Promise<T>;
  /** For posts: asked once; where the answer was lost the error says 'open'. */
  once<T>(ask: () => Promise<T>): Promise<T>;
  /** While `ask` runs, `repeat` asks once. */
  promptly<T>(ask: () => Promise<T>): Promise<T>;
}

const TIMEOUT_MS = 30_000;
const MOST_REDIRECTS = 5;
const WORTH_WAITING_MS = 1000;

export function openLine(source: Source, options: ForgeOptions<{ token: string }>): Line {
  const { clock, log, memory, signal } = options;
  const party: Party = { source, token: options.config.token, now: () => clock.now() };
  const send = sender(party, signal, options.fetch ?? fetch);
  const fact = `limited:${source}`;
  let limitedUntil = Number(memory?.get(fact) ?? 0);
  let hurries = 0;
  const heed = (error: unknown): void => {
    if (!(error instanceof ForgeError) || error.kind !== 'rate') return;
    if (error.details.guessed && hurries > 0) return; // a look backs off by itself, 1, 2, 4 … 60 s
    limitedUntil = Math.max(limitedUntil, error.details.retryAt ?? 0); // of two that were under way at once, one may name less
    memory?.set(fact, String(limitedUntil));
  };

  return {
    party,
    async fetch(url, init) {
      if (clock.now() < limitedUntil) throw stillLimited(url, party, limitedUntil);
      try {
        return await exchange(send, url, init, party);
      } catch (error) {
        heed(error);
        throw error;
      }
    },
    repeat: (ask) =>
      withRetry(ask, {
        clock,
        signal,
        judge: (error) => (hurries > 0 ? { again: false } : judge(error, clock.now())),
        onRetry: ({ error, retry, waitMs }) =>
          log.write('warning', 'forge request is tried again', { source, retry, waitMs, error: String(error) }),
      }),
    async promptly(ask) {
      hurries++;
      try {
        return await ask();
      } finally {
        hurries--;
      }
    },
    async once(ask) {
      try {
        return await ask();
      } catch (error) {
        signal.throwIfAborted();
        throw opened(error);
      }
    },
  };
}

function judge(error: unknown, now: number): Verdict {
  if (!(error instanceof ForgeError)) return { again: false };
  const { status, retryAt } = error.details;
  const afterMs = retryAt === undefined ? undefined : Math.max(0, retryAt - now);
  if (error.kind === 'unreachable' && !isRedirect(status))
    return afterMs === undefined ? { again: true } : { again: true, afterMs };
  // A limit that an earlier call ran into is not waited for here, but for the last moment (timers may fire early).
  if (error.kind === 'rate' && afterMs !== undefined && (status || afterMs <= WORTH_WAITING_MS))
    return { again: true, afterMs };
  return { again: false };
}

function opened(error: unknown): unknown {
  if (!(error instanceof ForgeError) || error.kind !== 'unreachable') return error;
  const message = `${error.message}; it may or may not have been posted`;
  return new ForgeError('open', message, { ...error.details, cause: error });
}

type Send = (url: string, init: RequestInit) => Promise<{ response: Response; text: string }>;

async function exchange(send: Send, url: string, init: RequestInit, party: Party): Promise<Response> {
  const { response, text } = await follow(send, url, init, party);
  const { status, headers } = response;
  if (status === 304 && !new Headers(init.headers).has('if-none-match')) {
    throw unreadable(url, party, status, 'no ETag was sent');
  }
  if (status === 204 || status === 205 || status === 304) return new Response(null, { status, headers });
  if (!response.ok) throw failureOf({ url, status, headers, text }, party);
  if (text === '' && (init.method ?? 'GET') !== 'GET') return new Response(null, { status: 204, headers }); // it took effect
  if (!isJson(text)) throw unreadable(url, party, status, 'the answer is no JSON');
  return new Response(text, {
    status,
    headers: { ...Object.fromEntries(headers), 'content-type': 'application/json' },
  });
}

async function follow(send: Send, url: string, init: RequestInit, party: Party, hops = 0) {
  const answer = await send(url, init);
  const { status, headers } = answer.response;
  const location = headers.get('location');
  if (!isRedirect(status) || !location) return answer;
  const target = new URL(location, url);
  if (target.origin !== new URL(url).origin) {
    throw unreadable(
      url,
      party,
      status,
      `it redirects to ${target.origin}, where the token must not go; check api_url`,
    );
  }
  if (!mayFollow(init, status) || hops === MOST_REDIRECTS) throw moved(url, party, status, target.pathname);
  return follow(send, target.href, init, party, hops + 1);
}

/** Callers who want to know that a thing has moved ask with `redirect: 'manual'`. */
function mayFollow({ method = 'GET', redirect }: RequestInit, status: number): boolean {
  return redirect !== 'manual' && (method === 'GET' || status === 307 || status === 308);
}

function isRedirect(status: number | undefined): boolean {
  return status !== undefined && [301, 302, 303, 307, 308].includes(status);
}

function sender(party: Party, signal: AbortSignal, fetchOnce: typeof fetch): Send {
  return async (url, init) => {
    signal.throwIfAborted();
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const response = await fetchOnce(url, { ...init, redirect: 'manual', signal: limit });
      return { response, text: await response.text() };
    } catch (error) {
      signal.throwIfAborted();
      throw unreachable(url, party, error);
    }
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
