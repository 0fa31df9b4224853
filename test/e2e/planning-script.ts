import type { CannedRequest, Step } from '../../src/playground/model/steps.js';
import type { PlanningLine } from '../../src/records.js';
import { setStage, type Stage, type StageOptions } from './stage.js';

export const PLANNING = { enabled: true, pre_planning: { enabled: false }, reflection: { enabled: false } };

export const note = (text: string): Step => ({ toolCalls: [{ tool: 'notes/note', args: { text } }] });
export const look: Step = { toolCalls: [{ tool: 'notes/echo', args: { text: 'seen' } }] };
export const fail: Step = { toolCalls: [{ tool: 'notes/fail', args: {} }] };
export const done = (comment: string): Step => ({ done: true, comment });
export const say = (value: unknown): Step => ({ text: JSON.stringify(value) });
export const passed = say({ verification_passed: true, comment: 'All there.' });

export interface Task {
  id: string;
  needs?: string[];
  tool?: string | null;
}

export function actionOf({ id, tool = 'notes/note' }: Task): Record<string, unknown> {
  return { task_id: id, purpose: `work on ${id}`, tool };
}

export function plan(...tasks: Task[]): Step {
  return say({
    phase: 'planning',
    goal_understanding: { main_objective: 'Greet properly', success_criteria: ['it says hello'], constraints: [] },
    task_decomposition: { subtasks: tasks.map(({ id, needs = [] }) => ({ id, description: id, dependencies: needs })) },
    action_plan: { execution_order: tasks.map(({ id }) => id), actions: tasks.map(actionOf) },
  });
}

export const cannot: Step = say({ failed: true, comment: 'The door is locked.' });

export const missing: Step = say({
  verification_passed: false,
  issues_found: ['no comma'],
  additional_actions: [{ purpose: 'add the comma', tool: 'notes/note' }],
});

export function reflection(needed: boolean, more: object = {}): Step {
  return say({ reflection: { plan_revision_needed: needed, reasoning: 'a hunch' }, ...more });
}

export function decision(fields: Record<string, unknown>): Step {
  return say({ replan_decision: { replan_needed: true, confidence: 0.9, ...fields } });
}

export function revision(...tasks: Task[]): Step {
  return say({
    plan_revision: {
      reason: 'better so',
      changes: ['other actions'],
      updated_action_plan: { actions: tasks.map(actionOf) },
    },
  });
}

/** Answers by the conversation and not by the count, so that a repeated request gets the same answer. */
export function inTurn(steps: Step[]): (request: CannedRequest) => Step {
  return ({ messages }) => {
    if (messages.some((message) => message.content.includes('Write the summary now')))
      return { text: 'What was done.' };
    const begun = messages.findIndex((message) => message.content.includes('Phase: '));
    // Strict templates want an assistant between a tool's output and the next user: those were said by nobody.
    const said = messages
      .slice(begun)
      .filter(({ role, content }) => role === 'assistant' && content !== '(Noted.)').length;
    return steps[said] ?? { status: 400, body: { error: { message: `no step ${said + 1}` } } };
  };
}

/** A stage in planning mode; the tick is up to the test. */
export function setPlanningStage(
  steps: Step[],
  planning: Record<string, unknown> = {},
  { config, ...options }: Partial<StageOptions> = {},
): Promise<Stage> {
  return setStage({ script: inTurn(steps), ...options, config: { planning: { ...PLANNING, ...planning }, ...config } });
}

export function planningLines(stage: Stage): PlanningLine[] {
  const [row] = stage.query<{ uuid: string }>('SELECT uuid FROM tasks ORDER BY created_at DESC');
  return stage.lines<PlanningLine>(row!.uuid, `planning/${row!.uuid}.jsonl`);
}

export function commentOf(stage: Stage, n: number, kind: string): string {
  return stage.comments(n).find(({ body }) => body.includes(`kind=${kind} `))?.body ?? '';
}

/** What the model was shown last at its n-th request. */
export function promptAt(stage: Stage, request: number): string {
  return stage.model.requests[request]?.messages.at(-1)?.content ?? '';
}
