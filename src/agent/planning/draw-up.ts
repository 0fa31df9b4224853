import {
  findCycle,
  inOrder,
  named,
  type Action,
  type Goal,
  type Plan,
  type ProposedAction,
  type Statuses,
  type Subtask,
} from './plan.js';

/** A plan as a model proposes it: not yet ordered, named or believed. */
export interface Proposal {
  goal_understanding: Partial<Goal> & { main_objective: string };
  task_decomposition?: { reasoning?: string; subtasks?: Partial<Subtask>[] } | null;
  action_plan: { execution_order?: string[]; actions: ProposedAction[] };
  previous_plan?: string;
}

/** What a revision may change; what it does not name stays. */
export interface Change {
  goal_understanding?: Partial<Goal> | null;
  task_decomposition?: Proposal['task_decomposition'];
  action_plan: Proposal['action_plan'];
}

export interface Rules {
  /** The names of the tools there are. */
  tools: string[];
  maxSubtasks: number;
}

export type DrawnUp = { ok: true; plan: Plan } | { ok: false; problems: string[] };

/** Makes a plan of a proposal, or says everything that is wrong with it. */
export function drawUp(proposal: Proposal, rules: Rules): DrawnUp {
  return assemble(proposal, { kept: [], subtasks: [] }, rules);
}

/** The plan with its open part replaced. Finished actions stay finished, whether or not the change lists them. */
export function revise(plan: Plan, statuses: Statuses, change: Change, rules: Rules): DrawnUp {
  const kept = plan.action_plan.actions.filter((action) => statuses[action.id] === 'done');
  const isKept = (action: ProposedAction): boolean =>
    kept.some((done) => done.task_id === action.task_id && done.purpose === action.purpose);
  const { actions, execution_order = [] } = change.action_plan;
  const proposal: Proposal = {
    ...plan,
    goal_understanding: { ...plan.goal_understanding, ...filledIn(change.goal_understanding ?? {}) },
    task_decomposition: change.task_decomposition?.subtasks?.length
      ? change.task_decomposition
      : plan.task_decomposition,
    action_plan: { execution_order, actions: actions.filter((action) => !isKept(action)) },
  };
  const worked = new Set(kept.map((action) => action.task_id));
  return assemble(
    proposal,
    { kept, subtasks: plan.task_decomposition.subtasks.filter(({ id }) => worked.has(id)) },
    rules,
  );
}

/** What verification adds: `verify_1`, `verify_2` … at the end of the plan, counted over all its rounds. */
export function addActions(
  plan: Plan,
  additions: Omit<ProposedAction, 'task_id'>[],
  round: number,
  rules: Rules,
): DrawnUp {
  const before = plan.action_plan.actions.filter((action) => action.round !== undefined).length;
  const added = additions.map((action, at) => ({ ...action, task_id: `verify_${before + at + 1}` }));
  const problems = added.flatMap((action) => toolProblem(action, rules.tools));
  if (problems.length > 0) return { ok: false, problems };
  const actions = named(added).map((action) => ({ ...withTool(action, rules.tools), round }));
  return {
    ok: true,
    plan: { ...plan, action_plan: { ...plan.action_plan, actions: [...plan.action_plan.actions, ...actions] } },
  };
}

/** What stays of the plan before: finished actions, and the subtasks they belong to. */
interface Kept {
  kept: Action[];
  subtasks: Subtask[];
}

function assemble(proposal: Proposal, { kept, subtasks: old }: Kept, rules: Rules): DrawnUp {
  const proposed = (proposal.task_decomposition?.subtasks ?? []).map(wholeSubtask);
  const subtasks = [...old.filter(({ id }) => !proposed.some((subtask) => subtask.id === id)), ...proposed];
  const { execution_order = [], actions } = proposal.action_plan;
  const problems = problemsOf(proposed, subtasks, actions, kept, rules);
  if (problems.length > 0) return { ok: false, problems };
  const fresh = named(
    inOrder(actions, subtasks, execution_order),
    kept.map((action) => action.id),
  );
  return {
    ok: true,
    plan: {
      goal_understanding: wholeGoal(proposal.goal_understanding),
      task_decomposition: { ...proposal.task_decomposition, subtasks },
      action_plan: { execution_order, actions: [...kept, ...fresh.map((action) => withTool(action, rules.tools))] },
      ...(proposal.previous_plan && { previous_plan: proposal.previous_plan }),
    },
  };
}

function problemsOf(
  proposed: Subtask[],
  all: Subtask[],
  actions: ProposedAction[],
  kept: Action[],
  rules: Rules,
): string[] {
  const ids = new Set(all.map(({ id }) => id));
  const cycle = findCycle(all);
  const count = Math.max(proposed.length, new Set(actions.map((action) => action.task_id)).size);
  return [
    ...(actions.length + kept.length === 0 ? ['the plan has no actions'] : []),
    ...(count > rules.maxSubtasks
      ? [`the plan has ${count} subtasks, and at most ${rules.maxSubtasks} are allowed`]
      : []),
    ...(cycle ? [`the dependencies run in a circle: ${cycle.join(' → ')}`] : []),
    ...proposed.flatMap(({ id, dependencies }) =>
      dependencies.filter((other) => !ids.has(other)).map((other) => `${id} depends on ${other}, which is no subtask`),
    ),
    ...actions.flatMap((action) => toolProblem(action, rules.tools)),
  ];
}

function toolProblem({ task_id, tool }: ProposedAction, tools: string[]): string[] {
  if (toolCalled(tool, tools) !== undefined) return [];
  return [`the action of ${task_id} names the tool ${tool}, which there is not (tools: ${tools.join(', ')})`];
}

function withTool<A extends ProposedAction>(action: A, tools: string[]): A & { tool: string | null } {
  return { ...action, tool: toolCalled(action.tool, tools) ?? null };
}

/** The tool a model means, whatever way it spells it; null: none is needed; undefined: there is no such tool. */
function toolCalled(name: string | null | undefined, tools: string[]): string | null | undefined {
  const spelled = (name ?? '').trim();
  if (['', 'none', 'null', 'n/a'].includes(spelled.toLowerCase())) return null;
  const exact = [spelled, spelled.replace('__', '/')].find((each) => tools.includes(each));
  if (exact) return exact;
  const ending = tools.filter((tool) => tool.endsWith(`/${spelled}`));
  return ending.length === 1 ? ending[0] : undefined;
}

/** Without the blanks that a model leaves in a form. */
function filledIn(goal: Partial<Goal>): Partial<Goal> {
  return Object.fromEntries(Object.entries(goal).filter(([, value]) => value.length > 0));
}

function wholeSubtask(subtask: Partial<Subtask>): Subtask {
  const { id = '', description = '', dependencies = [] } = subtask;
  return { ...subtask, id, description, dependencies: dependencies.filter((dependency) => dependency !== '') };
}

function wholeGoal(goal: Proposal['goal_understanding']): Goal {
  return { ...goal, success_criteria: goal.success_criteria ?? [], constraints: goal.constraints ?? [] };
}
