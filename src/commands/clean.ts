import { join } from 'node:path';
import { cleanExpired, type Deleted } from '../agent/clean.js';
import { OperatorError } from '../lib/exit.js';
import { takeRunLock } from '../lib/lock.js';
import { openStore } from '../store/store.js';
import { taskName } from '../task/key.js';
import type { CommandIo, JsonOptions } from './io.js';
import { openSetting, type Setting } from './setting.js';

/** Deletes settled attempts past their time, as a tick would, and says which. */
export async function cleanCommand(options: JsonOptions, io: CommandIo): Promise<number> {
  const setting = await openSetting(options, io);
  const lock = takeRunLock(join(setting.config.contextStorage.baseDir, 'run.lock'));
  if (!lock) {
    throw new OperatorError('another run is at work, so nothing was deleted', {
      fix: 'Try again when it has ended.',
      exitCode: 75,
    });
  }
  try {
    print(clean(setting, io), options, io);
    return 0;
  } finally {
    lock.release();
    await setting.log.close();
  }
}

function clean({ config, log, storeDeps }: Setting, { clock }: CommandIo): Deleted {
  const store = openStore(config.contextStorage.baseDir, storeDeps);
  try {
    return cleanExpired({ config, clock, log, store }).deleted;
  } finally {
    store.close();
  }
}

function print(deleted: Deleted, { json, quiet }: JsonOptions, { stdout }: CommandIo): void {
  if (json) return void stdout.write(`${JSON.stringify(asJson(deleted), null, 2)}\n`);
  if (quiet) return;
  for (const { uuid, key } of deleted.attempts) stdout.write(`deleted ${uuid} (${taskName(key)})\n`);
  for (const uuid of deleted.orphans) stdout.write(`deleted ${uuid} (belonged to no attempt)\n`);
  if (deleted.attempts.length + deleted.orphans.length === 0) stdout.write('nothing has expired\n');
}

function asJson({ attempts, orphans }: Deleted): object {
  return {
    attempts: attempts.map(({ uuid, key, completedAt }) => ({
      uuid,
      task: taskName(key),
      completed_at: completedAt === null ? null : new Date(completedAt).toISOString(),
    })),
    orphans,
  };
}
