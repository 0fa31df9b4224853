/** The time given to some work is over. */
export class TimeLimitError extends Error {
  constructor(readonly limitMs: number) {
    super(`no answer within ${limitMs / 1000} s`);
    this.name = 'TimeLimitError';
  }
}

/** The longest a timer of Node can run; given to the SDK, whose own time limits are not to interfere. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Gives work a signal that fires with the outer one or when the time is over, and throws that reason then.
 * The signal is the work's own: the MCP SDK never takes its listeners off, and a task's signal lives long.
 */
export async function withTimeLimit<T>(
  limitMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const onOuterAbort = () => controller.abort(outer?.reason);
  const onTimeOver = () => controller.abort(new TimeLimitError(limitMs));
  const timer = setTimeout(onTimeOver, Math.min(limitMs, LONGEST_TIMER_MS));
  outer?.addEventListener('abort', onOuterAbort, { once: true });
  try {
    return await orAbort(work(controller.signal), controller.signal);
  } catch (error) {
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', onOuterAbort);
  }
}

/** The promise's own end, or the signal's reason if that comes first. */
export async function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
