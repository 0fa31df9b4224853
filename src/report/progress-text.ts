import { duration, grouped, localTime, shortUuid } from './format.js';
import type { Phase, Reason, Words } from './words.js';

export interface Counts {
  turns: number;
  toolCalls: number;
  tokens: number;
  elapsedMs: number;
}

export type ProgressState =
  | { kind: 'working'; phase?: Phase }
  | { kind: 'parked'; reason: Reason; until?: number }
  | { kind: 'interrupted' }
  | { kind: 'finished' }
  | { kind: 'paused'; reason: Reason }
  | { kind: 'stopped'; reason: Reason }
  | { kind: 'failed' }
  | { kind: 'question' };

/** All that the progress comment shows. */
export interface ProgressView {
  attempt: string;
  state: ProgressState;
  counts: Counts;
  inherited?: { uuid: string; at: number };
  /** The newest message. */
  message?: string;
  /** Messages and forms so far, oldest first. */
  history: string[];
  updatedAt: number;
}

const HISTORY_CHARACTERS = 20_000;

/** The sticky comment: announcement, state, newest message, counts, history, heartbeat. */
export function progress(words: Words, view: ProgressView): string {
  const { attempt, state, inherited, message, counts, history, updatedAt } = view;
  return [
    words.progressHeading(shortUuid(attempt)),
    stateLine(words, state),
    inherited && words.inherited(shortUuid(inherited.uuid), localTime(inherited.at)),
    message?.trim(),
    words.counts(countWords(words, counts)),
    history.length > 0 && historyBlock(words, history),
    words.lastUpdate(localTime(updatedAt)),
  ]
    .filter(Boolean)
    .join('\n\n');
}

export function countWords(
  words: Words,
  counts: Counts,
): { turns: string; toolCalls: string; tokens: string; elapsed: string } {
  return {
    turns: grouped(counts.turns),
    toolCalls: grouped(counts.toolCalls),
    tokens: grouped(counts.tokens),
    elapsed: duration(counts.elapsedMs, words.language),
  };
}

function stateLine(words: Words, state: ProgressState): string {
  switch (state.kind) {
    case 'working':
      return words.working(state.phase && words.phase[state.phase]);
    case 'parked':
      return words.parked(words.reason(state.reason), state.until === undefined ? undefined : localTime(state.until));
    case 'paused':
      return words.paused(words.reason(state.reason));
    case 'stopped':
      return words.stopped(words.reason(state.reason));
    case 'question':
      return words.asking;
    default:
      return words[state.kind];
  }
}

function historyBlock(words: Words, history: string[]): string {
  const shown = newestWithin(history, HISTORY_CHARACTERS);
  const older = history.length - shown.length;
  return [
    `<details>\n<summary>${words.history(history.length)}</summary>`,
    older > 0 && words.olderLeftOut(older),
    shown.map((entry) => entry.trim()).join('\n\n---\n\n'),
    '</details>',
  ]
    .filter(Boolean)
    .join('\n\n');
}

function newestWithin(history: string[], characters: number): string[] {
  let room = characters;
  let first = history.length;
  while (first > 0 && room > 0) {
    room -= history[first - 1]?.length ?? 0;
    if (room >= 0 || first === history.length) first--;
  }
  return history.slice(first);
}
