import { cutMiddle } from '../../lib/cut.js';
import type { CurrentLine } from '../../records.js';
import { rowOf, type Attempt } from '../attempt.js';
import { extractJson } from '../extract-json.js';
import { isRecord, REPLY_SCHEMA } from '../reply-schema.js';
import { converse, type Ask, type Understood } from '../turn.js';
import { toolSucceeded, turnsSpent, TURNS_OF_A_STEP } from './budget.js';
import { earlierUse } from './past.js';
import { nextAction, type Action, type Plan } from './plan.js';
import { handedBack, readLine } from './shape.js';
import { showPlan } from './show-plan.js';
import { begin, moveOn, personSpoke, planIn, stateOf, type PlanningState } from './state.js';

/** How an action ended. Done needs work: where a tool is named, a call that succeeded. */
interface Outcome {
  status: 'done' | 'failed';
  /** What the model says it achieved, or why it failed. */
  said: string;
}

const SCHEMA = { ...REPLY_SCHEMA, properties: { ...REPLY_SCHEMA.properties, failed: { type: 'boolean' } } };

/** Works on the next action with the normal loop, or goes on to verification when nothing more can be done. */
export async function carryOutNext(attempt: Attempt): Promise<void> {
  await showPlan(attempt);
  const plan = planIn(attempt);
  if (!stateOf(attempt).begun) {
    if (await personSpoke(attempt)) return;
    const next = nextAction(plan, stateOf(attempt).actions);
    if (!next) return moveOn(attempt, stateOf(attempt).verdict ? 'finished' : 'verification');
    beginAction(attempt, plan, next);
  }
  const action = plan.action_plan.actions.find(({ id }) => id === stateOf(attempt).action);
  if (!action) throw new Error(`the action ${stateOf(attempt).action} is not in the plan`);
  const outcome = await converse(attempt, askFor(attempt, action));
  if (outcome.status === 'done') finishAction(attempt, action, outcome.said);
  else failAction(attempt, action, outcome.said);
}

function beginAction(attempt: Attempt, plan: Plan, action: Action): void {
  const { turnCount, toolCallCount } = rowOf(attempt);
  const state = stateOf(attempt);
  begin(attempt, promptFor(attempt, plan, action, state), {
    step: 'execution',
    action: action.id,
    actions: { ...state.actions, [action.id]: 'running' },
    turnsBefore: turnCount,
    toolCallsBefore: toolCallCount,
  });
}

function askFor(attempt: Attempt, action: Action): Ask<Outcome> {
  return {
    phase: 'execution',
    taskId: action.id,
    tools: true,
    schema: { name: 'reply', schema: SCHEMA },
    read: (reply) => readOutcome(attempt, action, reply),
  };
}

function readOutcome(attempt: Attempt, action: Action, reply: CurrentLine): Understood<Outcome> {
  const failure = failureIn(reply);
  if (failure !== null) return ended('failed', failure);
  const reading = readLine(reply);
  if (reading.kind === 'done') {
    if (action.tool !== null && !toolSucceeded(attempt)) return handedBack(noWork(action));
    return ended('done', reading.comment ?? '');
  }
  if (reading.kind === 'act' && turnsSpent(attempt)) {
    return ended('failed', `not finished within ${TURNS_OF_A_STEP} turns`);
  }
  return reading;
}

function ended(status: Outcome['status'], said: string): Understood<Outcome> {
  return { kind: 'answer', value: { status, said }, comment: said };
}

/** `{"failed": true, "comment": "why"}` in the text, or `failed` among the arguments of `done`. */
function failureIn({ content, toolCalls = [], finish }: CurrentLine): string | null {
  if (finish === 'length' || toolCalls.some((call) => call.tool !== 'done')) return null;
  const said = toolCalls.length > 0 ? toolCalls.map((call) => call.args) : extractJson(content);
  const failure = said.find((value) => isRecord(value) && value['failed'] === true);
  if (!isRecord(failure)) return null;
  const why = failure['comment'];
  return typeof why === 'string' && why.trim() !== '' ? why.trim() : 'the model gave no reason';
}

function noWork({ id, tool }: Action): string {
  return (
    `${id} is not done: it names the tool ${tool}, and no tool call has succeeded since it began. Do the work, then say done; ` +
    'or, if it cannot be done, send {"failed": true, "comment": "why"}.'
  );
}

function finishAction(attempt: Attempt, { id }: Action, said: string): void {
  const state = stateOf(attempt);
  const sinceReflection = state.sinceReflection + 1;
  const actions = { ...state.actions, [id]: 'done' as const };
  const due = reflectionIsDue(attempt, { ...state, actions, sinceReflection });
  moveOn(attempt, due ? 'reflection' : 'execution', { ...ending(state, id, said), actions, sinceReflection });
}

/** A failure is looked at by a reflection, where one is due, and then decided upon. */
function failAction(attempt: Attempt, { id }: Action, error: string): void {
  const state = stateOf(attempt);
  const { enabled, triggerOnError, maxCount } = attempt.agent.config.planning.reflection;
  const reflects = enabled && triggerOnError && state.reflections < maxCount;
  moveOn(attempt, reflects ? 'reflection' : 'replan_decision', {
    ...ending(state, id, error),
    actions: { ...state.actions, [id]: 'failed' },
    failure: { action: id, error },
    sinceReflection: state.sinceReflection + 1,
  });
  attempt.history.answerOpenCalls(`the action has ended as failed: ${error}`);
}

function ending(state: PlanningState, id: string, said: string): Partial<PlanningState> {
  return { action: null, outcomes: { ...state.outcomes, [id]: cutMiddle(said, OUTCOME_TOKENS) } };
}

const OUTCOME_TOKENS = 200;

/** Every `trigger_interval` actions; after the last one verification looks at everything anyway. */
function reflectionIsDue(attempt: Attempt, { actions, reflections, sinceReflection }: PlanningState): boolean {
  const { reflection, verification } = attempt.agent.config.planning;
  if (!reflection.enabled || reflections >= reflection.maxCount || sinceReflection < reflection.triggerInterval)
    return false;
  return !verification.enabled || nextAction(planIn(attempt), actions) !== null;
}

function promptFor(attempt: Attempt, plan: Plan, action: Action, { outcomes, retries }: PlanningState): string {
  const subtask = plan.task_decomposition.subtasks.find(({ id }) => id === action.task_id);
  const detail: [string, string | undefined][] = [
    ['Subtask', subtask?.description],
    ['Tool', action.tool ?? undefined],
    ['Parameters', Object.keys(action.parameters ?? {}).length > 0 ? JSON.stringify(action.parameters) : undefined],
    ['Expected outcome', action.expected_outcome],
    ['If that fails', action.fallback_strategy],
    ['It failed before', retries[action.id] ? outcomes[action.id] : undefined],
  ];
  return [
    `Phase: execution. Now carry out the action ${action.id}, and only this one: ${action.purpose}`,
    ...detail.flatMap(([label, text]) => (text ? [`${label}: ${text}`] : [])),
    ...earlierUse(attempt, action.tool),
    `Use the tools, one step after another, at most ${TURNS_OF_A_STEP} turns. "done" ends this action, not the task; its comment says what was achieved.` +
      ' If the action cannot be done, send {"failed": true, "comment": "why"} as text.',
  ].join('\n');
}
