import { estimateMessages, estimateTokens } from '../lib/tokens.js';
import type { CurrentLine } from '../records.js';
import { rowOf, type Attempt } from './attempt.js';
import type { History } from './history.js';

/** How large a request may be, in the provider's tokens. */
export interface Limits {
  /** Above it the context is compressed. */
  soft: number;
  /** Above it there is no room for the reply. */
  hard: number;
  /** How much the context has to grow before compression is tried again. */
  step: number;
}

/** The limits of one compression, as estimates of messages alone: without the tool list, and corrected by what the provider counted. */
export interface Frame {
  soft: number;
  hard: number;
  /** What the messages weigh now. */
  messages: number;
  /** What is always sent. */
  head: number;
  /** What a summary may take. */
  summary: number;
  /** What the new context should weigh, so that it can grow for a while. */
  goal: number;
  /** What the text of a summary request may weigh. */
  capacity: number;
  /** The provider's tokens for messages of this estimate. */
  real(messages: number): number;
}

const REPLY_SHARE = 1 / 8;
const LEAST_SUMMARY_TOKENS = 150;
const MOST_SUMMARY_TOKENS = 2000;
const LEAST_CAPACITY_TOKENS = 400;

export function limitsOf({ agent, model }: Attempt): Limits {
  const context = model.contextLength;
  const reply = Math.min(agent.config.llm.maxToken ?? context * REPLY_SHARE, context / 2);
  const hard = context - reply;
  return { soft: Math.min(agent.config.contextStorage.compressionThreshold * context, hard), hard, step: context / 10 };
}

/** A tool may fill a fifth of the context, no more. */
export function outputTokens(contextLength: number): number {
  return Math.floor(contextLength / 5);
}

/** The tool list is in the provider's own count, once there is one. */
export function requestTokens(history: History, extra: number): number {
  const counted = history.messages.findLast((line) => line.usage) !== undefined;
  return history.nextRequestTokens() + (counted ? 0 : extra);
}

export function frameOf(
  attempt: Attempt,
  { tokens, extra, force, kept }: { tokens: number; extra: number; force: boolean; kept: CurrentLine[] },
): Frame {
  const messages = estimateMessages([...attempt.history.messages]);
  const known = force ? Math.max(tokens, attempt.model.contextLength) : tokens;
  const scale = Math.max(1, known / (messages + extra));
  const limits = limitsOf(attempt);
  const [soft, hard] = [limits.soft / scale - extra, limits.hard / scale - extra];
  const head = estimateMessages(kept) + estimateTokens(pinnedText(attempt) ?? '');
  const free = Math.max(0, soft - head);
  return {
    ...{ soft, hard, messages, head },
    summary: Math.round(Math.min(MOST_SUMMARY_TOKENS, Math.max(LEAST_SUMMARY_TOKENS, free / 4))),
    goal: head + free * 0.6,
    capacity: Math.max(LEAST_CAPACITY_TOKENS, limits.hard / scale),
    real: (estimate) => (estimate + extra) * scale,
  };
}

/** What planning keeps in sight whatever is summarised: the open plan. */
export function pinnedText(attempt: Attempt): string | null {
  const pinned = rowOf(attempt).progress['pinned'];
  return typeof pinned === 'string' ? pinned : null;
}
