/** One thing that was looked at. */
export interface Check {
  name: string;
  status: 'ok' | 'warning' | 'problem';
  message: string;
  /** What to do; null where nothing needs to be done. */
  fix: string | null;
}

export function ok(name: string, message: string): Check {
  return { name, status: 'ok', message, fix: null };
}

export function warning(name: string, message: string, fix: string): Check {
  return { name, status: 'warning', message, fix };
}

export function problem(name: string, message: string, fix: string): Check {
  return { name, status: 'problem', message, fix };
}

/** An error's message with that of its innermost cause: `fetch failed` alone helps nobody. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? messageOf(error.cause) : '';
  return cause && !error.message.includes(cause) ? `${error.message} (${cause})` : error.message;
}

/** Aborted when the process is told to stop, or when the time is over. */
export function limited(signal: AbortSignal, ms: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}
