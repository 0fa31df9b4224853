import { redactStrings } from '../../lib/redact.js';
import type { PlanningLine } from '../../records.js';
import type { Verification } from '../../report/result-text.js';
import type { Phase } from '../../report/words.js';
import { rowOf, type Attempt } from '../attempt.js';
import { checkpoint } from '../checkpoint.js';
import { outlineOf, planOf, type Plan, type Statuses } from './plan.js';

export type Step = Phase | 'question' | 'finished';

/**
 * Where a planned attempt stands: the attempt's `progress`. It changes with the message that begins a step
 * and when an answer is accepted, so that a resumed attempt finds itself at the same step.
 */
export interface PlanningState {
  step: Step;
  /** The step's prompt is in the history. */
  begun: boolean;
  actions: Statuses;
  /** What the model said of each finished action, and the error of each failed one. */
  outcomes: Record<string, string>;
  /** The action being worked on, and the counts when it began. */
  action: string | null;
  turnsBefore: number;
  toolCallsBefore: number;
  /** The failure that is not dealt with yet. */
  failure: Failed | null;
  /** Why the plan is to be revised. */
  cause: Cause | null;
  question: Asked | null;
  sinceReflection: number;
  reflections: number;
  revisions: number;
  replans: number;
  retries: Record<string, number>;
  /** Failures that were decided upon once, and every question ever asked. */
  triggers: string[];
  questions: string[];
  questionCount: number;
  /** Rounds of additional work, and verifications in all. */
  rounds: number;
  verifications: number;
  verdict: Verification | null;
  /** Comments admitted so far (counted by the checkpoint), and how many of them the plan knows. */
  commentsHeard: number;
  commentsPlanned: number;
}

export interface Failed {
  action: string;
  error: string;
}

export interface Cause {
  by: 'comment' | 'reflection' | 'failure';
  reason: string;
}

export interface Asked {
  n: number;
  questions: string[];
  comment: string | null;
  /** The reply that asked; a user message after it is the answer. */
  seq: number;
}

/** Where every planned attempt begins. */
export const BEGINNING: PlanningState = {
  step: 'pre_planning',
  begun: false,
  actions: {},
  outcomes: {},
  action: null,
  turnsBefore: 0,
  toolCallsBefore: 0,
  failure: null,
  cause: null,
  question: null,
  sinceReflection: 0,
  reflections: 0,
  revisions: 0,
  replans: 0,
  retries: {},
  triggers: [],
  questions: [],
  questionCount: 0,
  rounds: 0,
  verifications: 0,
  verdict: null,
  commentsHeard: 0,
  commentsPlanned: 0,
};

export function stateOf(attempt: Attempt): PlanningState {
  return { ...BEGINNING, ...rowOf(attempt).progress };
}

export function planIn(attempt: Attempt): Plan {
  const plan = planOf(attempt.files.planning());
  if (!plan) throw new Error(`attempt ${attempt.uuid} has no plan in planning/${attempt.uuid}.jsonl`);
  return plan;
}

/** Begins a step: its prompt and what it means for the state are one message, and so one write. */
export function begin(attempt: Attempt, prompt: string, change: Partial<PlanningState> = {}): void {
  attempt.history.append({ role: 'user', content: prompt, progress: { ...withPinned(attempt, change), begun: true } });
}

/** Ends a step: its answer is accepted, and the next one may begin. */
export function moveOn(attempt: Attempt, step: Step, change: Partial<PlanningState> = {}): void {
  const progress = { ...rowOf(attempt).progress, ...withPinned(attempt, change), step, begun: false };
  attempt.agent.store.attempts.update(attempt.uuid, { progress });
}

/** Once for each answer: reading the same reply again after a crash adds nothing. */
export function keepLine(
  attempt: Attempt,
  seq: number,
  type: PlanningLine['type'],
  fields: Record<string, unknown>,
): void {
  const { agent, files, uuid } = attempt;
  if (files.planning().some((line) => line.type === type && line['seq'] === seq)) return;
  const timestamp = new Date(agent.clock.now()).toISOString();
  const line = { type, timestamp, task_uuid: uuid, seq, ...fields };
  files.appendPlanning(redactStrings(line, agent.redact));
}

/** Looks at the thread before a step that follows the plan: what a person said there comes before the plan. */
export async function personSpoke(attempt: Attempt, look: Parameters<typeof checkpoint>[1] = {}): Promise<boolean> {
  await checkpoint(attempt, look);
  const { commentsHeard, commentsPlanned } = stateOf(attempt);
  if (commentsHeard <= commentsPlanned) return false;
  moveOn(attempt, 'revision', { cause: { by: 'comment', reason: 'new comments in the thread' } });
  return true;
}

/** The plan's outline goes along with every change of its ticks: compression keeps it in sight of the model. */
function withPinned(attempt: Attempt, change: Partial<PlanningState>): Partial<PlanningState> & { pinned?: string } {
  const plan = change.actions && planOf(attempt.files.planning());
  return plan ? { ...change, pinned: outlineOf(plan, change.actions ?? {}) } : change;
}
