import type { PlanningLine } from '../../records.js';

/** A plan in the shape of the contract, its actions named and in the order in which they are worked on. */
export interface Plan {
  goal_understanding: Goal;
  task_decomposition: { reasoning?: string; subtasks: Subtask[] };
  action_plan: { execution_order: string[]; actions: Action[] };
  /** What the model decided about the plan of an earlier attempt. */
  previous_plan?: string;
}

export interface Goal {
  main_objective: string;
  success_criteria: string[];
  constraints: string[];
  context?: string;
}

export interface Subtask {
  id: string;
  description: string;
  dependencies: string[];
  estimated_complexity?: string;
  required_tools?: string[];
}

export interface ProposedAction {
  task_id: string;
  action_type?: string;
  tool?: string | null;
  parameters?: Record<string, unknown> | null;
  purpose: string;
  expected_outcome?: string;
  fallback_strategy?: string;
}

export interface Action extends ProposedAction {
  /** Its task_id, then `task_id.2` …. */
  id: string;
  /** `server/tool`, or null: analysis, which needs no tool. */
  tool: string | null;
  /** The verification round that asked for it. */
  round?: number;
}

export type ActionStatus = 'running' | 'done' | 'failed';
export type Statuses = Record<string, ActionStatus>;

/** The first action that is still to be done and whose dependencies are all finished; null: nothing can be done. */
export function nextAction(plan: Plan, statuses: Statuses): Action | null {
  const { actions } = plan.action_plan;
  const isFree = (action: Action): boolean => {
    const needed = dependenciesOf(action.task_id, plan.task_decomposition.subtasks);
    return actions.every((other) => !needed.has(other.task_id) || statuses[other.id] === 'done');
  };
  return actions.find((action) => isOpen(statuses[action.id]) && isFree(action)) ?? null;
}

/** What never got done: failed, or waiting for something that failed. */
export function unfinishedActions(plan: Plan, statuses: Statuses): Action[] {
  return plan.action_plan.actions.filter((action) => statuses[action.id] !== 'done');
}

function isOpen(status: ActionStatus | undefined): boolean {
  return status === undefined || status === 'running';
}

/** All subtasks that must be finished before this one, directly or by way of others. */
export function dependenciesOf(taskId: string, subtasks: Subtask[]): Set<string> {
  const found = new Set<string>();
  const open = [taskId];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const dependencies = subtasks.find((subtask) => subtask.id === id)?.dependencies ?? [];
    for (const dependency of dependencies) if (!found.has(dependency)) open.push(dependency);
    for (const dependency of dependencies) found.add(dependency);
  }
  return found;
}

/** A chain of subtasks that comes back to its beginning, or null. */
export function findCycle(subtasks: Subtask[]): string[] | null {
  const start = subtasks.find(({ id }) => dependenciesOf(id, subtasks).has(id));
  if (!start) return null;
  const chain = [start.id];
  for (let at = start; ;) {
    const step = at.dependencies.find((id) => id === start.id || dependenciesOf(id, subtasks).has(start.id));
    if (step === undefined) return chain;
    chain.push(step);
    const next = subtasks.find(({ id }) => id === step);
    if (step === start.id || !next) return chain;
    at = next;
  }
}

/** Actions in the order the model asked for, as far as the dependencies allow it. Expects that there is no cycle. */
export function inOrder<A extends ProposedAction>(actions: A[], subtasks: Subtask[], wanted: string[]): A[] {
  const rank = (action: A): number =>
    wanted.includes(action.task_id) ? wanted.indexOf(action.task_id) : wanted.length;
  const left = [...actions].sort((a, b) => rank(a) - rank(b));
  const ordered: A[] = [];
  while (left.length > 0) {
    const waiting = new Set(left.map((action) => action.task_id));
    const at = left.findIndex(({ task_id }) => [...dependenciesOf(task_id, subtasks)].every((id) => !waiting.has(id)));
    ordered.push(...left.splice(Math.max(0, at), 1));
  }
  return ordered;
}

/** Gives each action its id, free of those that are taken. */
export function named<A extends ProposedAction>(actions: A[], taken: Iterable<string> = []): (A & { id: string })[] {
  const used = new Set(taken);
  return actions.map((action) => {
    let id = action.task_id;
    for (let n = 2; used.has(id); n++) id = `${action.task_id}.${n}`;
    used.add(id);
    return { ...action, id };
  });
}

/** The plan as it stands after all these lines; null: there is none yet. */
export function planOf(lines: PlanningLine[]): Plan | null {
  return (lines.findLast((line) => line['plan'])?.['plan'] as Plan | undefined) ?? null;
}

export interface PlanView {
  goal: string;
  revision: number;
  actions: { id: string; purpose: string; status: ActionStatus | 'open'; additional: boolean }[];
}

/** The plan with its ticks, from what is stored of an attempt; null: it has no plan. */
export function planView(lines: PlanningLine[], progress: Record<string, unknown>): PlanView | null {
  const plan = planOf(lines);
  if (!plan) return null;
  const statuses = (progress['actions'] ?? {}) as Statuses;
  return {
    goal: plan.goal_understanding.main_objective,
    revision: lines.filter((line) => line.type === 'revision').length,
    actions: plan.action_plan.actions.map(({ id, purpose, round }) => ({
      id,
      purpose,
      status: statuses[id] ?? 'open',
      additional: round !== undefined,
    })),
  };
}

/** The open plan in a few lines, for a context from which the plan itself may be gone. */
export function outlineOf(plan: Plan, statuses: Statuses): string {
  const { main_objective, success_criteria } = plan.goal_understanding;
  const boxes = plan.action_plan.actions.map(({ id, purpose }) => `${MARKS[statuses[id] ?? 'open']} ${id}: ${purpose}`);
  const criteria = success_criteria.map((criterion) => `- ${criterion}`);
  return [`Goal: ${main_objective}`, 'Success criteria:', ...criteria, 'Plan:', ...boxes].join('\n');
}

const MARKS = { open: '[ ]', running: '[>]', done: '[x]', failed: '[!]' } as const;
