import { rowOf, type Attempt } from '../attempt.js';
import { checkpoint } from '../checkpoint.js';
import { converse } from '../turn.js';
import { adoptPlan, adoptRevision, complaintAbout, rulesOf } from './adopt.js';
import { drawUp, revise, type DrawnUp, type Proposal } from './draw-up.js';
import { outlineOf, planOf } from './plan.js';
import { ACTION_PLAN_SCHEMA, DECOMPOSITION_SCHEMA, GOAL_SCHEMA } from './plan-schema.js';
import { askDirectly, shape } from './shape.js';
import { begin, planIn, stateOf } from './state.js';

type ProposedPlan = Proposal & { comment?: string };

const PLAN = shape<ProposedPlan>('plan', {
  type: 'object',
  properties: {
    phase: { type: 'string' },
    goal_understanding: GOAL_SCHEMA,
    task_decomposition: DECOMPOSITION_SCHEMA,
    action_plan: ACTION_PLAN_SCHEMA,
    previous_plan: { type: 'string' },
    comment: { type: 'string' },
  },
  required: ['goal_understanding', 'task_decomposition', 'action_plan'],
});

/** Makes the plan: the goal, subtasks with dependencies, actions. Asked for again, it replaces what is open. */
export async function makePlan(attempt: Attempt): Promise<void> {
  if (!stateOf(attempt).begun) {
    await checkpoint(attempt);
    begin(attempt, promptFor(attempt), { step: 'planning' });
  }
  const ask = askDirectly('planning', PLAN, (proposal) => complaintAbout(drawnUp(attempt, proposal)));
  const { value, seq } = await converse(attempt, ask);
  const drawn = drawnUp(attempt, value);
  if (!drawn.ok) throw new Error(`a plan was accepted that has problems: ${drawn.problems.join('; ')}`);
  const { cause } = stateOf(attempt);
  if (cause) adoptRevision(attempt, seq, drawn.plan, { reason: cause.reason, changes: [] });
  else adoptPlan(attempt, seq, drawn.plan);
}

/** A first plan as it is; a later one around what is finished. */
function drawnUp(attempt: Attempt, proposal: ProposedPlan): DrawnUp {
  const { actions, cause } = stateOf(attempt);
  const plan = cause && planOf(attempt.files.planning());
  return plan ? revise(plan, actions, proposal, rulesOf(attempt)) : drawUp(proposal, rulesOf(attempt));
}

function promptFor(attempt: Attempt): string {
  const { tools, maxSubtasks } = rulesOf(attempt);
  const parts = [
    'Phase: planning. Make a plan for the request; change nothing yet. Answer with exactly one JSON object of this shape:',
    FORM,
    RULES,
    `At most ${maxSubtasks} subtasks. Tools: ${tools.join(', ') || 'none'}.`,
    ...(rowOf(attempt).progress['inherited'] ? [EARLIER] : []),
    ...(stateOf(attempt).cause ? [AGAIN, outlineOf(planIn(attempt), stateOf(attempt).actions)] : []),
  ];
  return parts.join('\n\n');
}

const FORM = `{"phase": "planning",
 "goal_understanding": {"main_objective": "", "success_criteria": ["what can be checked at the end"], "constraints": [], "context": ""},
 "task_decomposition": {"reasoning": "", "subtasks": [{"id": "task_1", "description": "", "dependencies": [], "estimated_complexity": "low|medium|high", "required_tools": []}]},
 "action_plan": {"execution_order": ["task_1"], "actions": [{"task_id": "task_1", "action_type": "", "tool": "server/tool or null", "parameters": {}, "purpose": "", "expected_outcome": "", "fallback_strategy": ""}]},
 "comment": "the plan in a few words, for the people in the thread"}`;

const RULES =
  'An action is a piece of work of its own, not a single call: it may use several tools. `tool` names the one it cannot do without; ' +
  'null means analysis only. Dependencies name subtasks and must not run in a circle. As few subtasks as the request needs.';

const EARLIER =
  'An earlier attempt at this task is summarised above. Prefer what worked, avoid or replace what failed, keep the dependencies that became ' +
  'known, and adjust the complexity to what happened. Decide whether its plan is continued ("previous_plan": "continue": leave out what is ' +
  'done already) or only read ("previous_plan": "reference"), and say so in that field.';

const AGAIN =
  'The plan below did not work out. Decompose what is left anew. What is marked [x] is finished, stays so and is not to be listed again.';
