import type { Attempt } from '../attempt.js';
import { checkpoint } from '../checkpoint.js';
import { converse } from '../turn.js';
import { askedBefore, courseOf, refusalOf, triggerOf, type Course, type Decision } from './course.js';
import { outlineOf } from './plan.js';
import { askDirectly, shape } from './shape.js';
import { begin, keepLine, moveOn, planIn, stateOf, type Asked, type Failed, type PlanningState } from './state.js';

interface Replan {
  replan_decision: Decision;
  comment?: string;
}

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;

const REPLAN = shape<Replan>('replan_decision', {
  type: 'object',
  properties: {
    replan_decision: {
      type: 'object',
      properties: {
        replan_needed: { type: 'boolean' },
        confidence: { type: 'number', minimum: 0, maximum: 1 },
        reasoning: text,
        replan_type: text,
        target_phase: text,
        replan_level: { type: ['string', 'number', 'null'] },
        issues_found: texts,
        recommended_actions: { type: 'array' },
        clarification_needed: { type: 'boolean' },
        clarification_questions: texts,
      },
      required: ['replan_needed', 'confidence'],
    },
    comment: text,
  },
  required: ['replan_decision'],
});

/** Decides what an action that failed means for the plan, as long as the limits leave something to decide. */
export async function decideOnReplan(attempt: Attempt): Promise<void> {
  const { replanning, revision } = attempt.agent.config.planning;
  const limits = { ...replanning, maxRevisions: revision.maxRevisions };
  const { begun, failure } = stateOf(attempt);
  if (!failure) return moveOn(attempt, 'execution');
  if (!begun) {
    const refusal = refusalOf(stateOf(attempt), failure, limits);
    if (refusal) return goOn(attempt, refusal, { question: null });
    await checkpoint(attempt);
    const { replans, triggers } = stateOf(attempt);
    const change = { replans: replans + 1, triggers: [...triggers, triggerOf(failure)] };
    begin(attempt, promptFor(attempt, failure), { step: 'replan_decision', ...change });
  }
  const ask = askDirectly('replan_decision', REPLAN, ({ replan_decision }) =>
    askedBefore(stateOf(attempt), replan_decision),
  );
  const { value, seq } = await converse(attempt, ask);
  const course = courseOf(value.replan_decision, stateOf(attempt), failure, limits);
  keepLine(attempt, seq, 'replan_decision', { trigger: failure, course: course.kind, decision: value.replan_decision });
  follow(attempt, course, failure, { seq, comment: value.comment ?? null });
}

function follow(attempt: Attempt, course: Course, failure: Failed, said: Pick<Asked, 'seq' | 'comment'>): void {
  const state = stateOf(attempt);
  const heard = state.question ? { question: null, commentsPlanned: state.commentsHeard } : {};
  switch (course.kind) {
    case 'go_on':
      return goOn(attempt, course.reason, heard);
    case 'retry':
      return moveOn(attempt, 'execution', { ...heard, ...retried(state, failure.action), failure: null });
    case 'regenerate':
      return moveOn(attempt, 'revision', { ...heard, cause: { by: 'failure', reason: course.reason } });
    case 'redecompose':
      return moveOn(attempt, 'planning', { ...heard, cause: { by: 'failure', reason: course.reason } });
    case 'ask':
      return moveOn(attempt, 'question', { ...heard, ...asked(state, course.questions, said) });
  }
}

/** The action stays failed, and with it everything that depends on it. */
function goOn(attempt: Attempt, reason: string, change: Partial<PlanningState> = {}): void {
  attempt.log.write('info', 'the plan goes on without the failed action', { reason, ...stateOf(attempt).failure });
  moveOn(attempt, 'execution', { ...change, failure: null });
}

function retried({ actions, retries }: PlanningState, id: string): Partial<PlanningState> {
  const { [id]: _failed, ...others } = actions;
  return { actions: others, retries: { ...retries, [id]: (retries[id] ?? 0) + 1 } };
}

function asked(
  state: PlanningState,
  questions: string[],
  said: Pick<Asked, 'seq' | 'comment'>,
): Partial<PlanningState> {
  const n = state.questionCount + 1;
  return { questionCount: n, questions: [...state.questions, ...questions], question: { n, questions, ...said } };
}

function promptFor(attempt: Attempt, { action, error }: Failed): string {
  const { actions, question } = stateOf(attempt);
  return [
    `Phase: replan decision. The action ${action} failed: ${error}`,
    ...(question ? ['You asked the people in the thread; their answer stands above. Decide with it.'] : []),
    outlineOf(planIn(attempt), actions),
    COURSES,
    'Answer with exactly one JSON object:',
    FORM,
  ].join('\n');
}

const COURSES = `What is to be done about it? replan_type is one of
- "none": go on without it. Actions that depend on it will not be carried out.
- "retry": try the same action again, because something is different now.
- "regenerate": replace the actions that are still open.
- "redecompose": break what is left down into subtasks anew.
- "ask": only the people in the thread can decide. Set clarification_needed and put the questions into clarification_questions; the work waits for their answer.`;

const FORM = `{"replan_decision": {"replan_needed": true, "confidence": 0.0, "reasoning": "", "replan_type": "none|retry|regenerate|redecompose|ask", "target_phase": "execution|revision|planning", "replan_level": "action|plan", "issues_found": [], "recommended_actions": [], "clarification_needed": false, "clarification_questions": []},
 "comment": "for the people in the thread"}`;
