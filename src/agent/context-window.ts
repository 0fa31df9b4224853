import { cutMiddle } from '../lib/cut.js';
import { estimateMessages } from '../lib/tokens.js';
import type { CurrentLine } from '../records.js';

/** The parts a history falls into when it is compressed. */
export interface Parts {
  /** System prompt and original request: always sent. */
  head: CurrentLine[];
  /** What a summary takes the place of. */
  old: CurrentLine[];
  recent: CurrentLine[];
}

const LEAST_OUTPUT_TOKENS = 120;

/**
 * Every way to part the history, from the one that keeps `keepRecent` messages to the one that keeps only the
 * newest reply with its results. A border never comes between a call and its result.
 */
export function waysToPart(lines: readonly CurrentLine[], requestEnd: number, keepRecent: number): Parts[] {
  const start = lines.findIndex((line) => line.role !== 'system' && line.seq > requestEnd);
  if (start === -1) return [{ head: [...lines], old: [], recent: [] }];
  const borders = keepRecent === 0 ? [lines.length] : bordersOf(lines, start, lines.length - keepRecent);
  return borders.map((border) => ({
    head: lines.slice(0, start),
    old: lines.slice(start, border),
    recent: lines.slice(border),
  }));
}

/** Replies are the places to cut at: what follows one, in either protocol, belongs to it. */
function bordersOf(lines: readonly CurrentLine[], start: number, wanted: number): number[] {
  const replies = lines.flatMap((line, at) => (at > start && line.role === 'assistant' ? [at] : []));
  const first = Math.max(
    0,
    replies.findLastIndex((at) => at <= wanted),
  );
  const borders = wanted <= start ? replies : replies.slice(first);
  return borders.length > 0 ? borders : [start];
}

/**
 * Cuts tool outputs in their middle, the largest first, until the messages weigh at most `tokens` or no output is
 * worth cutting. The newest outputs, which the model has not seen yet, stay whole unless `unread` says otherwise.
 */
export function cutOutputs(lines: readonly CurrentLine[], tokens: number, options: { unread: boolean }): CurrentLine[] {
  const lastReply = lines.findLastIndex((line) => line.role === 'assistant');
  const mayCut = (line: CurrentLine, at: number): boolean => isOutput(line) && (options.unread || at < lastReply);
  let cut = [...lines];
  let level = Math.max(0, ...lines.map((line, at) => (mayCut(line, at) ? estimateMessages([line]) : 0)));
  while (level > LEAST_OUTPUT_TOKENS && estimateMessages(cut) > tokens) {
    level = Math.max(LEAST_OUTPUT_TOKENS, Math.floor(level * 0.7));
    cut = lines.map((line, at) => (mayCut(line, at) ? { ...line, content: cutMiddle(line.content, level) } : line));
  }
  return cut;
}

function isOutput({ role, content }: CurrentLine): boolean {
  return role === 'tool' || (role === 'user' && /^command: [^\n]*\nprevious_output:\n/.test(content));
}
