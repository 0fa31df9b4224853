import { oneLine } from '../../report/format.js';
import type { Failed, PlanningState } from './state.js';

/** What a model answers when it is asked about a failure. */
export interface Decision {
  replan_needed: boolean;
  confidence: number;
  reasoning?: string;
  replan_type?: string;
  target_phase?: string;
  replan_level?: string | number | null;
  issues_found?: string[];
  recommended_actions?: unknown[];
  clarification_needed?: boolean;
  clarification_questions?: string[];
}

/** What is done about a failure. */
export type Course =
  | { kind: 'go_on'; reason: string }
  | { kind: 'retry' }
  | { kind: 'regenerate'; reason: string }
  | { kind: 'redecompose'; reason: string }
  | { kind: 'ask'; questions: string[] };

export interface ReplanLimits {
  enabled: boolean;
  minConfidence: number;
  maxActionRetries: number;
  maxTotalReplans: number;
  maxRevisions: number;
}

/** Why nothing is decided about this failure; null: it is put to the model. */
export function refusalOf(
  { replans, triggers, question }: PlanningState,
  failure: Failed,
  limits: ReplanLimits,
): string | null {
  if (!limits.enabled) return 'replanning is switched off';
  if (replans >= limits.maxTotalReplans) return `max_total_replans (${limits.maxTotalReplans}) is reached`;
  const answered = question !== null;
  if (!answered && triggers.includes(triggerOf(failure))) return 'the same action failed in the same way before';
  return null;
}

/** The same action with the same error is the same trigger, whatever the numbers in it. */
export function triggerOf({ action, error }: Failed): string {
  return `${action}: ${oneLine(error).replace(/\d+/g, '<n>')}`;
}

/** What follows from a decision, within the limits. */
export function courseOf(decision: Decision, state: PlanningState, failure: Failed, limits: ReplanLimits): Course {
  const questions = questionsIn(decision);
  if (questions.length > 0) return { kind: 'ask', questions };
  if (!decision.replan_needed)
    return { kind: 'go_on', reason: decision.reasoning || 'the model sees no need to replan' };
  if (decision.confidence < limits.minConfidence)
    return { kind: 'go_on', reason: `confidence ${decision.confidence} is too low` };
  const wish = wishIn(decision);
  if (wish === 'none' || wish === 'ask')
    return { kind: 'go_on', reason: decision.reasoning || 'the model names nothing to do' };
  if (wish === 'retry') {
    const isSpent = (state.retries[failure.action] ?? 0) >= limits.maxActionRetries;
    return isSpent
      ? { kind: 'go_on', reason: `max_action_retries (${limits.maxActionRetries}) is reached` }
      : { kind: 'retry' };
  }
  if (state.revisions >= limits.maxRevisions)
    return { kind: 'go_on', reason: `max_revisions (${limits.maxRevisions}) is reached` };
  return { kind: wish, reason: decision.reasoning || failure.error };
}

/** What a model is told that asks again what was answered; null: it does not. */
export function askedBefore({ questions, question }: PlanningState, decision: Decision): string | null {
  const again = questionsIn(decision);
  const known = new Set(questions.map(comparable));
  if (question === null || again.length === 0 || !again.every((each) => known.has(comparable(each)))) return null;
  return 'You asked exactly this before, and the answer stands above. Decide with it, without asking again. Send the whole JSON object again.';
}

function questionsIn({ clarification_needed, clarification_questions = [], ...decision }: Decision): string[] {
  const wanted = clarification_needed === true || wishIn(decision) === 'ask';
  return wanted ? clarification_questions.map((question) => question.trim()).filter(Boolean) : [];
}

type Wish = 'none' | 'retry' | 'regenerate' | 'redecompose';

/** Models know these courses by many names; the phase they aim at settles the rest. */
function wishIn({ replan_type = '', target_phase = '' }: Decision): Wish | 'ask' {
  const found =
    WISHES.find(([pattern]) => pattern.test(replan_type)) ?? WISHES.find(([pattern]) => pattern.test(target_phase));
  return found?.[1] ?? 'none';
}

const WISHES: [RegExp, Wish | 'ask'][] = [
  [/retry|again/i, 'retry'],
  [/clarif|ask|question/i, 'ask'],
  [/decompos|full|goal|^planning/i, 'redecompose'],
  [/regenerat|partial|action|revis/i, 'regenerate'],
  [/execution/i, 'retry'],
];

function comparable(question: string): string {
  return oneLine(question).toLowerCase();
}
