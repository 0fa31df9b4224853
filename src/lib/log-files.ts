import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { localDay } from './clock.js';

const DAY_MS = 86_400_000;

/**
 * Compresses the files of earlier days and deletes the expired ones. winston does so only in a process
 * that is alive at midnight, which one that cron starts anew every minute is not.
 */
export function tidyLogFiles(dir: string, now: number, keepDays: number): void {
  const today = localDay(now);
  const oldest = localDay(now - keepDays * DAY_MS);
  for (const name of readdirSync(dir)) {
    const [, date, archived] = /^agent-(\d{4}-\d\d-\d\d)\.log(\.gz)?$/.exec(name) ?? [];
    if (date === undefined || date >= today) continue;
    const file = join(dir, name);
    if (date < oldest) rmSync(file, { force: true });
    else if (archived === undefined) archive(file);
  }
}

function archive(file: string): void {
  writeFileSync(`${file}.gz`, gzipSync(readFileSync(file)), { mode: 0o600 });
  rmSync(file);
}
