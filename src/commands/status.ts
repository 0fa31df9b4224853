import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { silentLog } from '../lib/logger.js';
import { redactStrings } from '../lib/redact.js';
import type { Store } from '../records.js';
import { openStoreReadonly } from '../store/store.js';
import { lockHolder } from './doctor/lock-holder.js';
import { findConversation, unknownTask } from './find-task.js';
import type { CommandIo, StatusOptions } from './io.js';
import { openSetting, type Setting } from './setting.js';
import { rowOf, tableOf } from './status-table.js';
import { factsOf, type Surroundings } from './status-task.js';
import { taskPage } from './status-page.js';

/** What it is doing, from local state alone: all conversations, or everything about one task. */
export async function statusCommand(options: StatusOptions, io: CommandIo): Promise<number> {
  const setting = await openSetting(options, io);
  const store = openStoreReadonly(setting.config.contextStorage.baseDir, { ...setting.storeDeps, log: silentLog });
  try {
    const { task: name } = options;
    io.stdout.write(
      name === undefined ? listing(store, setting, options, io) : task(store, setting, name, options, io),
    );
    return 0;
  } finally {
    store?.close();
  }
}

function listing(store: Store | null, { config, redact }: Setting, { json }: StatusOptions, io: CommandIo): string {
  const { allPaused, signalFile } = around(config, io);
  const known =
    store?.conversations
      .all()
      .map((each) => rowOf(each, store.attempts.ofConversation(each.id), store.wishes.of(each.id))) ?? [];
  const rows = redactStrings(known, redact);
  if (json) return `${JSON.stringify({ paused: allPaused, tasks: rows }, null, 2)}\n`;
  const notice = allPaused ? `Everything is paused by ${signalFile}; \`agent resume\` ends it.\n\n` : '';
  if (rows.length === 0) return `${notice}No tasks yet. ${howToAsk(config)}\n`;
  return notice + tableOf(rows, { now: io.clock.now(), width: widthOf(io), sources: config.taskSources.length });
}

function task(
  store: Store | null,
  { config, redact }: Setting,
  name: string,
  { json }: StatusOptions,
  io: CommandIo,
): string {
  if (!store) throw unknownTask(name);
  const { key } = findConversation(name, config, store);
  const facts = redactStrings(factsOf(store.conversations.find(key)!, store, config, around(config, io)), redact);
  return json ? `${JSON.stringify(facts, null, 2)}\n` : taskPage(facts, { now: io.clock.now(), width: widthOf(io) });
}

function around(config: Config, { clock }: CommandIo): Surroundings {
  const { enabled, signalFile } = config.pauseResume;
  return {
    now: clock.now(),
    allPaused: enabled && existsSync(signalFile),
    signalFile,
    tickPid: lockHolder(join(config.contextStorage.baseDir, 'run.lock')),
  };
}

function howToAsk(config: Config): string {
  const labels = new Set(config.taskSources.map((source) => `\`${config[source]!.botLabel}\``));
  return `Put the label ${[...labels].join(' or ')} on an issue, and the next \`agent run\` takes it up.`;
}

const WITHOUT_TERMINAL = 160;

function widthOf({ stdout }: CommandIo): number {
  return (stdout as { columns?: number }).columns ?? WITHOUT_TERMINAL;
}
