import type { Config } from '../config/config.js';
import type { PlanningLine, ToolLine } from '../records.js';
import { errorLine } from './outline.js';
import type { PastPlan } from './past-plans.js';
import type { Plan, Statuses } from './planning/plan.js';

type PlanningOptions = Config['contextInheritance']['planning'];

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
      [
        '## Verification History',
        options.inheritVerifications ? plans.flatMap((plan) => verificationHistory(plan, details)) : [],
      ],
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
  return [
    goal,
    ...subtasks,
    ...revisionReasons(lines).map((reason) => `  - revised: ${reason}`),
    ...replanReasons(lines),
  ];
}

function completionOf(taskId: string, { action_plan }: Plan, statuses: Statuses): string {
  const own = action_plan.actions.filter((action) => action.task_id === taskId).map((action) => statuses[action.id]);
  if (own.includes('failed')) return 'failed';
  return own.length > 0 && own.every((status) => status === 'done') ? 'completed' : 'not completed';
}

/** Why the plans of these lines were revised. */
export function revisionReasons(lines: PlanningLine[]): string[] {
  return textsOf(lines, 'revision', (line) => text(line['reason']));
}

function replanReasons(lines: PlanningLine[]): string[] {
  const reasons = textsOf(lines, 'replan_decision', (line) => {
    const decision = line['decision'];
    return field(decision, 'replan_needed') === true ? text(field(decision, 'reasoning')) : '';
  });
  return reasons.map((reason) => `  - planned again: ${reason}`);
}

function executionHistory(past: PastPlan, options: PlanningOptions, details: boolean): string[] {
  const [worked, failed] = [actionsThat(past, 'done', details), actionsThat(past, 'failed', details)];
  return [
    ...(worked.length > 0 ? [`- Successful actions: ${worked.join(', ')}`] : []),
    ...(failed.length > 0 ? [`- Failed actions: ${failed.join(', ')}`] : []),
    ...(details ? keyFailures(past.tools).map((failure) => `- Key failure: ${failure}`) : []),
    ...(options.inheritReflections ? reflections(past.lines, details) : []),
  ];
}

function actionsThat({ plan, statuses, outcomes }: PastPlan, status: 'done' | 'failed', details: boolean): string[] {
  const actions = plan.action_plan.actions.filter((action) => statuses[action.id] === status);
  return actions.map(({ id, purpose }) => {
    const why = status === 'failed' && outcomes[id] ? `: ${errorLine(outcomes[id])}` : '';
    return details ? `${id} (${purpose}${why})` : id;
  });
}

const MOST_LINES = 5;

function keyFailures(tools: ToolLine[]): string[] {
  const failures = tools
    .filter((line) => line.status === 'error')
    .map((line) => `${line.tool}: ${errorLine(line.error ?? '')}`);
  return [...new Set(failures)].slice(-MOST_LINES);
}

function reflections(lines: PlanningLine[], details: boolean): string[] {
  return textsOf(lines, 'reflection', (line) => {
    const of = line['reflection'];
    const issues = details ? list(field(of, 'issues_identified')) : [];
    const said = [text(field(of, 'action_evaluated')), text(field(of, 'evaluation')), ...issues].filter(Boolean);
    return said.length > 0 ? `- Reflection: ${said.join('; ')}` : '';
  });
}

function verificationHistory({ lines }: PastPlan, details: boolean): string[] {
  const rounds = lines.filter((line) => line.type === 'verification');
  return rounds.map((line, at) => {
    const passed = field(line['verification'], 'verification_passed') === true;
    const [found, later] = [findingsOf(line), rounds.slice(at + 1)];
    const resolved = later.length === 0 ? [] : found.filter((issue) => !findingsOf(later.at(-1)!).includes(issue));
    const issues = details && found.length > 0 ? `: ${found.join('; ')}` : '';
    return `- Round ${text(line['round']) || at + 1}: ${passed ? 'passed' : 'not passed'}, ${found.length} found, ${resolved.length} resolved${issues}`;
  });
}

/** What a round of verification found missing. */
export function findingsOf(line: PlanningLine): string[] {
  return list(field(line['verification'], 'issues_found'));
}

function recommendations(plans: PastPlan[], options: PlanningOptions): string[] {
  const [newest] = plans;
  if (!newest) return [];
  const { plan, statuses, lines } = newest;
  const open = plan.action_plan.actions.filter((action) => statuses[action.id] !== 'done');
  const last = lines.findLast((line) => line.type === 'verification');
  return [
    ...(options.inheritPlans && open.length > 0
      ? [`- Not completed before: ${open.map(({ id }) => id).join(', ')}`]
      : []),
    ...open.filter(({ id }) => statuses[id] === 'failed').map(alternative),
    ...(options.inheritVerifications && last ? findingsOf(last) : []).map(
      (issue) => `- Found by the last verification: ${issue}`,
    ),
    ...(options.reuseSuccessfulPatterns ? patterns(plans) : []),
  ];
}

function alternative({ id, fallback_strategy: instead }: Plan['action_plan']['actions'][number]): string {
  return `- Avoid or replace what failed: ${id}${instead ? ` (instead: ${instead})` : ''}`;
}

/** Tools that worked, most used first, with the names of their arguments. */
function patterns(plans: PastPlan[]): string[] {
  const uses = new Map<string, ToolLine[]>();
  for (const line of distinctTools(plans)) {
    if (line.status === 'success') uses.set(line.tool, [...(uses.get(line.tool) ?? []), line]);
  }
  const mostUsed = [...uses].sort((a, b) => b[1].length - a[1].length).slice(0, MOST_LINES);
  return mostUsed.map(([tool, lines]) => {
    const names = new Set(lines.flatMap(({ args }) => Object.keys(Object(args) as object)));
    return `- Worked before: ${tool}(${[...names].join(', ')}), ${lines.length}×`;
  });
}

function distinctTools(plans: PastPlan[]): ToolLine[] {
  return [...new Map(plans.map(({ uuid, tools }) => [uuid, tools])).values()].flat();
}

function textsOf(lines: PlanningLine[], type: PlanningLine['type'], read: (line: PlanningLine) => string): string[] {
  return lines
    .filter((line) => line.type === type)
    .map(read)
    .filter(Boolean);
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
