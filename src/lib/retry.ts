import type { Clock } from '../ports.js';

/** What to do after a failure: give up, or try again (after the time the server asked for, if it did). */
export type Verdict = { again: false } | { again: true; afterMs?: number };

export interface RetryOptions {
  clock: Clock;
  /** Looks at what was thrown; what it refuses is thrown on as it is. */
  judge(error: unknown): Verdict;
  signal?: AbortSignal | undefined;
  onRetry?: ((failure: { error: unknown; retry: number; waitMs: number }) => void) | undefined;
}

const RETRIES = 3;
const LONGEST_WAIT_MS = 60_000;

/** The one retry policy: 3 more tries after 1, 2, 4 s with jitter; the server's own wish wins, up to a minute. */
export async function withRetry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let retry = 1; ; retry++) {
    try {
      return await attempt();
    } catch (error) {
      options.signal?.throwIfAborted();
      const verdict = options.judge(error);
      if (!verdict.again || retry > RETRIES) throw error;
      const waitMs = verdict.afterMs ?? jitter(1000 * 2 ** (retry - 1));
      if (waitMs > LONGEST_WAIT_MS) throw error;
      options.onRetry?.({ error, retry, waitMs });
      await options.clock.sleep(waitMs, options.signal);
    }
  }
}

function jitter(ms: number): number {
  return Math.round(ms * (0.8 + 0.4 * Math.random()));
}

/** `Retry-After` as milliseconds: seconds or an HTTP date; undefined where there is none. */
export function retryAfterMs(header: string | null | undefined, now: number): number | undefined {
  if (!header) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
