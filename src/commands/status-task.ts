import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { planView, type PlanView } from '../agent/planning/plan.js';
import type { Config } from '../config/config.js';
import type { AttemptRow, Conversation, Store, Wish } from '../records.js';
import { taskName } from '../task/key.js';
import { labelOfState } from '../task/labels.js';
import { costOf } from './status-cost.js';
import { nextStep, type NextStep } from './status-next.js';
import { reasonInWords } from './status-reason.js';
import { phaseOf } from './status-table.js';

/** What status knows beyond the database. */
export interface Surroundings {
  now: number;
  allPaused: boolean;
  signalFile: string;
  /** The tick at work; null: none; undefined: not known here. */
  tickPid: number | null | undefined;
}

/** Everything a person asks about a task, as `--json` gives it. */
export interface TaskFacts {
  task: string;
  source: string;
  type: string;
  title: string;
  url: string;
  author: string;
  state: string;
  why: string | null;
  unfinished: boolean;
  label: { name: string; written: boolean };
  wishes: Wish[];
  next: NextStep;
  plan: PlanView | null;
  attempt: AttemptFacts | null;
  last_comment_read: { id: string; at: string | null } | null;
  follow_ups: { done: number; most: number };
  /** Newest first. */
  attempts: PastAttempt[];
  data_dir: string;
  log_dir: string;
}

interface PastAttempt {
  uuid: string;
  status: string;
  outcome: string;
  follow_up: boolean;
  created_at: string;
  completed_at: string | null;
  turns: number;
  tokens: number;
  error: string | null;
}

interface AttemptFacts extends PastAttempt {
  paused_by: string | null;
  phase: string;
  provider: string;
  model: string;
  llm_calls: number;
  tool_calls: number;
  /** US dollars, where llm.openai.price is set. */
  cost: number | null;
  compressions: number;
  compression_tokens: number;
  worked_ms: number;
  last_message: string | null;
  last_activity: string | null;
  /** Null: it was deleted after its time. */
  folder: string | null;
}

export function factsOf(conversation: Conversation, store: Store, config: Config, around: Surroundings): TaskFacts {
  const { key, state } = conversation;
  const attempts = store.attempts.ofConversation(conversation.id);
  const newest = attempts[0] ?? null;
  const wishes = store.wishes.of(conversation.id);
  const label = labelOfState(state, config[key.source] ?? config.github ?? config.gitlab!);
  return {
    ...{ task: taskName(key), source: key.source, type: key.type },
    ...{ title: conversation.title, url: conversation.url, author: conversation.author, state },
    why: reasonInWords(conversation, newest),
    unfinished: conversation.unfinished,
    label: { name: conversation.wantedLabel ?? label, written: conversation.wantedLabel === null },
    wishes,
    next: nextStep({ conversation, newest, wishes, config, around }),
    plan: newest && planView(store.files(newest.uuid).planning(), newest.progress),
    attempt: newest && attemptFacts(newest, store, config),
    last_comment_read: lastComment(conversation),
    follow_ups: { done: conversation.commentCount, most: config.commentHandling.maxCommentCount },
    attempts: attempts.map(pastAttempt),
    data_dir: config.contextStorage.baseDir,
    log_dir: config.logging.dir,
  };
}

function attemptFacts(row: AttemptRow, store: Store, config: Config): AttemptFacts {
  const folder = join(config.contextStorage.baseDir, row.uuid);
  const price = row.llmProvider === config.llm.provider && row.model === config.llm.model ? config.llm.price : null;
  return {
    ...pastAttempt(row),
    paused_by: row.pausedBy,
    phase: phaseOf(row),
    ...{ provider: row.llmProvider, model: row.model },
    ...{ llm_calls: row.llmCallCount, tool_calls: row.toolCallCount },
    cost: price && costOf(store.files(row.uuid).messagesAfter(0), row.totalTokens, price),
    ...{ compressions: row.compressionCount, compression_tokens: row.compressionTokens },
    ...{ worked_ms: row.workedMs, last_message: row.lastMessage, last_activity: lastActivity(folder) },
    folder: existsSync(folder) ? folder : null,
  };
}

function pastAttempt(row: AttemptRow): PastAttempt {
  return {
    ...{ uuid: row.uuid, status: row.status, outcome: phaseOf(row), follow_up: row.followUp },
    created_at: new Date(row.createdAt).toISOString(),
    completed_at: row.completedAt === null ? null : new Date(row.completedAt).toISOString(),
    ...{ turns: row.turnCount, tokens: row.totalTokens, error: row.errorMessage },
  };
}

function lastComment({ lastCommentId, lastCommentAt, cursor }: Conversation): TaskFacts['last_comment_read'] {
  if (lastCommentId === null) return null;
  return { id: lastCommentId, at: lastCommentAt === null ? cursor : new Date(lastCommentAt).toISOString() };
}

/** The files tell when something last happened; the rows follow more slowly. */
function lastActivity(folder: string): string | null {
  const times = ['messages.jsonl', 'tools.jsonl'].map((name) =>
    statSync(join(folder, name), { throwIfNoEntry: false }),
  );
  const newest = Math.max(...times.map((stat) => stat?.mtimeMs ?? 0));
  return newest > 0 ? new Date(newest).toISOString() : null;
}
