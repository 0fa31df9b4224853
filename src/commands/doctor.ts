import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load.js';
import { OperatorError } from '../lib/exit.js';
import { createRedactor, type Redact } from '../lib/redact.js';
import { ok, problem, type Check } from './doctor/check.js';
import { checkForge } from './doctor/forge.js';
import { checkClock, checkDataFolder, checkGit, checkLock, checkPauseSignal } from './doctor/machine.js';
import { checkModel } from './doctor/model.js';
import { checkServers } from './doctor/servers.js';
import { lineOf } from './doctor/print.js';
import { openForges } from './forges.js';
import type { CommandIo, JsonOptions } from './io.js';

/** Checks everything a tick depends on, all at once, and says of each thing whether it is fine and how to mend it. */
export async function doctorCommand(options: JsonOptions, io: CommandIo): Promise<number> {
  const checks: Check[] = [];
  for await (const { check, redact } of examine(options, io)) {
    const shown = { ...check, message: redact(check.message), fix: check.fix && redact(check.fix) };
    checks.push(shown);
    if (!options.json && !(options.quiet && check.status === 'ok')) io.stdout.write(lineOf(shown, io.color));
  }
  const exit = checks.some((check) => check.status === 'problem') ? 1 : 0;
  if (options.json) io.stdout.write(`${JSON.stringify({ checks, exit }, null, 2)}\n`);
  return exit;
}

/** The checks run side by side; their results come in the order in which they are read best. */
async function* examine(options: JsonOptions, io: CommandIo): AsyncGenerator<{ check: Check; redact: Redact }> {
  const config = await readConfig(options, io);
  if (Array.isArray(config)) {
    for (const check of config) yield { check, redact: createRedactor([], []) };
    return;
  }
  const redact = createRedactor(config.secrets, config.security.secretPatterns);
  yield { check: ok('config', config.file), redact };
  const running = await startChecks(config, io);
  try {
    for (const found of running) for (const check of await found) yield { check, redact };
  } finally {
    await Promise.allSettled(running); // MCP servers that were started are ended, whatever happens
  }
}

async function readConfig(options: JsonOptions, io: CommandIo): Promise<Config | Check[]> {
  try {
    return await loadConfig({ file: options.config, dataDir: options.dataDir, env: io.env, cwd: io.cwd });
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const mistakes = error.details.length > 0 ? error.details : [error.message];
    return mistakes.map((mistake) => problem('config', mistake, error.fix ?? 'Correct the configuration.'));
  }
}

async function startChecks(config: Config, io: CommandIo): Promise<Promise<Check[]>[]> {
  const openForge = await openForges(config, { clock: io.clock, cache: forgetful(), log: SILENT }, io.env);
  const checks = [
    checkDataFolder(config),
    checkLock(config),
    checkPauseSignal(config),
    checkClock(config, io),
    checkGit(io),
    ...config.taskSources.map((source) => checkForge(source, config, io, openForge)),
    checkServers(config, io),
    checkModel(config, io),
  ];
  for (const check of checks) check.catch(() => undefined); // told when its turn comes; until then it is no unhandled rejection
  return checks;
}

const SILENT = { write: () => undefined };

/** Everything is asked anew. */
function forgetful(): { get: () => null; set: () => void } {
  return { get: () => null, set: () => undefined };
}
