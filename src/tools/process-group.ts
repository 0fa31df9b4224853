import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const TERM_GRACE_MS = 2000;
const KILL_GRACE_MS = 500;
const POLL_MS = 20;

interface Stat {
  state: string;
  group: number;
  startTime: string;
}

/** SIGTERM to the whole group, after 2 s SIGKILL; resolves as soon as it is gone. False: something would not die. */
export async function endGroup(leader: number): Promise<boolean> {
  if (!signalGroup(leader, 'SIGTERM') || (await groupGone(leader, TERM_GRACE_MS))) return true;
  signalGroup(leader, 'SIGKILL');
  return groupGone(leader, KILL_GRACE_MS);
}

async function groupGone(leader: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    await delay(POLL_MS);
    if (!signalGroup(leader, 0) || onlyZombiesIn(leader)) return true;
  }
  return false;
}

/** False: there is nobody in that group. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Orphans that have ended stay in their group until process 1 reaps them; in many containers it never does. */
function onlyZombiesIn(group: number): boolean {
  if (isWorking(statOf(group))) return false;
  const members = allPids()
    .map(statOf)
    .filter((stat) => stat?.group === group);
  return members.length > 0 && !members.some(isWorking);
}

function isWorking(stat: Stat | null): boolean {
  return stat !== null && stat.state !== 'Z';
}

/** None where there is no /proc. */
function allPids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** What tells a process from a later one with the same pid; null: there is none. */
export function processStartTime(pid: number): string | null {
  return startTimeFromProc(pid) ?? startTimeFromPs(pid);
}

/** The kernel counts from the boot, so the boot belongs to it. */
function startTimeFromProc(pid: number): string | null {
  const stat = statOf(pid);
  return stat && `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${stat.startTime}`;
}

/** Fields 3, 5 and 22 of proc(5)'s stat, counted from behind the name, which may hold blanks and brackets. */
function statOf(pid: number): Stat | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', , group, ...others] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, group: Number(group), startTime: others[16] ?? '' };
  } catch {
    return null;
  }
}

function startTimeFromPs(pid: number): string | null {
  try {
    const args = ['-o', 'lstart=', '-p', String(pid)];
    return execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() || null;
  } catch {
    return null;
  }
}
