import { RequestFailed } from './failures.js';

/** Runs the work under a signal that also ends it after `ms`; too late is a `RequestFailed` like a lost connection. */
export async function within<T>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const late = new RequestFailed(`no answer within ${ms / 1000} s (llm.timeout_seconds)`, {});
  const timer = setTimeout(() => limit.abort(late), ms);
  const forward = () => limit.abort(signal.reason);
  signal.addEventListener('abort', forward, { once: true });
  try {
    signal.throwIfAborted();
    return await work(limit.signal);
  } catch (error) {
    throw limit.signal.reason === late ? late : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', forward);
  }
}
