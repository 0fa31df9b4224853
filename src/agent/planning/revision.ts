import type { Attempt } from '../attempt.js';
import { checkpoint } from '../checkpoint.js';
import { converse } from '../turn.js';
import { adoptRevision, complaintAbout, rulesOf } from './adopt.js';
import { revise, type Change } from './draw-up.js';
import { outlineOf } from './plan.js';
import { ACTION_PLAN_SCHEMA, DECOMPOSITION_SCHEMA, GOAL_CHANGE_SCHEMA, optional } from './plan-schema.js';
import { askDirectly, shape } from './shape.js';
import { begin, moveOn, planIn, stateOf, type Cause } from './state.js';

/** A change of plan. Without `updated_action_plan` the plan stays as it is. */
export interface PlanRevision {
  reason?: string;
  changes?: unknown[];
  goal_understanding?: Change['goal_understanding'];
  task_decomposition?: Change['task_decomposition'];
  updated_action_plan?: Change['action_plan'] | null;
}

interface Revision {
  plan_revision: PlanRevision;
  comment?: string;
}

export const PLAN_REVISION_SCHEMA = {
  type: 'object',
  properties: {
    reason: { type: 'string' },
    changes: { type: 'array' },
    goal_understanding: optional(GOAL_CHANGE_SCHEMA),
    task_decomposition: optional(DECOMPOSITION_SCHEMA),
    updated_action_plan: optional(ACTION_PLAN_SCHEMA),
  },
} as const;

const REVISION = shape<Revision>('revision', {
  type: 'object',
  properties: { plan_revision: PLAN_REVISION_SCHEMA, comment: { type: 'string' } },
  required: ['plan_revision'],
});

/** Changes what is open of the plan, or says that it stays. */
export async function revisePlan(attempt: Attempt): Promise<void> {
  if (!stateOf(attempt).begun) {
    await checkpoint(attempt);
    begin(attempt, promptFor(attempt), { step: 'revision' });
  }
  const { value, seq } = await converse(
    attempt,
    askDirectly('revision', REVISION, (revision) => problemWith(attempt, revision)),
  );
  const change = asChange(value.plan_revision);
  const drawn = change && revise(planIn(attempt), stateOf(attempt).actions, change, rulesOf(attempt));
  if (drawn?.ok) {
    const reason = value.plan_revision.reason || causeOf(attempt).reason;
    return adoptRevision(attempt, seq, drawn.plan, { reason, changes: changesIn(value.plan_revision) });
  }
  keepPlan(attempt);
}

/** Null: nothing changes. */
export function asChange({ goal_understanding, task_decomposition, updated_action_plan }: PlanRevision): Change | null {
  if (!updated_action_plan) return null;
  return {
    action_plan: updated_action_plan,
    ...(goal_understanding && { goal_understanding }),
    ...(task_decomposition && { task_decomposition }),
  };
}

export function changesIn(revision: PlanRevision | null | undefined): string[] {
  return (revision?.changes ?? []).map((change) => (typeof change === 'string' ? change : JSON.stringify(change)));
}

function problemWith(attempt: Attempt, { plan_revision }: Revision): string | null {
  const change = asChange(plan_revision);
  return change && complaintAbout(revise(planIn(attempt), stateOf(attempt).actions, change, rulesOf(attempt)));
}

function keepPlan(attempt: Attempt): void {
  const { commentsHeard, failure } = stateOf(attempt);
  const { by } = causeOf(attempt);
  if (by === 'comment') return moveOn(attempt, 'execution', { cause: null, commentsPlanned: commentsHeard });
  if (by === 'reflection' && failure) return moveOn(attempt, 'replan_decision', { cause: null });
  moveOn(attempt, 'execution', { cause: null, failure: null });
}

function causeOf(attempt: Attempt): Cause {
  return stateOf(attempt).cause ?? { by: 'comment', reason: '' };
}

function promptFor(attempt: Attempt): string {
  const { by, reason } = causeOf(attempt);
  return [
    'Phase: revision.',
    by === 'comment' ? FOR_COMMENTS : `The plan is to be revised: ${reason}`,
    outlineOf(planIn(attempt), stateOf(attempt).actions),
    'What is marked [x] is finished and stays so. List only the actions that are still to be done; they replace everything open. ' +
      'Give goal_understanding or task_decomposition only where they change, and "updated_action_plan": null if the plan stays as it is.',
    `Tools: ${rulesOf(attempt).tools.join(', ') || 'none'}. Answer with exactly one JSON object:`,
    FORM,
  ].join('\n');
}

const FOR_COMMENTS =
  'People have written in the thread since the plan was made (see above). Does what they say change the goal, or what is left to do? If so, revise the plan; if not, leave it.';

const FORM = `{"plan_revision": {"reason": "", "changes": [""],
  "goal_understanding": {"main_objective": "", "success_criteria": [], "constraints": [], "context": ""},
  "task_decomposition": {"reasoning": "", "subtasks": [{"id": "task_1", "description": "", "dependencies": []}]},
  "updated_action_plan": {"execution_order": [], "actions": [{"task_id": "", "action_type": "", "tool": "server/tool or null", "parameters": {}, "purpose": "", "expected_outcome": "", "fallback_strategy": ""}]}},
 "comment": "for the people in the thread"}`;
