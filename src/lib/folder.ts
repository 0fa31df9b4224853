import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and those above it, for this user alone, and returns the topmost that was missing. Node's own
 * recursive mkdir never returns where no folder can be although the one above exists (/proc).
 */
export function createFolder(dir: string): string | undefined {
  if (isFolder(dir)) return undefined;
  const above = dirname(dir) === dir ? undefined : createFolder(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if (!isFolder(dir)) throw error; // another tick was faster
  }
  return above ?? dir;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
