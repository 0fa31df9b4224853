import { readFileSync, statSync } from 'node:fs';

/**
 * Which process holds a lock on the file, as the kernel tells it without the lock being touched;
 * null: nobody; undefined: this system does not tell.
 */
export function lockHolder(file: string): number | null | undefined {
  try {
    const locks = readFileSync('/proc/locks', 'utf8');
    return holderIn(locks, statSync(file).ino);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' && path === file ? null : undefined;
  }
}

/** `1: POSIX  ADVISORY  WRITE 4711 08:01:131074 0 EOF` */
function holderIn(locks: string, inode: number): number | null {
  for (const line of locks.split('\n')) {
    const [, pid, ino] = /WRITE (-?\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line) ?? [];
    if (Number(ino) === inode) return Number(pid);
  }
  return null;
}
