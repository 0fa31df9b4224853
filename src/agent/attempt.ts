import type { Forge, Log, Model, Tools } from '../ports.js';
import type { ProgressComment } from '../report/progress.js';
import type { Texts } from '../report/texts.js';
import type { AttemptFiles, AttemptRow, Conversation, CurrentLine } from '../records.js';
import type { Agent } from './agent.js';
import type { History } from './history.js';
import type { Inherited } from './inheritance.js';
import type { LlmClient } from './llm-client.js';
import type { LoopWatch } from './loop-watch.js';
import type { Lookout } from './lookout.js';

/** One go at a task while it is worked on: everything a turn needs. */
export interface Attempt {
  readonly agent: Agent;
  readonly uuid: string;
  readonly conversation: Conversation;
  readonly forge: Forge;
  readonly model: Model;
  readonly tools: Tools;
  readonly files: AttemptFiles;
  readonly history: History;
  readonly llm: LlmClient;
  readonly texts: Texts;
  readonly progress: ProgressComment;
  readonly lookout: Lookout;
  readonly loops: LoopWatch;
  /** What an earlier attempt left, for an opening that is yet to be written. */
  readonly inherited: Inherited | null;
  /** The reply that an earlier tick received and did not finish acting upon. */
  readonly resumedReply: CurrentLine | null;
  /** With task and attempt on every line. */
  readonly log: Log;
  /** When this tick took it up. */
  readonly takenUpAt: number;
}

/** The row as it stands in the database, which is the truth. */
export function rowOf(attempt: Attempt): AttemptRow {
  const row = attempt.agent.store.attempts.get(attempt.uuid);
  if (!row) throw new Error(`attempt ${attempt.uuid} is not in the database`);
  return row;
}
