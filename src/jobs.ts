import type { Mail } from './agent/inbox.js';
import type { StopReason } from './agent/interrupts.js';
import type { Outcome } from './agent/outcome.js';
import type { ForgeError, ItemHead, LabelEvent, Model, Tools } from './ports.js';
import type { AttemptRow, Conversation } from './records.js';
import type { Source, TaskKey } from './task/key.js';
import type { WaitingDecision } from './task/waiting.js';

/** One thing to do in this tick. */
export type Job = { key: TaskKey; since: number; title: string } &
  /** `event`: the request label was put on anew, which means go on. */
  (
    | { kind: 'resume'; row: AttemptRow; event?: LabelEvent }
    /** An attempt that only has to be settled. */
    | { kind: 'end'; row: AttemptRow; reason: StopReason }
    | { kind: 'first'; head: ItemHead; event: LabelEvent | null }
    | { kind: 'follow_up'; conversation: Conversation; mail: Mail; judge: boolean; updatedAt: string | null }
    | { kind: 'close'; conversation: Conversation; mail: Mail; decision: WaitingDecision & { kind: 'close' } }
    /** The label was put on by somebody who may not ask for work. */
    | { kind: 'refuse'; head: ItemHead; by: string }
  );

/** A forge that could not be asked. */
export interface Trouble {
  source: Source;
  error: ForgeError;
}

export interface Collected {
  jobs: Job[];
  troubles: Trouble[];
}

/** What became of a job. */
export interface JobReport {
  job: Job;
  outcome: Outcome | { kind: 'closed'; why: string } | { kind: 'refused' } | { kind: 'skipped'; why: string };
}

/** Model and tools, opened when there is work for them. */
export interface Workshop {
  model: Model;
  /** Resolves when the servers that all tasks share have started; throws `Park` where one does not. Nothing is claimed before. */
  ready(): Promise<void>;
  /** The tools for one attempt; servers that want its folder are started for it alone. */
  toolsFor(uuid: string): Promise<Tools & { close(): Promise<void> }>;
  close(): Promise<void>;
}
