import { oneLine } from '../../report/format.js';
import type { Verification } from '../../report/result-text.js';
import type { Attempt } from '../attempt.js';
import { Failure } from '../interrupts.js';
import { carryOutNext } from './execution.js';
import { unfinishedActions, type Plan } from './plan.js';
import { makePlan } from './planning.js';
import { prePlan } from './pre-planning.js';
import { waitForAnswer } from './question.js';
import { reflect } from './reflection.js';
import { decideOnReplan } from './replan.js';
import { revisePlan } from './revision.js';
import { showPlan } from './show-plan.js';
import { personSpoke, planIn, stateOf, type PlanningState, type Step } from './state.js';
import { verify } from './verification.js';

/** What a planned attempt ends with; `not_verified` is never to be reported as a plain success. */
export interface PlannedResult {
  comment: string;
  verification: Verification;
}

/** Planning mode: step after step, each of which leaves in the attempt's progress which one comes next. */
export async function workWithPlan(attempt: Attempt): Promise<PlannedResult> {
  for (;;) {
    const { step } = stateOf(attempt);
    if (step !== 'finished') await STEPS[step](attempt);
    else if (!(await personSpoke(attempt, { always: true, budget: false }))) return finish(attempt);
  }
}

const STEPS: Record<Exclude<Step, 'finished'>, (attempt: Attempt) => Promise<void>> = {
  pre_planning: prePlan,
  planning: makePlan,
  execution: carryOutNext,
  reflection: reflect,
  revision: revisePlan,
  replan_decision: decideOnReplan,
  question: waitForAnswer,
  verification: verify,
};

async function finish(attempt: Attempt): Promise<PlannedResult> {
  await showPlan(attempt);
  const verification: Verification = stateOf(attempt).verdict ?? { kind: 'unchecked' };
  const plan = planIn(attempt);
  const nothingDone = unfinishedActions(plan, stateOf(attempt).actions).length === plan.action_plan.actions.length;
  if (nothingDone && verification.kind === 'not_verified') throw new Failure('plan', verification.missing.join('\n'));
  return { comment: accountOf(plan, stateOf(attempt)), verification };
}

/** The goal, and what became of each action in the model's own words. */
function accountOf(plan: Plan, { actions, outcomes }: PlanningState): string {
  const lines = plan.action_plan.actions.map(({ id, purpose }) => {
    const mark = actions[id] === 'done' ? '✅' : '❌';
    return `- ${mark} **${id}**: ${oneLine(outcomes[id] ?? '') || oneLine(purpose)}`;
  });
  return `${plan.goal_understanding.main_objective.trim()}\n\n${lines.join('\n')}`;
}
