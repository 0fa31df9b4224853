import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { OperatorError } from './exit.js';
import { createFolder } from './folder.js';

/** Held as long as this object is referenced; better-sqlite3 lets go of the lock when its handle is collected. */
export interface RunLock {
  release(): void;
}

/** Takes the lock, or returns null where another process holds it. The operating system frees it when the process dies. */
export function takeRunLock(file: string): RunLock | null {
  try {
    createPrivately(file);
    return lock(new Database(file, { timeout: 0 }));
  } catch (cause) {
    throw new OperatorError(`cannot take the run lock ${file}: ${(cause as Error).message}`, {
      fix: `Check that ${dirname(file)} is writable and that the disk is not full; a damaged run.lock may be deleted.`,
      cause,
    });
  }
}

/** Only where it is missing: closing a second handle of the file would drop a lock this process holds on it. */
function createPrivately(file: string): void {
  createFolder(dirname(file));
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}

function lock(handle: Database.Database): RunLock | null {
  try {
    handle.exec('BEGIN EXCLUSIVE');
    return { release: () => handle.close() };
  } catch (error) {
    handle.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

/** Told by its code: an error of a native module need not be an instance of our `Error`. */
function isBusy(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY');
}
