import type { PausedBy } from '../records.js';
import type { Reason } from '../report/words.js';

/**
 * What ends an attempt other than its own `done`: one class for each kind of consequence, thrown where
 * it is known (checkpoint, turn) and caught once, in `work`.
 */

export class Pause extends Error {
  constructor(
    readonly by: Exclude<PausedBy, 'parked' | 'question'>,
    readonly reason: Reason,
  ) {
    super(`paused by ${by}`);
  }
}

export type StopReason =
  'label_removed' | 'unassigned' | 'closed' | 'merged' | 'item_gone' | 'person' | 'paused_too_long';

export class Stop extends Error {
  constructor(readonly reason: StopReason) {
    super(`stopped: ${reason}`);
  }
}

export type Limit = 'max_llm_process_num' | 'max_tokens_per_task' | 'max_minutes_per_task';

export class OverBudget extends Error {
  constructor(readonly limit: Limit) {
    super(`over budget: ${limit}`);
  }
}

/** Who is to blame decides what this tick still takes up. */
export type ParkCause = 'model' | 'forge' | 'tools' | 'daily_tokens' | 'credentials';

/** Not this task's fault: try again later. */
export class Park extends Error {
  constructor(
    readonly blame: ParkCause,
    message: string,
    readonly details: { retryAt?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
  }
}

/** The person has to answer before the work can go on (planning). */
export class Question extends Error {
  constructor(
    readonly questions: string[],
    readonly comment: string | null,
    /** The how-many-eth question of the attempt. */
    readonly n: number,
  ) {
    super('waiting for an answer');
  }
}

export type FailureReason = 'unreadable' | 'loop' | 'context' | 'model_rejected' | 'plan' | 'vanished' | 'error';

/** The task cannot be done; the message is fit for the thread. */
export class Failure extends Error {
  constructor(
    readonly reason: FailureReason,
    message: string,
    readonly details: { cause?: unknown; says?: Reason } = {},
  ) {
    super(message, { cause: details.cause });
  }
}
