import { cutMiddle } from '../lib/cut.js';
import { estimateMessages, estimateTokens } from '../lib/tokens.js';
import { ModelError } from '../ports.js';
import type { CurrentLine } from '../records.js';
import { rowOf, type Attempt } from './attempt.js';
import { cutOutputs, waysToPart, type Parts } from './context-window.js';
import { frameOf, limitsOf, pinnedText, requestTokens, type Frame } from './context-limits.js';
import { Failure, Park } from './interrupts.js';
import { consequenceOf } from './outcome.js';
import { compressionInstructions } from './summary-prompts.js';
import { summarise } from './summarise.js';

export interface FitOptions {
  /** What the tool list adds to a request. */
  extra?: number;
  /** The model said that the request does not fit, whatever we had counted. */
  force?: boolean;
  cause?: Error;
}

const SUMMARY_HEADING = '[Summary of the work so far; the messages it stands for are no longer shown]';

/**
 * Makes the next request fit: above `compression_threshold` all but the system prompt, the original request and
 * the newest messages gives way to a summary. A summary that fails changes nothing and is tried again when the
 * context has grown; where that cannot be waited for, tool outputs are cut. Throws `Failure('context')` where nothing helps.
 */
export async function fitContext(attempt: Attempt, { extra = 0, force = false, cause }: FitOptions): Promise<void> {
  const limits = limitsOf(attempt);
  const tokens = requestTokens(attempt.history, extra);
  if (!force && tokens <= dueAt(attempt, limits)) return;
  const frame = frameOf(attempt, { tokens, extra, force, kept: alwaysSent(attempt) });
  const problem = await compress(attempt, frame);
  if (problem === null) return;
  attempt.log.write('warning', 'the history could not be summarised', { reason: problem.message, tokens });
  if (!force && tokens <= limits.hard) postpone(attempt, tokens + limits.step);
  else squeeze(attempt, frame, { problem, cause });
}

/** Not at every turn again where the last try failed or could not do much. */
function dueAt(attempt: Attempt, { soft, hard }: { soft: number; hard: number }): number {
  const postponed = rowOf(attempt).progress['compressAbove'];
  return typeof postponed === 'number' ? Math.min(hard, Math.max(soft, postponed)) : soft;
}

function postpone(attempt: Attempt, tokens: number): void {
  const progress = { ...rowOf(attempt).progress, compressAbove: Math.round(tokens) };
  attempt.agent.store.attempts.update(attempt.uuid, { progress });
}

/** Null when the new context is in place; otherwise why everything is as it was. */
async function compress(attempt: Attempt, frame: Frame): Promise<Error | null> {
  const way = chooseWay(attempt, frame);
  if (way.old.length === 0) return new Error('there is nothing to summarise yet');
  try {
    const summary = storedSummary(attempt, way) ?? (await newSummary(attempt, frame, way));
    if (summary === null) return new Error('the model gave an empty summary');
    return install(attempt, frame, rebuilt(attempt, frame, way, summary));
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
}

/** The way that keeps most of what is recent and leaves room to grow; outputs already seen are cut for it. */
function chooseWay(attempt: Attempt, frame: Frame): Parts {
  const { keepRecentMessages } = attempt.agent.config.contextStorage;
  const ways = waysToPart(attempt.history.messages, requestEnd(attempt), keepRecentMessages);
  const room = frame.goal - frame.head - frame.summary;
  const trimmed = ways.map((way) => ({ ...way, recent: cutOutputs(way.recent, room, { unread: false }) }));
  const roomy = trimmed.find(
    ({ old, recent }) => estimateMessages(recent) <= room && estimateMessages(old) >= frame.summary,
  );
  if (roomy) return roomy;
  const last = trimmed.at(-1)!;
  const tight = { ...last, recent: cutOutputs(last.recent, frame.soft - frame.head - frame.summary, { unread: true }) };
  const fits = frame.head + frame.summary + estimateMessages(tight.recent) <= frame.hard;
  if (fits) return tight;
  const unheard = unansweredWords(last.recent);
  return { ...last, old: [...last.old, ...last.recent.filter((line) => !unheard.includes(line))], recent: unheard };
}

/** What people said since the last reply is shown word for word once, before any summary may take its place. */
function unansweredWords(lines: CurrentLine[]): CurrentLine[] {
  const since = lines.slice(lines.findLastIndex((line) => line.role === 'assistant') + 1);
  return since.filter((line) => line.role === 'user' && !line.toolCallId);
}

/** System prompt, original request, and the prompt of the step that is being worked on. */
function alwaysSent(attempt: Attempt): CurrentLine[] {
  const end = requestEnd(attempt);
  const prompt = stepPrompt(attempt);
  return attempt.history.messages.filter(
    (line) => line.role === 'system' || line.seq <= end || line.seq === prompt?.seq,
  );
}

function requestEnd(attempt: Attempt): number {
  const end = rowOf(attempt).progress['requestEnd'];
  return typeof end === 'number' ? end : (attempt.history.messages.find((line) => line.role === 'user')?.seq ?? 0);
}

/** Planning: the prompt of the step that is being worked on says what its answer must look like, and stays as it is. */
function stepPrompt(attempt: Attempt): CurrentLine | null {
  if (rowOf(attempt).progress['begun'] !== true) return null;
  const lines = attempt.history.messages.filter((line) => line.seq > requestEnd(attempt));
  const first = Math.min(...lines.map((line) => line.seq));
  const prompt = attempt.files.messagesAfter(first - 1).findLast((line) => line.progress?.['begun'] === true);
  return lines.find((line) => line.seq === prompt?.seq) ?? null;
}

/** A crash between summary and new context asks for nothing twice. */
function storedSummary(attempt: Attempt, way: Parts): string | null {
  const { start, end } = rangeOf(way);
  const same = attempt.files
    .summaries()
    .find((line) => !line.final && line.start_seq === start && line.end_seq === end);
  return same?.summary ?? null;
}

async function newSummary(attempt: Attempt, frame: Frame, way: Parts): Promise<string | null> {
  const instructions = compressionInstructions(attempt.conversation.language, frame.summary);
  const capacity = frame.capacity - estimateTokens(instructions) - frame.summary;
  const summary = await summarise(attempt, { instructions, lines: way.old, capacity, purpose: 'compression' });
  if (summary === null) return null;
  const { start, end } = rangeOf(way);
  const [original, tokens] = [estimateMessages(way.old), estimateTokens(summary)];
  attempt.files.appendSummary({
    id: attempt.files.summaries().length + 1,
    start_seq: start,
    end_seq: end,
    summary,
    original_tokens: original,
    summary_tokens: tokens,
    ratio: Number((tokens / original).toFixed(3)),
    timestamp: new Date(attempt.agent.clock.now()).toISOString(),
  });
  return summary;
}

/** A summary covers all between the request and what is recent: earlier summaries are part of what it was made from. */
function rangeOf({ head, old }: Parts): { start: number; end: number } {
  return { start: (head.at(-1)?.seq ?? 0) + 1, end: Math.max(...old.map((line) => line.seq)) };
}

function rebuilt(attempt: Attempt, frame: Frame, way: Parts, summary: string): CurrentLine[] {
  const pinned = pinnedText(attempt);
  const rest = frame.soft - frame.head - estimateMessages(way.recent);
  const text = cutMiddle(summary, Math.max(frame.summary, rest));
  const content = [...(pinned === null ? [] : [pinned]), `${SUMMARY_HEADING}\n${text}`].join('\n\n');
  const prompt = stepPrompt(attempt);
  const kept = way.old.filter((line) => line.seq === prompt?.seq);
  return [...way.head, { seq: rangeOf(way).end, role: 'user', content }, ...kept, ...way.recent];
}

/** Puts the new context in place if it is smaller and fits. */
function install(attempt: Attempt, frame: Frame, lines: CurrentLine[]): Error | null {
  const tokens = estimateMessages(lines);
  if (tokens >= frame.messages) return new Error('the summary would make the context larger');
  if (tokens > frame.hard) return new Error(`the summarised history has about ${tokens} tokens and does not fit`);
  replace(attempt, lines);
  const { compressionCount } = rowOf(attempt);
  attempt.agent.store.attempts.update(attempt.uuid, { compressionCount: compressionCount + 1 });
  postpone(attempt, frame.real(tokens) + limitsOf(attempt).step);
  attempt.log.write('info', 'compressed the context', {
    from: frame.messages,
    to: tokens,
    count: compressionCount + 1,
  });
  return null;
}

/** The provider's count of a request that is sent no more says nothing about the next one. */
function replace({ history }: Attempt, lines: CurrentLine[]): void {
  history.replace(lines.map(({ usage: _outdated, ...line }) => line));
}

/** Without a summary: the largest tool outputs give way, those not seen yet last. */
function squeeze(attempt: Attempt, frame: Frame, why: Why): void {
  const seen = cutOutputs(attempt.history.messages, frame.soft, { unread: false });
  const lines = estimateMessages(seen) <= frame.hard ? seen : cutOutputs(seen, frame.hard, { unread: true });
  const tokens = estimateMessages(lines);
  if (tokens > frame.hard || tokens >= frame.messages) throw hopeless(why);
  replace(attempt, lines);
  postpone(attempt, frame.real(tokens) + limitsOf(attempt).step);
  attempt.log.write('warning', 'cut tool outputs to make the context fit', { from: frame.messages, to: tokens });
}

/** Why there is no summary, and what the model said that made one necessary. */
interface Why {
  problem: Error;
  cause: Error | undefined;
}

/** Where a summary might have helped and the model could not be had, nothing is proved: later it may fit. */
function hopeless({ problem, cause = problem }: Why): Error {
  const consequence = problem instanceof ModelError ? consequenceOf(problem) : null;
  if (consequence instanceof Park) return consequence;
  const message = `The history does not fit the model's context, even when summarised: ${cause.message}`;
  return new Failure('context', message, { cause });
}
