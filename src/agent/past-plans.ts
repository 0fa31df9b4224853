import type { AttemptRow, PlanningLine, ToolLine } from '../records.js';
import type { Agent } from './agent.js';
import type { Plan, Statuses } from './planning/plan.js';

/** One plan of an earlier attempt at this task, with all that became of it. */
export interface PastPlan {
  uuid: string;
  plan: Plan;
  /** The plan itself and what followed from it, oldest first. */
  lines: PlanningLine[];
  statuses: Statuses;
  /** What was said of each finished action, and the error of each failed one. */
  outcomes: Record<string, string>;
  tools: ToolLine[];
}

/** The last `max_previous_plans` plans of these attempts, newest first. Broken lines count as not there. */
export function readPlans(agent: Agent, rows: AttemptRow[]): PastPlan[] {
  const { maxPreviousPlans } = agent.config.contextInheritance.planning;
  const found: PastPlan[] = [];
  for (const row of rows) {
    if (found.length >= maxPreviousPlans) break;
    found.push(...plansOf(agent, row));
  }
  return found.slice(0, maxPreviousPlans);
}

function plansOf(agent: Agent, row: AttemptRow): PastPlan[] {
  try {
    const files = agent.store.files(row.uuid);
    const groups = groupByPlan(files.planning());
    if (groups.length === 0) return [];
    const fate = {
      uuid: row.uuid,
      statuses: (row.progress['actions'] ?? {}) as Statuses,
      outcomes: (row.progress['outcomes'] ?? {}) as Record<string, string>,
      tools: files.tools(),
    };
    return groups.map((lines) => ({ ...fate, plan: lastPlan(lines)!, lines })).reverse();
  } catch (error) {
    const fields = { attempt: row.uuid, error: (error as Error).message };
    agent.log.write('warning', 'skipped earlier plans that could not be read', fields);
    return [];
  }
}

/** A plan line begins a plan; what follows belongs to it. */
function groupByPlan(lines: PlanningLine[]): PlanningLine[][] {
  const groups: PlanningLine[][] = [];
  for (const line of lines) {
    if (line.type === 'plan') groups.push([line]);
    else groups.at(-1)?.push(line);
  }
  return groups.filter((group) => lastPlan(group) !== null);
}

function lastPlan(lines: PlanningLine[]): Plan | null {
  const plan = lines.findLast((line) => isPlan(line['plan']))?.['plan'];
  return isPlan(plan) ? plan : null;
}

function isPlan(value: unknown): value is Plan {
  const plan = value as Partial<Plan> | null | undefined;
  return Array.isArray(plan?.action_plan?.actions) && typeof plan.goal_understanding?.main_objective === 'string';
}
