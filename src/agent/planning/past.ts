import { oneLine } from '../../report/format.js';
import type { AttemptFiles, PlanningLine } from '../../records.js';
import { sanitizeForeign } from '../../task/sanitize.js';
import type { Attempt } from '../attempt.js';
import { earlierAttempts } from '../inheritance.js';
import { findingsOf, revisionReasons } from '../inherited-planning.js';
import { withoutNames } from '../names.js';
import { planOf } from './plan.js';

const LONGEST_LINE = 240;
const MOST_LINES = 6;

/** What earlier attempts at this task met with when they used the tool: a few lines, or none. */
export function earlierUse(attempt: Attempt, tool: string | null): string[] {
  const { reuseSuccessfulPatterns } = attempt.agent.config.contextInheritance.planning;
  const calls =
    tool === null ? [] : earlier(attempt).flatMap((files) => files.tools().filter((line) => line.tool === tool));
  const worked = calls.filter((line) => line.status === 'success').slice(-2);
  const failed = calls.filter((line) => line.status === 'error').slice(-3);
  return listed(attempt, `Earlier attempts at this task used ${tool}:`, [
    ...(reuseSuccessfulPatterns
      ? worked.map((line) => `worked: ${JSON.stringify(line.args)} → ${line.result ?? ''}`)
      : []),
    ...failed.map((line) => `failed: ${JSON.stringify(line.args)} → ${line.error ?? ''}`),
  ]);
}

/** Why earlier plans were revised. */
export function earlierRevisions(attempt: Attempt): string[] {
  const { inheritReflections } = attempt.agent.config.contextInheritance.planning;
  const reasons = inheritReflections ? earlierLines(attempt).flatMap(revisionReasons) : [];
  return listed(attempt, 'Earlier attempts at this task revised their plans because:', reasons);
}

/** By what earlier attempts were judged, and what their verification found. */
export function earlierVerifications(attempt: Attempt): string[] {
  const { inheritVerifications } = attempt.agent.config.contextInheritance.planning;
  const lines = inheritVerifications ? earlierLines(attempt) : [];
  const criteria = lines.flatMap((each) => planOf(each)?.goal_understanding.success_criteria ?? []);
  const found = lines
    .flat()
    .filter((line) => line.type === 'verification')
    .flatMap(findingsOf);
  return [
    ...listed(attempt, 'Success criteria of earlier attempts at this task:', criteria),
    ...listed(attempt, 'What earlier verifications found:', found),
  ];
}

function earlierLines(attempt: Attempt): PlanningLine[][] {
  return earlier(attempt).map((files) => files.planning());
}

/** The folders of the attempts that are inherited from, oldest first. */
function earlier({ agent, conversation }: Attempt): AttemptFiles[] {
  const { enabled, planning } = agent.config.contextInheritance;
  const rows = enabled ? earlierAttempts(agent, conversation).slice(0, planning.maxPreviousPlans) : [];
  return rows.reverse().map((row) => agent.store.files(row.uuid));
}

/** The newest few different lines under a heading; nothing where there are none. */
function listed({ agent, conversation }: Attempt, heading: string, lines: string[]): string[] {
  const clean = (line: string): string => withoutNames(agent.redact(sanitizeForeign(line)), [conversation.author]);
  const different = new Set(lines.map((line) => oneLine(clean(line)).slice(0, LONGEST_LINE)).filter(Boolean));
  return different.size === 0 ? [] : [heading, ...[...different].slice(-MOST_LINES).map((line) => `- ${line}`)];
}
