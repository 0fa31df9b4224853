import type { Attempt } from '../attempt.js';
import type { DrawnUp, Rules } from './draw-up.js';
import type { Plan, Statuses } from './plan.js';
import { keepLine, moveOn, stateOf, type PlanningState } from './state.js';

/** What a plan has to keep to. */
export function rulesOf({ agent, tools }: Attempt): Rules {
  return { tools: tools.list().map((tool) => tool.name), maxSubtasks: agent.config.planning.maxSubtasks };
}

/** What a model is told of a plan that cannot be followed; null: it can. */
export function complaintAbout(drawn: DrawnUp): string | null {
  if (drawn.ok) return null;
  return `This plan cannot be followed: ${drawn.problems.join('; ')}. Send the whole JSON object again, with that put right.`;
}

/** The first plan. */
export function adoptPlan(attempt: Attempt, seq: number, plan: Plan): void {
  keepLine(attempt, seq, 'plan', { plan });
  moveOn(attempt, 'execution', { actions: {}, commentsPlanned: stateOf(attempt).commentsHeard });
}

/** A plan in the place of the one before. What is finished stays so; what had failed gets another chance if it is still in it. */
export function adoptRevision(
  attempt: Attempt,
  seq: number,
  plan: Plan,
  change: { reason: string; changes: string[] },
): void {
  const state = stateOf(attempt);
  const before = attempt.files.planning().filter((line) => line.type === 'revision').length;
  keepLine(attempt, seq, 'revision', {
    revision: { number: before + 1, by: state.cause?.by ?? 'reflection', ...change },
    plan,
  });
  moveOn(attempt, 'execution', {
    actions: finishedOnly(state.actions),
    failure: null,
    cause: null,
    verdict: null,
    ...countedBy(state),
  });
}

/** Revisions of our own making are limited. People's are not: they take in what was said, and verification gets its rounds back. */
function countedBy({ cause, revisions, commentsHeard }: PlanningState): Partial<PlanningState> {
  return cause?.by === 'comment' ? { commentsPlanned: commentsHeard, rounds: 0 } : { revisions: revisions + 1 };
}

function finishedOnly(statuses: Statuses): Statuses {
  return Object.fromEntries(Object.entries(statuses).filter(([, status]) => status === 'done'));
}
