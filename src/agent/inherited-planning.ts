import type { Config } from '../config/config.js';
import type { AttemptRow, PlanningLine, ToolLine } from '../records.js';
import type { Agent } from './agent.js';
import { errorLine } from './outline.js';
import type { Plan, Statuses } from './planning/plan.js';

type PlanningOptions = Config['contextInheritance']['planning'];

/** One plan of an earlier attempt at this task, with all that became of it. */
export interface PastPlan {
  uuid: string;
  plan: Plan;
  /** By type, oldest first. */
  lines: PlanningLine[];
  statuses: Statuses;
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
    const statuses = (row.progress['actions'] ?? {}) as Statuses;
    const tools = files.tools();
    return groups.map((lines) => ({ uuid: row.uuid, plan: lastPlan(lines)!, lines, statuses, tools })).reverse();
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

/** The parts of the inherited text that are about plans; null where there is nothing to say. Normal mode gets the plan alone. */
export function planningText(
  plans: PastPlan[],
  options: PlanningOptions,
  { details, planningMode }: { details: boolean; planningMode: boolean },
): string | null {
  if (plans.length === 0) return null;
  const parts: [string, string[]][] = [
    ['## Previous Plan Summary', options.inheritPlans ? plans.flatMap((plan) => planSummary(plan, details)) : []],
  ];
  if (planningMode) {
    parts.push(
      ['## Execution History', plans.flatMap((plan) => executionHistory(plan, options, details))],
      ['## Verification History', options.inheritVerifications ? verificationHistory(plans, details) : []],
      ['## Recommendations for Current Processing', recommendations(plans, options)],
    );
  }
  const said = parts.filter(([, lines]) => lines.length > 0);
  return said.length === 0 ? null : said.map(([heading, lines]) => [heading, ...lines].join('\n')).join('\n\n');
}

function planSummary({ plan, lines, statuses }: PastPlan, details: boolean): string[] {
  const { actions } = plan.action_plan;
  const done = actions.filter((action) => statuses[action.id] === 'done').length;
  const goal = `- Goal: ${plan.goal_understanding.main_objective} (${done} of ${actions.length} actions completed)`;
  if (!details) return [goal];
  const subtasks = (plan.task_decomposition?.subtasks ?? []).map(({ id, description, dependencies = [] }) => {
    const after = dependencies.length > 0 ? ` (after ${dependencies.join(', ')})` : '';
    return `  - ${id}: ${description}${after} — ${completionOf(id, plan, statuses)}`;
  });
  return [goal, ...subtasks, ...revisionReasons(lines).map((reason) => `  - revised: ${reason}`), ...replanReasons(lines)];
}

function completionOf(taskId: string, { action_plan }: Plan, statuses: Statuses): string {
  const own = action_plan.actions.filter((action) => action.task_id === taskId).map((action) => statuses[action.id]);
  if (own.includes('failed')) return 'failed';
  return own.length > 0 && own.every((status) => status === 'done') ? 'completed' : 'not completed';
}

/** Why plans were revised, for the outline and for a later reflection. */
export function revisionReasons(lines: PlanningLine[]): string[] {
  return textsOf(lines, 'revision', (line) => text(field(line['revision'], 'reason')));
}

function replanReasons(lines: PlanningLine[]): string[] {
  const reasons = textsOf(lines, 'replan_decision', (line) => {
    const decision = line['decision'];
    return field(decision, 'replan_needed') === true ? text(field(decision, 'reasoning')) : '';
  });
  return reasons.map((reason) => `  - planned again: ${reason}`);
}

function executionHistory({ plan, lines, statuses, tools }: PastPlan, options: PlanningOptions, details: boolean): string[] {
  const { actions } = plan.action_plan;
  const withStatus = (status: string): string[] =>
    actions.filter((action) => statuses[action.id] === status).map((action) => (details ? `${action.id} (${action.purpose})` : action.id));
  const [worked, failed] = [withStatus('done'), withStatus('failed')];
  const errors = details ? keyFailures(tools).map((failure) => `- Key failure: ${failure}`) : [];
  return [
    ...(worked.length > 0 ? [`- Successful actions: ${worked.join(', ')}`] : []),
    ...(failed.length > 0 ? [`- Failed actions: ${failed.join(', ')}`] : []),
    ...errors,
    ...(options.inheritReflections ? reflections(lines, details) : []),
  ];
}

const MOST_FAILURES = 5;

function keyFailures(tools: ToolLine[]): string[] {
  const failures = tools.filter((line) => line.status === 'error').map((line) => `${line.tool}: ${errorLine(line.error ?? '')}`);
  return [...new Set(failures)].slice(-MOST_FAILURES);
}

function reflections(lines: PlanningLine[], details: boolean): string[] {
  return textsOf(lines, 'reflection', (line) => {
    const of = line['reflection'];
    const issues = details ? list(field(of, 'issues_identified')) : [];
    const said = [text(field(of, 'action_evaluated')), text(field(of, 'evaluation')), ...issues].filter(Boolean);
    return said.length > 0 ? `- Reflection: ${said.join('; ')}` : '';
  });
}

function verificationHistory(plans: PastPlan[], details: boolean): string[] {
  return plans.flatMap(({ lines }) => {
    const rounds = lines.filter((line) => line.type === 'verification');
    return rounds.map((line, at) => {
      const passed = field(line['verification'], 'verification_passed') === true;
      const found = findingsOf(line);
      const later = at < rounds.length - 1 ? new Set(rounds.slice(at + 1).flatMap(findingsOf)) : null;
      const resolved = later ? found.filter((issue) => !later.has(issue)) : [];
      const issues = details && found.length > 0 ? `: ${found.join('; ')}` : '';
      const count = `${found.length} found, ${resolved.length} resolved later`;
      return `- Round ${text(line['round']) || at + 1}: ${passed ? 'passed' : 'not passed'}, ${count}${issues}`;
    });
  });
}

/** What a verification round found missing. */
export function findingsOf(line: PlanningLine): string[] {
  return list(field(line['verification'], 'issues_found'));
}

function recommendations(plans: PastPlan[], options: PlanningOptions): string[] {
  const [newest] = plans;
  if (!newest) return [];
  const { plan, statuses, lines } = newest;
  const open = plan.action_plan.actions.filter((action) => statuses[action.id] !== 'done').map((action) => action.id);
  const failed = plan.action_plan.actions.filter((action) => statuses[action.id] === 'failed');
  const last = lines.findLast((line) => line.type === 'verification');
  const missing = options.inheritVerifications && last ? findingsOf(last) : [];
  return [
    ...(options.inheritPlans && open.length > 0 ? [`- Not completed before: ${open.join(', ')}`] : []),
    ...failed.map(({ id, fallback_strategy }) => `- Avoid or replace what failed: ${id}${fallback_strategy ? ` (instead: ${fallback_strategy})` : ''}`),
    ...missing.map((issue) => `- Found by the last verification: ${issue}`),
    ...(options.reuseSuccessfulPatterns ? patterns(plans) : []),
  ];
}

/** Tools that worked, most used first, with the arguments they were given. */
function patterns(plans: PastPlan[]): string[] {
  const uses = new Map<string, { times: number; names: Set<string> }>();
  for (const { tool, args, status } of distinctTools(plans)) {
    if (status !== 'success') continue;
    const use = uses.get(tool) ?? { times: 0, names: new Set<string>() };
    use.times++;
    for (const name of Object.keys(Object(args) as object)) use.names.add(name);
    uses.set(tool, use);
  }
  const sorted = [...uses].sort((a, b) => b[1].times - a[1].times).slice(0, MOST_FAILURES);
  return sorted.map(([tool, { times, names }]) => `- Worked before: ${tool}(${[...names].join(', ')}), ${times}×`);
}

function distinctTools(plans: PastPlan[]): ToolLine[] {
  return [...new Map(plans.map(({ uuid, tools }) => [uuid, tools])).values()].flat();
}

function textsOf(lines: PlanningLine[], type: PlanningLine['type'], read: (line: PlanningLine) => string): string[] {
  return lines.filter((line) => line.type === type).map(read).filter(Boolean);
}

function field(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map((each) => text(each) || JSON.stringify(each)).filter(Boolean) : [];
}
