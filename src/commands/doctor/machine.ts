import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../../config/config.js';
import { createFolder } from '../../lib/folder.js';
import { takeRunLock } from '../../lib/lock.js';
import { localTime } from '../../report/format.js';
import type { CommandIo } from '../io.js';
import { limited, messageOf, ok, problem, warning, type Check } from './check.js';
import { lockHolder } from './lock-holder.js';

const LEAST_SPACE_BYTES = 200 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;

/** Can be written to, is nobody else's, has room. What is created for the trial is removed again. */
export async function checkDataFolder({ contextStorage: { baseDir }, logging }: Config): Promise<Check[]> {
  return [
    ...checkFolder('data', baseDir, 'context_storage.base_dir'),
    ...checkFolder('log', logging.dir, 'logging.dir'),
  ];
}

function checkFolder(name: string, dir: string, key: string): Check[] {
  let created: string | undefined;
  try {
    created = createFolder(dir);
    const trial = mkdtempSync(join(dir, '.doctor-'));
    writeFileSync(join(trial, 'file'), 'x', { mode: 0o600 });
    rmSync(trial, { recursive: true });
    return [statusOf(name, dir, created !== undefined)];
  } catch (error) {
    return [
      problem(
        name,
        `${dir} cannot be written to: ${messageOf(error)}`,
        `Make it a folder that belongs to you, or set ${key} (or --data-dir) to another one.`,
      ),
    ];
  } finally {
    if (created !== undefined) rmSync(created, { recursive: true, force: true });
  }
}

function statusOf(name: string, dir: string, isNew: boolean): Check {
  const { bavail, bsize } = statfsSync(dir);
  const free = bavail * bsize;
  if (free < LEAST_SPACE_BYTES) {
    return warning(
      name,
      `${dir} has only ${Math.floor(free / MEGABYTE)} MB left`,
      'Make room: `agent clean` deletes what has expired.',
    );
  }
  if (name === 'data' && (statSync(dir).mode & 0o077) !== 0) {
    return warning(name, `${dir} can be read by others`, `chmod 700 ${dir} (the next run does it too)`);
  }
  return ok(
    name,
    isNew ? `${dir} will be created by the first run` : `${dir} is writable, ${Math.floor(free / MEGABYTE)} MB free`,
  );
}

export async function checkLock({ contextStorage: { baseDir } }: Config): Promise<Check[]> {
  const file = join(baseDir, 'run.lock');
  if (!existsSync(file)) return [ok('lock', 'free')];
  const holder = lockHolder(file);
  if (holder) return [ok('lock', `held: a tick is at work (process ${holder})`)];
  try {
    const lock = takeRunLock(file);
    lock?.release();
    return [ok('lock', lock ? 'free' : 'held: a tick is at work')];
  } catch (error) {
    return [problem('lock', messageOf(error), `Delete ${file} if no tick is running.`)];
  }
}

export async function checkPauseSignal({ pauseResume: { enabled, signalFile } }: Config): Promise<Check[]> {
  if (!enabled || !existsSync(signalFile)) return [];
  return [warning('pause', `everything is paused by ${signalFile}`, '`agent resume` ends the pause.')];
}

const CLOCK_LIMIT_MS = 10_000;
const TOLERABLE_MS = 60_000;
const SANE_FROM = Date.UTC(2024, 0);

/** Time-outs and parking times compare our clock with the forge's. */
export async function checkClock(config: Config, io: CommandIo): Promise<Check[]> {
  const fix = 'Set the clock, for example with `timedatectl set-ntp true`.';
  const here = localTime(io.clock.now());
  if (io.clock.now() < SANE_FROM) return [problem('clock', `it says ${here}`, fix)];
  const [source] = config.taskSources;
  const there = source && (await timeAt(config[source]!.apiUrl, io.signal));
  if (!there) return [ok('clock', here)];
  const offMs = io.clock.now() - there;
  if (Math.abs(offMs) <= TOLERABLE_MS) return [ok('clock', `${here}, as ${source} has it`)];
  const seconds = Math.round(Math.abs(offMs) / 1000);
  return [warning('clock', `it is ${seconds} s ${offMs > 0 ? 'ahead of' : 'behind'} ${source}`, fix)];
}

/** Any answer tells the time; none is the forge's check to report. */
async function timeAt(url: string, signal: AbortSignal): Promise<number | null> {
  try {
    const { headers } = await fetch(url, {
      method: 'HEAD',
      redirect: 'manual',
      signal: limited(signal, CLOCK_LIMIT_MS),
    });
    const time = Date.parse(headers.get('date') ?? '');
    return Number.isNaN(time) ? null : time;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

export async function checkGit({ env, signal }: CommandIo): Promise<Check[]> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], {
      env: { PATH: env['PATH'] },
      timeout: 5000,
      signal,
    });
    return [ok('git', stdout.trim())];
  } catch (error) {
    signal.throwIfAborted();
    return [
      warning(
        'git',
        `it does not run: ${messageOf(error)}`,
        "Install git, and see that it is in cron's PATH; MCP servers that work on repositories need it.",
      ),
    ];
  }
}
