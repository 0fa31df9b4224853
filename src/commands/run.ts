import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isPausedByFile, type Agent } from '../agent/agent.js';
import { runDocument } from './document.js';
import { openForges } from './forges.js';
import type { CommandIo, RunOptions } from './io.js';
import { mostTasks, narrowJobs } from './narrow.js';
import { runReport, type Cause } from './run-report.js';
import { isByHand, say, wasSaid } from './said.js';
import { openSetting, silenced, userName, type Setting } from './setting.js';
import { openWorkshop } from './workshop.js';
import { isDiskTrouble } from '../lib/disk.js';
import { Interrupted, OperatorError, SaidBefore } from '../lib/exit.js';
import { takeRunLock } from '../lib/lock.js';
import type { Forge } from '../ports.js';
import type { Store } from '../records.js';
import { openStore, openStoreInMemory } from '../store/store.js';
import { tick } from '../tick.js';

/** One tick: configuration, lock, adapters, work, close. */
export async function runCommand(options: RunOptions, io: CommandIo): Promise<number> {
  const opened = await openSetting(options, io, isByHand(options, io));
  const setting = options.dryRun ? silenced(opened) : opened;
  try {
    return options.dryRun ? await dryRun(options, io, setting) : await lockedRun(options, io, setting);
  } catch (error) {
    throw onceAnHour(explained(error, setting), options, io, setting);
  } finally {
    await setting.log.close();
  }
}

/** What nobody foresaw goes to the log as a whole; a full disk is the operator's to mend. */
function explained(error: unknown, { config, log, redact }: Setting): unknown {
  if (error instanceof Interrupted)
    log.write('info', 'tick interrupted; the next one goes on', { signal: error.signalName });
  if (error instanceof OperatorError || error instanceof Interrupted) return error;
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  log.write('error', 'the tick broke off', { error: message, stack });
  if (!isDiskTrouble(error)) return Object.assign(new Error(redact(message)), { stack: redact(stack) });
  const what = `${config.contextStorage.baseDir} cannot be written (${message}); make room there, or end what locks it, and the next tick goes on`;
  return new OperatorError(what, { exitCode: 1, cause: error });
}

/** What a person has to mend is there again at every tick; cron is told of it once an hour. */
function onceAnHour(error: unknown, options: RunOptions, io: CommandIo, { config }: Setting): unknown {
  if (error instanceof Interrupted || isByHand(options, io)) return error;
  const { message, details = [] } = error as { message?: string; details?: string[] };
  const text = [message ?? String(error), ...details].join('\n');
  return wasSaid(text, config.contextStorage.baseDir, io.clock) ? new SaidBefore(error) : error;
}

async function lockedRun(options: RunOptions, io: CommandIo, setting: Setting): Promise<number> {
  const { config } = setting;
  const lock = takeRunLock(join(config.contextStorage.baseDir, 'run.lock'));
  if (!lock) return lockHeld(options, io);
  try {
    return isPausedByFile(config) ? paused(options, io, setting) : await withStore(options, io, setting);
  } finally {
    lock.release();
  }
}

async function withStore(options: RunOptions, io: CommandIo, setting: Setting): Promise<number> {
  const store = openStore(setting.config.contextStorage.baseDir, setting.storeDeps);
  try {
    return await oneTick(options, io, setting, store);
  } finally {
    store.close();
  }
}

async function oneTick(options: RunOptions, io: CommandIo, setting: Setting, store: Store): Promise<number> {
  const report = runReport(options, io, setting.redact);
  const agent = await assembleAgent(io, setting, store);
  const ticked = await tick(agent, {
    narrow: (collected) => narrowJobs(collected, options, agent),
    maxTasks: mostTasks(options, agent),
    openWorkshop: () => openWorkshop(agent, io),
    onJob: report.job,
  });
  if (io.signal.reason instanceof Interrupted) throw io.signal.reason;
  const { exitCode, causes } = report.close(ticked);
  if (ticked.jobs.length > 0) setting.log.write('info', 'tick', { tasks: ticked.jobs.length, exitCode });
  sayCauses(causes, options, io, setting);
  return exitCode;
}

/** Prints what would be done and writes nothing anywhere: the database is a copy in memory. */
async function dryRun(options: RunOptions, io: CommandIo, setting: Setting): Promise<number> {
  if (isPausedByFile(setting.config)) return runReport(options, io, setting.redact).planPaused(pauseLine(setting));
  const store = openStoreInMemory(setting.config.contextStorage.baseDir, setting.storeDeps);
  const report = runReport(options, io, setting.redact);
  try {
    const assembled = await assembleAgent(io, setting, store);
    const agent = { ...assembled, forges: withoutReactions(assembled.forges) };
    const { collect } = await import('../collect/collect.js');
    const collected = await collect(agent);
    const jobs = narrowJobs(collected, options, agent).slice(0, mostTasks(options, agent));
    const { exitCode, causes } = report.plan(jobs, collected.troubles);
    sayCauses(causes, options, io, setting);
    return exitCode;
  } finally {
    store.close();
  }
}

/** Collecting only reads, but for the reactions by which commands in the thread are acknowledged. */
function withoutReactions(forges: Agent['forges']): Agent['forges'] {
  const silent = { react: { value: () => Promise.resolve() } };
  return new Map([...forges].map(([source, forge]) => [source, Object.create(forge, silent) as Forge]));
}

async function assembleAgent(io: CommandIo, { config, redact, log }: Setting, store: Store): Promise<Agent> {
  const openForge = await openForges(config, { clock: io.clock, cache: store.cache, memory: store.facts, log }, io.env);
  return {
    config,
    clock: io.clock,
    log,
    logFor: (fields) => log.child(fields),
    store,
    forges: new Map(config.taskSources.map((source) => [source, openForge(source, io.signal)])),
    openForge,
    redact,
    newUuid: randomUUID,
    signal: io.signal,
    user: userName(),
    hostname: hostname(),
  };
}

/** Two ticks overlap: the later one leaves, silently unless a person asked for it. */
function lockHeld(options: RunOptions, io: CommandIo): number {
  const held = 'Another tick is at work on this data folder.';
  if (options.once) {
    throw new OperatorError(held, { fix: 'Wait until it has finished, or look at `agent status`.', exitCode: 75 });
  }
  if (options.json) io.stdout.write(runDocument(0, [held]));
  return 0;
}

function paused(options: RunOptions, io: CommandIo, setting: Setting): number {
  const line = pauseLine(setting);
  setting.log.write('debug', 'the pause signal is there; nothing is started');
  if (options.once || io.isTTY) io.stderr.write(`${line}\n`);
  if (options.json) io.stdout.write(runDocument(0, [line]));
  return 0;
}

function pauseLine({ config }: Setting): string {
  return `Paused: ${config.pauseResume.signalFile} exists. \`agent resume\` removes it.`;
}

function sayCauses(causes: Cause[], options: RunOptions, io: CommandIo, { config }: Setting): void {
  for (const { line } of causes) say(line, isByHand(options, io), config.contextStorage.baseDir, io);
}
