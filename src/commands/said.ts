import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../ports.js';
import type { CommandIo, RunOptions } from './io.js';

const HOUR_MS = 60 * 60_000;

/** A person waits for this run, so that whatever there is to say is said every time. */
export function isByHand({ once, task, dryRun }: RunOptions, { isTTY }: CommandIo): boolean {
  return isTTY || once || dryRun || task !== undefined;
}

/** One line for stderr; the same line at most once an hour where nobody waits, so that cron does not flood a mailbox. */
export function say(line: string, byHand: boolean, dir: string, io: CommandIo): void {
  if (byHand || !wasSaid(line, dir, io.clock)) io.stderr.write(`${line}\n`);
}

/**
 * Whether the text was said within the last hour; if not, it counts as said now. Kept in a file of the data
 * folder, since it must be there where the database cannot be opened. What cannot be written is said again.
 */
export function wasSaid(text: string, dir: string, clock: Clock): boolean {
  const file = join(dir, 'said.json');
  const gist = withoutParticulars(text);
  const now = clock.now();
  const recent = Object.entries(readSaid(file)).filter(([, at]) => Math.abs(now - at) < HOUR_MS);
  if (recent.some(([said]) => said === gist)) return true;
  try {
    writeFileSync(file, JSON.stringify(Object.fromEntries([...recent, [gist, now]])), { mode: 0o600 });
  } catch {
    // a full disk or a folder of somebody else: most likely that is what is being said
  }
  return false;
}

/** A rate limit names another time, and GitHub another request, whenever it is met: it is the same complaint. */
function withoutParticulars(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\d[T ][\d:.]+/g, '<time>').replace(/(request id:? )[\w:-]+/gi, '$1<id>');
}

function readSaid(file: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
  } catch {
    return {}; // not there yet, or cut short by a kill
  }
}
