import { cutMiddle } from '../lib/cut.js';
import { estimateTokens } from '../lib/tokens.js';
import type { AttemptFiles, AttemptRow, Conversation, SummaryLine } from '../records.js';
import { sameTask } from '../task/key.js';
import { sanitizeForeign } from '../task/sanitize.js';
import type { Agent } from './agent.js';
import { planningText } from './inherited-planning.js';
import { withoutNames } from './names.js';
import { toolOutline } from './outline.js';
import { readPlans, type PastPlan } from './past-plans.js';

/** What an earlier attempt at the same task hands on; the text goes first into the new history. */
export interface Inherited {
  from: { uuid: string; at: number };
  text: string;
}

const DAY_MS = 24 * 60 * 60_000;
const DATABASE_TRIES = 3;
const LARGEST_SHARE = 1 / 4;

/**
 * What the newest attempt at this task that ended as completed or stopped knew at its end. Null: nothing to
 * inherit, or inheriting is off. Whatever cannot be read is skipped with a warning; it never throws.
 */
export function inherit(agent: Agent, conversation: Conversation, options: { planning: boolean }): Inherited | null {
  if (!agent.config.contextInheritance.enabled) return null;
  const rows = earlierAttempts(agent, conversation);
  for (const row of rows) {
    const memory = readMemory(agent, row);
    if (!memory) continue;
    const plans = readPlans(agent, rows);
    const text = withinLimit(agent, conversation, (detail) => tell(agent, memory, plans, { ...options, ...detail }));
    agent.log.write('info', 'inherited the context of an earlier attempt', {
      from: row.uuid,
      tokens: estimateTokens(text),
    });
    return { from: { uuid: row.uuid, at: row.completedAt ?? row.createdAt }, text };
  }
  agent.log.write('debug', 'no earlier attempt to inherit from', { task: conversation.key });
  return null;
}

/** Completed or stopped attempts at the same task, not expired, newest first. */
export function earlierAttempts(agent: Agent, conversation: Conversation): AttemptRow[] {
  const since = agent.clock.now() - agent.config.contextInheritance.contextExpiryDays * DAY_MS;
  const all = attemptsOf(agent, conversation);
  const usable = all
    .filter((row) => sameTask(row.key, conversation.key) && (row.status === 'completed' || row.status === 'stopped'))
    .filter((row) => (row.completedAt ?? 0) >= since)
    .sort((a, b) => (b.completedAt ?? 0) - (a.completedAt ?? 0));
  agent.log.write('debug', 'looked for earlier attempts', {
    task: conversation.key,
    found: all.length,
    usable: usable.length,
  });
  return usable;
}

/** The database is asked three times; after that this is a new task. */
function attemptsOf({ store, log }: Agent, conversation: Conversation): AttemptRow[] {
  for (let tries = 1; tries <= DATABASE_TRIES; tries++) {
    try {
      return store.attempts.ofConversation(conversation.id);
    } catch (error) {
      log.write('error', 'the database could not be asked for earlier attempts', {
        tries,
        error: (error as Error).message,
      });
    }
  }
  return [];
}

/** What is left of an attempt that ended. */
interface Memory {
  row: AttemptRow;
  summary: string;
  /** Summaries made on the way, oldest first. */
  older: SummaryLine[];
  tools: string;
}

function readMemory(agent: Agent, row: AttemptRow): Memory | null {
  try {
    const files: AttemptFiles = agent.store.files(row.uuid);
    const lines = files.summaries();
    const summary = lines.findLast((line) => line.final)?.summary;
    if (typeof summary === 'string' && summary.trim() !== '') {
      return { row, summary, older: lines.filter((line) => !line.final), tools: toolOutline(files.tools()) };
    }
    agent.log.write('warning', 'skipped an earlier attempt without a readable final summary', { attempt: row.uuid });
  } catch (error) {
    const fields = { attempt: row.uuid, error: (error as Error).message };
    agent.log.write('warning', 'skipped an earlier attempt that could not be read', fields);
  }
  return null;
}

/** How much is told; each step of reduction leaves out one thing more. */
interface Detail {
  older: boolean;
  planDetails: boolean;
  tools: boolean;
}

const REDUCTIONS: Detail[] = [
  { older: true, planDetails: true, tools: true },
  { older: false, planDetails: true, tools: true },
  { older: false, planDetails: false, tools: true },
  { older: false, planDetails: false, tools: false },
];

/** The fullest text within the limit; where even the shortest is too long, the summary is cut in its middle. */
function withinLimit(agent: Agent, conversation: Conversation, tellAt: (detail: Detail) => Told): string {
  const { maxInheritedTokens } = agent.config.contextInheritance;
  const limit = Math.min(maxInheritedTokens, Math.floor(agent.config.llm.contextLength * LARGEST_SHARE));
  const clean = (text: string): string =>
    withoutNames(agent.redact(sanitizeForeign(text)), namesIn(agent, conversation));
  for (const detail of REDUCTIONS) {
    const { summary, rest } = tellAt(detail);
    const text = clean([summary, ...rest].join('\n\n'));
    if (estimateTokens(text) <= limit) return text;
  }
  const { summary, rest } = tellAt(REDUCTIONS.at(-1)!);
  const ending = clean(rest.join('\n\n'));
  const left = limit - estimateTokens(ending) - 1;
  if (left >= limit / 2) return `${cutMiddle(clean(summary), left)}\n\n${ending}`;
  return cutMiddle(clean(summary), limit);
}

function namesIn(agent: Agent, conversation: Conversation): string[] {
  return [conversation.author, ...agent.config.security.trustedUsers];
}

interface Told {
  summary: string;
  rest: string[];
}

function tell(agent: Agent, memory: Memory, plans: PastPlan[], detail: Detail & { planning: boolean }): Told {
  const { row, summary, older, tools } = memory;
  const { planning } = agent.config.contextInheritance;
  const plan = planningText(plans, planning, { details: detail.planDetails, planningMode: detail.planning });
  const parts: [string, string][] = [
    ['## Earlier summaries', detail.older ? older.map((line) => line.summary).join('\n\n') : ''],
    [
      '## Earlier settings',
      `${row.llmProvider} ${row.model}; ended as ${row.status}${row.outcome ? ` (${row.outcome})` : ''}`,
    ],
    ['## Earlier tool calls', detail.tools ? tools : ''],
  ];
  const rest = parts.flatMap(([heading, text]) => (text ? [`${heading}\n${text}`] : []));
  return { summary, rest: plan ? [...rest, plan] : rest };
}
