import { oneLine } from '../../report/format.js';
import type { AttemptFiles, AttemptRow, PlanningLine } from '../../records.js';
import type { Attempt } from '../attempt.js';
import type { Plan } from './plan.js';

const DAY_MS = 86_400_000;
const LONGEST_LINE = 240;

/** What earlier attempts at this task met with when they used the tool: a few lines, or none. */
export function earlierUse(attempt: Attempt, tool: string | null): string[] {
  const { reuseSuccessfulPatterns } = attempt.agent.config.contextInheritance.planning;
  const calls = tool === null ? [] : earlier(attempt).flatMap((files) => files.tools().filter((line) => line.tool === tool));
  const worked = calls.filter((line) => line.status === 'success').slice(-2);
  const failed = calls.filter((line) => line.status === 'error').slice(-3);
  return listed(attempt, `Earlier attempts at this task used ${tool}:`, [
    ...(reuseSuccessfulPatterns ? worked.map((line) => `worked: ${JSON.stringify(line.args)} → ${line.result ?? ''}`) : []),
    ...failed.map((line) => `failed: ${JSON.stringify(line.args)} → ${line.error ?? ''}`),
  ]);
}

/** Why earlier plans were revised, and what was found wrong with them. */
export function earlierRevisions(attempt: Attempt): string[] {
  const { inheritReflections } = attempt.agent.config.contextInheritance.planning;
  const lines = inheritReflections ? earlierLines(attempt) : [];
  return listed(attempt, 'Earlier attempts at this task revised their plans because:', [
    ...lines.filter((line) => line.type === 'revision').map((line) => textIn(line, 'reason')),
    ...lines.filter((line) => line.type === 'reflection').flatMap((line) => textsIn(line['reflection'], 'issues_identified')),
  ]);
}

/** By what earlier attempts were judged, and what their verification found. */
export function earlierVerifications(attempt: Attempt): string[] {
  const { inheritVerifications } = attempt.agent.config.contextInheritance.planning;
  const lines = inheritVerifications ? earlierLines(attempt) : [];
  const criteria = lines.flatMap((line) => (line['plan'] as Plan | undefined)?.goal_understanding?.success_criteria ?? []);
  const verifications = lines.filter((line) => line.type === 'verification').map((line) => line['verification']);
  return [
    ...listed(attempt, 'Success criteria of earlier attempts at this task:', criteria),
    ...listed(attempt, 'What earlier verifications found:', [
      ...verifications.flatMap((verification) => textsIn(verification, 'issues_found')),
      ...verifications.flatMap((verification) => textsIn(field(verification, 'placeholder_detected'), 'locations')),
    ]),
  ];
}

function earlierLines(attempt: Attempt): PlanningLine[] {
  return earlier(attempt).flatMap((files) => files.planning());
}

/** The folders of the attempts that are inherited from, oldest first. */
function earlier({ agent, conversation, uuid }: Attempt): AttemptFiles[] {
  const { enabled, contextExpiryDays, planning } = agent.config.contextInheritance;
  if (!enabled) return [];
  const since = agent.clock.now() - contextExpiryDays * DAY_MS;
  const counts = (row: AttemptRow): boolean =>
    row.uuid !== uuid && (row.status === 'completed' || row.status === 'stopped') && (row.completedAt ?? 0) >= since;
  const rows = agent.store.attempts.ofConversation(conversation.id).filter(counts).slice(0, planning.maxPreviousPlans);
  return rows.reverse().map((row) => agent.store.files(row.uuid));
}

/** At most six different lines, the newest ones, under a heading; nothing where there are none. */
function listed({ agent }: Attempt, heading: string, lines: string[]): string[] {
  const different = [...new Set(lines.map((line) => oneLine(agent.redact(line)).slice(0, LONGEST_LINE)))].filter(Boolean);
  return different.length === 0 ? [] : [heading, ...different.slice(-6).map((line) => `- ${line}`)];
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textIn(value: unknown, name: string): string {
  const text = field(value, name);
  return typeof text === 'string' ? text : '';
}

function textsIn(value: unknown, name: string): string[] {
  const texts = field(value, name);
  return Array.isArray(texts) ? texts.filter((text): text is string => typeof text === 'string') : [];
}
