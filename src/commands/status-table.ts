import type { AttemptRow, Conversation, Wish } from '../records.js';
import { withoutInvisible } from '../lib/invisible.js';
import { grouped, oneLine } from '../report/format.js';
import { taskName } from '../task/key.js';
import { cutTo, padTo, widthOfText } from './columns.js';

/** One line of the table, as `--json` gives it. */
export interface TaskRow {
  task: string;
  source: string;
  title: string;
  state: string;
  /** The state in a word, a parked or waiting attempt told apart. */
  shown: string;
  phase: string | null;
  turns: number;
  tokens: number;
  attempts: number;
  /** When it came into this state. */
  since: string;
  last_message: string | null;
  wishes: Wish[];
  uuid: string | null;
}

/** A conversation in a line; turns and tokens are those of all its attempts, newest first. */
export function rowOf(conversation: Conversation, attempts: AttemptRow[], wishes: Wish[]): TaskRow {
  const newest = attempts[0] ?? null;
  return {
    task: taskName(conversation.key),
    source: conversation.key.source,
    title: conversation.title,
    state: conversation.state,
    shown: shownState(conversation, newest),
    phase: newest && phaseOf(newest),
    turns: sum(attempts, (row) => row.turnCount),
    tokens: sum(attempts, (row) => row.totalTokens),
    attempts: attempts.length,
    since: new Date(conversation.lastProcessedAt).toISOString(),
    last_message: newest?.lastMessage ?? null,
    wishes,
    uuid: newest?.uuid ?? null,
  };
}

/** Where an attempt stands: the step of its plan, what it is at, or how it ended. */
export function phaseOf({ status, phase, outcome, progress }: AttemptRow): string {
  if (status !== 'running' && status !== 'paused') return (outcome ?? status).replaceAll('_', ' ');
  const step = progress['step'];
  return (typeof step === 'string' ? step : (phase ?? 'opening')).replaceAll('_', ' ');
}

function shownState({ state }: Conversation, newest: AttemptRow | null): string {
  if (newest?.status === 'paused' && newest.pausedBy === 'parked') return 'parked';
  if (newest?.status === 'paused' && newest.pausedBy === 'question') return 'question';
  return state;
}

function sum(rows: AttemptRow[], value: (row: AttemptRow) => number): number {
  return rows.reduce((total, row) => total + value(row), 0);
}

const HEADINGS = ['STATE', 'TASK', 'PHASE', 'TURNS', 'TOKENS', 'AGE', 'LAST MESSAGE'];
const NUMBERS = [3, 4, 5];
const GAP = 2;
const SHORTEST_MESSAGE = 12;

/** The rows as a table that is no wider than the terminal: the last message gives way, then the task's name. */
export function tableOf(rows: TaskRow[], view: { now: number; width: number; sources: number }): string {
  const lines = [HEADINGS, ...rows.map((row) => cellsOf(row, view))];
  const widths = HEADINGS.map((_, at) => Math.max(...lines.map((line) => widthOfText(line[at]!))));
  fit(widths, view.width);
  const asText = (cells: string[]): string =>
    cells.map((cell, at) => aligned(cell, widths[at]!, at)).join(' '.repeat(GAP));
  return lines.map((cells) => `${cutTo(asText(cells), view.width).trimEnd()}\n`).join('');
}

function cellsOf(row: TaskRow, { now, sources }: { now: number; sources: number }): string[] {
  return [
    row.wishes.length > 0 ? `${row.shown} → ${row.wishes.join(', ')}` : row.shown,
    sources > 1 ? `${row.source}:${row.task}` : row.task,
    row.phase ?? '-',
    grouped(row.turns),
    grouped(row.tokens),
    age(now - Date.parse(row.since)),
    oneLine(withoutInvisible(row.last_message ?? row.title)),
  ];
}

function fit(widths: number[], width: number): void {
  const [task, message] = [1, widths.length - 1];
  const excess = (): number => widths.reduce((total, each) => total + each + GAP, -GAP) - width;
  widths[message] = Math.max(Math.min(SHORTEST_MESSAGE, widths[message]!), widths[message]! - Math.max(0, excess()));
  widths[task] = Math.max(SHORTEST_MESSAGE, widths[task]! - Math.max(0, excess()));
  widths[message] = Math.max(0, widths[message] - Math.max(0, excess()));
}

function aligned(cell: string, width: number, at: number): string {
  return padTo(cutTo(cell, width), width, NUMBERS.includes(at) ? 'right' : 'left');
}

/** One unit is enough: `42s`, `5m`, `3h`, `12d`. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
