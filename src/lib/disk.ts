const CODES = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_BUSY'];

/** Whether the disk is the problem, and not the work: it is full, read-only, broken, or locked by another program. */
export function isDiskTrouble(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code !== 'string') return false;
  return CODES.some((known) => code === known || code.startsWith(`${known}_`)); // SQLITE_IOERR_WRITE …
}
