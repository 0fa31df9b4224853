const CODES = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY'];

/** Whether the disk is the problem, and not the work: it is full, read-only or broken. */
export function isDiskTrouble(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  const code = String(error.code);
  return CODES.some((known) => code === known || code.startsWith(`${known}_`)); // SQLITE_IOERR_WRITE …
}
