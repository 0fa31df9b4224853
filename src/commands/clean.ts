import { hostname } from 'node:os';
import { join } from 'node:path';
import { cleanExpired, type Deleted } from '../agent/clean.js';
import { loadConfig } from '../config/load.js';
import { OperatorError } from '../lib/exit.js';
import { takeRunLock } from '../lib/lock.js';
import { createLog } from '../lib/logger.js';
import { createRedactor } from '../lib/redact.js';
import { openStore } from '../store/store.js';
import { taskName } from '../task/key.js';
import type { CommandIo, JsonOptions } from './io.js';

/** Deletes settled attempts past their time, as a tick would, and says which. */
export async function cleanCommand(options: JsonOptions, io: CommandIo): Promise<number> {
  const config = await loadConfig({ file: options.config, dataDir: options.dataDir, env: io.env, cwd: io.cwd });
  const { baseDir } = config.contextStorage;
  const lock = takeRunLock(join(baseDir, 'run.lock'));
  if (!lock) {
    throw new OperatorError('another run is at work, so nothing was deleted', { fix: 'Try again when it has ended.', exitCode: 75 });
  }
  const log = createLog(config.logging, {
    clock: io.clock,
    redact: createRedactor(config.secrets, config.security.secretPatterns),
    warn: (message) => io.stderr.write(`agent: ${message}\n`),
  });
  try {
    const store = openStore(baseDir, { worker: { pid: process.pid, hostname: hostname() }, clock: io.clock, log });
    const { deleted } = cleanExpired({ config, clock: io.clock, log, store });
    store.close();
    print(deleted, options, io);
    return 0;
  } finally {
    lock.release();
    await log.close();
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
