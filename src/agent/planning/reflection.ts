import type { Attempt } from '../attempt.js';
import { checkpoint } from '../checkpoint.js';
import { converse } from '../turn.js';
import { adoptRevision, rulesOf } from './adopt.js';
import { revise } from './draw-up.js';
import { earlierRevisions } from './past.js';
import { outlineOf, type Plan } from './plan.js';
import { asChange, changesIn, PLAN_REVISION_SCHEMA, type PlanRevision } from './revision.js';
import { optional } from './plan-schema.js';
import { askDirectly, shape } from './shape.js';
import { begin, keepLine, moveOn, planIn, stateOf, type PlanningState } from './state.js';

interface Reflection {
  reflection: {
    action_evaluated?: string;
    status?: string;
    evaluation?: string;
    issues_identified?: string[];
    plan_revision_needed: boolean;
    reasoning?: string;
  };
  plan_revision?: PlanRevision | null;
  comment?: string;
}

const text = { type: 'string' } as const;

const REFLECTION = shape<Reflection>('reflection', {
  type: 'object',
  properties: {
    reflection: {
      type: 'object',
      properties: {
        action_evaluated: text,
        status: text,
        evaluation: text,
        issues_identified: { type: 'array', items: text },
        plan_revision_needed: { type: 'boolean' },
        reasoning: text,
      },
      required: ['plan_revision_needed'],
    },
    plan_revision: optional(PLAN_REVISION_SCHEMA),
    comment: text,
  },
  required: ['reflection'],
});

/** Looks back at the actions so far. A change of plan that it already spells out is taken; otherwise a revision is asked for. */
export async function reflect(attempt: Attempt): Promise<void> {
  if (!stateOf(attempt).begun) {
    await checkpoint(attempt);
    begin(attempt, promptFor(attempt), {
      step: 'reflection',
      reflections: stateOf(attempt).reflections + 1,
      sinceReflection: 0,
    });
  }
  const { value, seq } = await converse(attempt, askDirectly('reflection', REFLECTION));
  const { reflection, plan_revision } = value;
  keepLine(attempt, seq, 'reflection', { reflection, ...(plan_revision && { plan_revision }) });
  const state = stateOf(attempt);
  if (!reflection.plan_revision_needed || !mayRevise(attempt, state)) return moveOn(attempt, afterwards(state));
  const reason = plan_revision?.reason || reflection.reasoning || 'the reflection asks for it';
  const plan = plan_revision ? spelledOut(attempt, plan_revision) : null;
  if (plan) adoptRevision(attempt, seq, plan, { reason, changes: changesIn(plan_revision) });
  else moveOn(attempt, 'revision', { cause: { by: 'reflection', reason } });
}

/** A failure that the reflection left as it is still wants a decision. */
export function afterwards({ failure }: PlanningState): 'replan_decision' | 'execution' {
  return failure ? 'replan_decision' : 'execution';
}

function mayRevise({ agent, log }: Attempt, { revisions }: PlanningState): boolean {
  const { maxRevisions } = agent.config.planning.revision;
  if (revisions < maxRevisions) return true;
  log.write('info', 'the plan is not revised any more', { revisions, maxRevisions });
  return false;
}

function spelledOut(attempt: Attempt, revision: PlanRevision): Plan | null {
  const change = asChange(revision);
  const drawn = change && revise(planIn(attempt), stateOf(attempt).actions, change, rulesOf(attempt));
  return drawn?.ok ? drawn.plan : null;
}

function promptFor(attempt: Attempt): string {
  const { actions, failure } = stateOf(attempt);
  return [
    'Phase: reflection. Look back at the actions so far: did they bring the goal nearer, and does the rest of the plan still fit what you know now?',
    ...(failure ? [`The action ${failure.action} failed: ${failure.error}`] : []),
    outlineOf(planIn(attempt), actions),
    ...earlierRevisions(attempt),
    'Answer with exactly one JSON object. Leave out plan_revision unless the plan has to change; its actions are those still to be done:',
    FORM,
  ].join('\n');
}

const FORM = `{"reflection": {"action_evaluated": "task_1", "status": "success|partial|failure", "evaluation": "", "issues_identified": [], "plan_revision_needed": false, "reasoning": ""},
 "plan_revision": {"reason": "", "changes": [""], "updated_action_plan": {"execution_order": [], "actions": [{"task_id": "", "action_type": "", "tool": "server/tool or null", "parameters": {}, "purpose": "", "expected_outcome": "", "fallback_strategy": ""}]}},
 "comment": "for the people in the thread"}`;
