import { rowOf, type Attempt } from '../attempt.js';
import { converse, type Ask } from '../turn.js';
import type { Verification as Verdict } from '../../report/result-text.js';
import { complaintAbout, rulesOf } from './adopt.js';
import { toolSucceeded } from './budget.js';
import { addActions } from './draw-up.js';
import { earlierVerifications } from './past.js';
import { outlineOf, unfinishedActions, type ProposedAction } from './plan.js';
import { ADDITIONAL_ACTION_SCHEMA } from './plan-schema.js';
import { askWithTools, shape, type Answer } from './shape.js';
import { begin, keepLine, moveOn, personSpoke, planIn, stateOf } from './state.js';

interface Verification {
  verification_passed: boolean;
  issues_found?: string[];
  placeholder_detected?: { count?: number; locations?: string[] } | null;
  additional_work_needed?: boolean;
  additional_actions?: Omit<ProposedAction, 'task_id'>[];
  completion_confidence?: number | null;
  comment?: string;
}

const texts = { type: 'array', items: { type: 'string' } } as const;

const VERIFICATION = shape<Verification>('verification', {
  type: 'object',
  properties: {
    verification_passed: { type: 'boolean' },
    issues_found: texts,
    placeholder_detected: { type: ['object', 'null'], properties: { count: { type: 'number' }, locations: texts } },
    additional_work_needed: { type: 'boolean' },
    additional_actions: { type: 'array', items: ADDITIONAL_ACTION_SCHEMA },
    completion_confidence: { type: ['number', 'null'] },
    comment: { type: 'string' },
  },
  required: ['verification_passed'],
});

/** Re-reads the work with tools and holds it against the success criteria; what is missing becomes additional actions. */
export async function verify(attempt: Attempt): Promise<void> {
  const { enabled, maxRounds } = attempt.agent.config.planning.verification;
  if (!enabled) return moveOn(attempt, 'finished', { verdict: withoutVerification(attempt) });
  if (!stateOf(attempt).begun) {
    if (await personSpoke(attempt)) return;
    const change = { verifications: stateOf(attempt).verifications + 1, toolCallsBefore: rowOf(attempt).toolCallCount };
    begin(attempt, promptFor(attempt), { step: 'verification', ...change });
  }
  const { value, seq } = await converse(attempt, askFor(attempt));
  const { rounds, verifications } = stateOf(attempt);
  const passed = passes(value) && looked(attempt);
  const additions = passed || rounds >= maxRounds ? [] : (value.additional_actions ?? []);
  const drawn = addActions(planIn(attempt), additions, rounds + 1, rulesOf(attempt));
  const goesOn = additions.length > 0 && drawn.ok;
  keepLine(attempt, seq, 'verification', {
    round: verifications,
    verification: value,
    ...(goesOn && { plan: drawn.plan }),
  });
  if (goesOn) moveOn(attempt, 'execution', { rounds: rounds + 1, actions: stateOf(attempt).actions });
  else moveOn(attempt, 'finished', { verdict: verdictOn(attempt, value, passed) });
}

function askFor(attempt: Attempt): Ask<Answer<Verification>> {
  return askWithTools('verification', VERIFICATION, (value) => {
    const hasPatience = attempt.history.complaintsInARow() < TIMES_TOLD_TO_LOOK;
    if (passes(value) && !looked(attempt) && hasPatience) return LOOK_FIRST;
    return complaintAbout(addActions(planIn(attempt), value.additional_actions ?? [], 1, rulesOf(attempt)));
  });
}

/** After that the verdict is simply that nothing was verified. */
const TIMES_TOLD_TO_LOOK = 2;

const LOOK_FIRST =
  'You have looked at nothing since the verification began. Read the work again with the tools, then answer; unseen, it counts as not verified.';

function passes({ verification_passed, additional_work_needed, placeholder_detected }: Verification): boolean {
  return verification_passed && additional_work_needed !== true && (placeholder_detected?.count ?? 0) === 0;
}

/** Where the plan worked with tools, so must its verification. */
function looked(attempt: Attempt): boolean {
  const worksWithTools = planIn(attempt).action_plan.actions.some((action) => action.tool !== null);
  return !worksWithTools || toolSucceeded(attempt);
}

function verdictOn(attempt: Attempt, value: Verification, passed: boolean): Verdict {
  if (passed) return { kind: 'verified', checks: [], ...(value.comment && { how: value.comment }) };
  const said = [...(value.issues_found ?? []), ...placeholders(value)].filter(Boolean);
  const wanted = (value.additional_actions ?? []).map((action) => action.purpose);
  const missing = [...said, ...wanted, ...unfinished(attempt)];
  return {
    kind: 'not_verified',
    checks: [],
    missing: missing.length > 0 ? missing : [value.comment || LOOKED_AT_NOTHING],
  };
}

const LOOKED_AT_NOTHING = 'The model said that it is done without looking at the work again.';

function placeholders({ placeholder_detected }: Verification): string[] {
  const { count = 0, locations = [] } = placeholder_detected ?? {};
  if (count === 0) return [];
  return locations.length > 0 ? locations : [`${count} placeholders`];
}

/** Nobody verifies: then what the plan left undone is what is missing. */
function withoutVerification(attempt: Attempt): Verdict {
  const missing = unfinished(attempt);
  return missing.length > 0 ? { kind: 'not_verified', checks: [], missing } : { kind: 'unchecked' };
}

function unfinished(attempt: Attempt): string[] {
  const { actions, outcomes } = stateOf(attempt);
  return unfinishedActions(planIn(attempt), actions).map(
    ({ id, purpose }) => `**${id}**: ${purpose}${outcomes[id] ? ` (${outcomes[id]})` : ''}`,
  );
}

function promptFor(attempt: Attempt): string {
  return [
    'Phase: verification. The planned work has ended. Read the result again with the tools, as somebody would who does not trust it; change nothing now.',
    'Check every success criterion, and look for placeholders: unfinished code, "TODO", dummy values, "implement here".',
    outlineOf(planIn(attempt), stateOf(attempt).actions),
    ...earlierVerifications(attempt),
    'When you have seen enough, answer with exactly one JSON object as text (not with "done"). What is missing goes into additional_actions:',
    FORM,
  ].join('\n');
}

const FORM = `{"verification_passed": true, "issues_found": [], "placeholder_detected": {"count": 0, "locations": []}, "additional_work_needed": false,
 "additional_actions": [{"action_type": "", "tool": "server/tool or null", "parameters": {}, "purpose": "", "expected_outcome": "", "fallback_strategy": ""}],
 "completion_confidence": 0.0, "comment": "what was checked and how, for the people in the thread"}`;
