import { existsSync } from 'node:fs';
import { OperatorError } from '../lib/exit.js';
import type { AttemptRow, Conversation, Store, Wish } from '../records.js';
import { localTime } from '../report/format.js';
import { openStore } from '../store/store.js';
import { taskName } from '../task/key.js';
import { findConversation } from './find-task.js';
import type { CommandIo, TaskOptions } from './io.js';
import { openSetting } from './setting.js';

/** How a task stands when somebody wishes something of it. */
export interface Standing {
  /** The name to use in messages and commands. */
  task: string;
  conversation: Conversation;
  unsettled: AttemptRow | null;
  /** What was wished before and is not fulfilled yet. */
  wishes: Wish[];
  /** The signal file pauses everything. */
  allPaused: boolean;
}

/** What a wish comes to: what is left in the database (null: taking the earlier ones back is enough), and what to say. */
export interface Decision {
  leave: Wish | null;
  say: string;
}

/** Leaves a wish where the checkpoint and the next tick read it. The newest counts: earlier ones are dropped. No lock is taken. */
export async function leaveWish(
  options: TaskOptions,
  io: CommandIo,
  decide: (standing: Standing) => Decision,
): Promise<number> {
  const { config, storeDeps } = await openSetting(options, io);
  const store = openStore(config.contextStorage.baseDir, storeDeps);
  try {
    const { key } = findConversation(options.task, config, store);
    const { enabled, signalFile } = config.pauseResume;
    const allPaused = enabled && existsSync(signalFile);
    const say = store.atomically(() => wishFor(store, store.conversations.find(key)!, allPaused, decide));
    if (!options.quiet) io.stdout.write(`${say}\n`);
    return 0;
  } finally {
    store.close();
  }
}

function wishFor(
  store: Store,
  conversation: Conversation,
  allPaused: boolean,
  decide: (standing: Standing) => Decision,
): string {
  const { id, key } = conversation;
  const wishes = store.wishes.of(id);
  const unsettled = store.attempts.unsettledOf(id);
  const { leave, say } = decide({ task: taskName(key), conversation, unsettled, wishes, allPaused });
  for (const wish of wishes) store.wishes.take(id, wish);
  if (leave) store.wishes.add(id, leave);
  return say;
}

/** What a running attempt's wish meets first. */
export const SEEN_BY = 'the running tick sees it before its next model call; if none is running, the next one does';

/** A wish that makes no sense as the task stands. */
export function senseless(standing: Standing, complaint: string, fix: string): OperatorError {
  return new OperatorError(`${standing.task} ${complaint}.`, { details: [`It is ${stateOf(standing)}.`], fix });
}

function stateOf({ conversation, unsettled }: Standing): string {
  const { state } = conversation;
  if (unsettled?.pausedBy === 'question') return 'waiting for the answer to a question in its thread';
  if (unsettled?.pausedBy === 'parked') return `parked until ${localTime(unsettled.notBefore ?? 0)}`;
  if (unsettled?.pausedBy === 'signal_file') return 'paused by the signal file';
  return `in the state ${state}`;
}
