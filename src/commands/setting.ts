import { hostname, userInfo } from 'node:os';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load.js';
import { createLog, silentLog, type RunLog } from '../lib/logger.js';
import { createRedactor, type Redact } from '../lib/redact.js';
import type { StoreDeps } from '../store/store.js';
import type { CommandIo, GlobalOptions } from './io.js';
import { say } from './said.js';

/** What every command begins with: the checked configuration, its secrets masked, its log. */
export interface Setting {
  config: Config;
  redact: Redact;
  log: RunLog;
  storeDeps: StoreDeps;
}

export async function openSetting(options: GlobalOptions, io: CommandIo, byHand = true): Promise<Setting> {
  const config = await loadConfig({
    env: io.env,
    cwd: io.cwd,
    ...(options.config !== undefined && { file: options.config }),
    ...(options.dataDir !== undefined && { dataDir: options.dataDir }),
  });
  const redact = createRedactor(config.secrets, config.security.secretPatterns);
  const log = createLog(
    { ...config.logging, level: options.verbose ? 'debug' : config.logging.level },
    { clock: io.clock, redact, warn: (line) => say(line, byHand, config.contextStorage.baseDir, io) },
  );
  return {
    config,
    redact,
    log,
    storeDeps: { worker: { pid: process.pid, hostname: hostname() }, clock: io.clock, log },
  };
}

/** For `--dry-run`, which writes nothing, not even to the log. */
export function silenced(setting: Setting): Setting {
  return { ...setting, log: silentLog, storeDeps: { ...setting.storeDeps, log: silentLog } };
}

export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown'; // containers may run under a user id without a name
  }
}
