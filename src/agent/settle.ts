import { basename, join } from 'node:path';
import type { AttemptRow, ConversationState, Post, Transition } from '../records.js';
import { sendPosts } from '../report/outbox.js';
import type { Again } from '../report/result-text.js';
import { labelsOf } from './agent.js';
import { rowOf, type Attempt } from './attempt.js';
import { stateChange } from './claim.js';
import { writeLabels } from './write-labels.js';
import type { Outcome } from './outcome.js';
import { planView } from './planning/plan.js';
import { writeFinalSummary } from './summary.js';

const LAST_WORD_MS = 3000;
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 60 * 60_000;

/** Writes down how the attempt ended, in one transaction, and then shows it: comments, then the label. */
export async function settle(attempt: Attempt, outcome: Outcome): Promise<void> {
  await summarise(attempt, outcome);
  const { agent, conversation } = attempt;
  agent.store.commit(transitionOf(attempt, outcome));
  logEnd(attempt, outcome);
  try {
    agent.signal.throwIfAborted();
    await sendPosts(agent, conversation.id);
    await writeLabels(agent, conversation.id, outcome.kind !== 'stopped' ? { leaving: 'processingLabel' } : {});
  } catch (error) {
    if (!agent.signal.aborted) throw error;
    await lastWord(attempt);
  }
}

/** What it takes to say how an attempt ended: less than it takes to work on it. */
export type Settling = Pick<Attempt, 'agent' | 'uuid' | 'conversation' | 'progress' | 'texts'>;

/** Attempts that end leave a summary to the next one; the others will go on themselves. */
async function summarise(attempt: Attempt, outcome: Outcome): Promise<void> {
  const { texts } = attempt;
  if (outcome.kind === 'failed')
    await writeFinalSummary(attempt, { kind: 'failed', detail: outcome.error, askModel: false });
  if (outcome.kind === 'completed')
    await writeFinalSummary(attempt, { kind: 'completed', detail: outcome.comment, askModel: true });
  if (outcome.kind !== 'over_budget' && outcome.kind !== 'stopped') return;
  const kind = outcome.kind === 'stopped' ? 'stopped' : 'completed';
  await writeFinalSummary(attempt, { kind, detail: texts.reason(outcome.reason), askModel: true });
}

function transitionOf(attempt: Attempt, outcome: Outcome): Transition {
  const { agent, uuid, conversation } = attempt;
  const row = rowOf(attempt);
  const now = agent.clock.now();
  agent.store.attempts.update(uuid, { workedMs: row.workedMs + now - attempt.takenUpAt });
  const base = { uuid, takeUps: 0 };
  switch (outcome.kind) {
    case 'completed':
      return ended(
        attempt,
        outcome,
        'completed',
        stateAfterDone(attempt, row, outcome),
        resultPosts(attempt, row, outcome),
      );
    case 'over_budget':
      return ended(
        attempt,
        outcome,
        'completed',
        mayGoOn(attempt, row) ? 'awaiting-response' : 'stopped',
        partialPosts(attempt, row, outcome),
      );
    case 'stopped':
      return ended(attempt, outcome, 'stopped', 'stopped', stoppedPosts(attempt, outcome));
    case 'failed':
      return failedTransition(attempt, row, outcome);
    case 'paused':
      return {
        attempt: { ...base, status: 'paused', pausedBy: outcome.by, pausedAt: now },
        conversation: { id: conversation.id, ...stateChange(agent, conversation, 'paused'), reason: outcome.by },
        posts: pausedPosts(attempt, outcome),
      };
    case 'question':
      return {
        attempt: { ...base, status: 'paused', pausedBy: 'question', pausedAt: now },
        conversation: {
          id: conversation.id,
          ...stateChange(agent, conversation, 'awaiting-response'),
          reason: 'question',
          unfinished: true,
        },
        posts: [
          attempt.progress.postOf('question', outcome.n, questionText(attempt, outcome)),
          attempt.progress.final({ kind: 'question' }),
        ],
      };
    case 'parked':
      return parkedTransition(attempt, row, outcome);
    case 'interrupted':
      return { attempt: base, posts: [attempt.progress.final({ kind: 'interrupted' })] };
  }
}

/** Only a first attempt leaves the conversation failed; after a follow-up it waits as before. */
export function failedTransition(
  settling: Settling,
  row: AttemptRow,
  outcome: Outcome & { kind: 'failed' },
): Transition {
  const state = !row.followUp || !waits(settling) ? 'failed' : isLast(settling, row) ? 'stopped' : 'awaiting-response';
  return ended(settling, outcome, 'failed', state, failurePosts(settling, row, outcome));
}

function ended(
  attempt: Settling,
  outcome: Outcome,
  status: 'completed' | 'stopped' | 'failed',
  state: ConversationState,
  posts: Post[],
): Transition {
  const { agent, uuid, conversation } = attempt;
  return {
    attempt: {
      uuid,
      takeUps: 0,
      status,
      pausedBy: null,
      outcome: outcomeWord(outcome),
      completedAt: agent.clock.now(),
      errorMessage: outcome.kind === 'failed' ? agent.redact(outcome.error) : null,
    },
    conversation: {
      id: conversation.id,
      ...stateChange(agent, conversation, state),
      reason: 'reason' in outcome ? outcome.reason.id : null,
      unfinished: outcomeWord(outcome) !== 'done',
    },
    posts,
  };
}

function outcomeWord(outcome: Outcome): string {
  if (outcome.kind !== 'completed') return outcome.kind;
  return outcome.verification.kind === 'not_verified' ? 'not_verified' : 'done';
}

function waits({ agent }: Settling): boolean {
  return agent.config.commentHandling.enabled;
}

/** The follow-up that reaches the maximum is the last one. */
function isLast({ agent, conversation }: Settling, row: AttemptRow): boolean {
  const { commentCount } = agent.store.conversations.get(conversation.id);
  return row.followUp && commentCount >= agent.config.commentHandling.maxCommentCount;
}

function mayGoOn(attempt: Settling, row: AttemptRow): boolean {
  return waits(attempt) && !isLast(attempt, row);
}

function stateAfterDone(
  attempt: Attempt,
  row: AttemptRow,
  outcome: Outcome & { kind: 'completed' },
): ConversationState {
  if (mayGoOn(attempt, row)) return 'awaiting-response';
  return outcome.verification.kind === 'not_verified' ? 'stopped' : 'completed';
}

function resultPosts(attempt: Attempt, row: AttemptRow, outcome: Outcome & { kind: 'completed' }): Post[] {
  const { progress, texts } = attempt;
  const body = texts.result({
    done: outcome.comment,
    look: [],
    verification: outcome.verification,
    counts: progress.counts(),
  });
  return [progress.final({ kind: 'finished' }), progress.postOf('result', 1, body), ...maximumPosts(attempt, row)];
}

/** The last follow-up says that it was the last. */
function maximumPosts(attempt: Settling, row: AttemptRow): Post[] {
  if (!waits(attempt) || !isLast(attempt, row)) return [];
  const { maxCommentCount } = attempt.agent.config.commentHandling;
  const closing = attempt.texts.closing({ why: 'maximum', count: maxCommentCount, botLabel: botLabel(attempt) });
  return [attempt.progress.postOf('closing', 1, closing)];
}

function partialPosts(attempt: Attempt, row: AttemptRow, { reason }: Outcome & { kind: 'over_budget' }): Post[] {
  const { agent, progress, texts, uuid } = attempt;
  const done = agent.store.entries
    .newest(uuid, 5)
    .map((entry) => entry.text)
    .join('\n\n');
  const body = texts.result({
    done,
    look: [],
    verification: { kind: 'unchecked' },
    overBudget: { reason, left: leftOver(attempt), again: againBy(attempt, mayGoOn(attempt, row)) },
    counts: progress.counts(),
  });
  return [progress.final({ kind: 'finished' }), progress.postOf('result', 1, body), ...maximumPosts(attempt, row)];
}

function againBy(attempt: Settling, listening: boolean): Again {
  return listening ? { by: 'comment' } : { by: 'label', botLabel: botLabel(attempt) };
}

/** What the plan still has to do; normal mode has no list of it. */
function leftOver(attempt: Attempt): string[] {
  const plan = planView(attempt.files.planning(), rowOf(attempt).progress);
  return (plan?.actions ?? [])
    .filter(({ status }) => status !== 'done')
    .map(({ id, purpose }) => `**${id}**: ${purpose}`);
}

function stoppedPosts(attempt: Attempt, { reason }: Outcome & { kind: 'stopped' }): Post[] {
  const { progress, texts } = attempt;
  const notice = texts.stopped({ reason, botLabel: botLabel(attempt) });
  return [progress.final({ kind: 'stopped', reason }), progress.postOf('stopped', 1, notice)];
}

function failurePosts(attempt: Settling, row: AttemptRow, { reason, error }: Outcome & { kind: 'failed' }): Post[] {
  const { agent, progress, texts, uuid } = attempt;
  const step = row.phase ?? undefined;
  const body = texts.failure({
    reason,
    tried: agent.store.entries
      .newest(uuid, 5)
      .map((entry) => entry.text.split('\n').find((line) => line && !line.startsWith('#')) ?? ''),
    error,
    saved: [`\`${join(basename(agent.config.contextStorage.baseDir), uuid)}\``], // not the whole path: it tells strangers about the machine
    again: againBy(attempt, row.followUp && mayGoOn(attempt, row)),
    ...(step && step !== 'working' && { step }),
  });
  return [progress.final({ kind: 'failed' }), progress.postOf('failure', 1, body), ...maximumPosts(attempt, row)];
}

/** Only a person's pause deserves a comment of its own; the signal file pauses everything silently. */
function pausedPosts(attempt: Attempt, { by, reason }: Outcome & { kind: 'paused' }): Post[] {
  const { agent, conversation, progress, texts, uuid } = attempt;
  const final = progress.final({ kind: 'paused', reason });
  if (by !== 'person') return [final];
  const { pausedLabel } = labelsOf(agent.config, conversation.key.source);
  const isPause = (post: Post): boolean => post.attempt === uuid && post.kind === 'paused';
  const n = agent.store.outbox.ofConversation(conversation.id).filter(isPause).length + 1;
  return [final, progress.postOf('paused', n, texts.paused({ reason, pausedLabel }))];
}

function questionText({ texts }: Attempt, { questions, comment }: Outcome & { kind: 'question' }): string {
  return texts.question({ questions, ...(comment && { comment }) });
}

/** Not the task's fault: it waits 1, 2, 4 … 60 minutes, or as long as the server says. */
export function parkedTransition(
  attempt: Settling,
  row: AttemptRow,
  outcome: Outcome & { kind: 'parked' },
): Transition {
  const now = attempt.agent.clock.now();
  const notBefore = outcome.retryAt ?? now + waitAfter(row.parkCount);
  return {
    attempt: {
      uuid: attempt.uuid,
      takeUps: 0,
      status: 'paused',
      pausedBy: 'parked',
      pausedAt: now,
      notBefore,
      parkCount: row.parkCount + 1,
      errorMessage: attempt.agent.redact(outcome.message),
    },
    conversation: { id: attempt.conversation.id, reason: outcome.reason.id, lastProcessedAt: now },
    posts: [attempt.progress.final({ kind: 'parked', reason: outcome.reason, until: notBefore })],
  };
}

function waitAfter(parkCount: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** parkCount);
}

/** The process is leaving: a few seconds for the progress comment's last word, and the next tick says the rest. */
async function lastWord({ agent, conversation, uuid }: Attempt): Promise<void> {
  const row = agent.store.outbox.find(uuid, 'progress', 0);
  if (!row?.commentId) return;
  const forge = agent.openForge(conversation.key.source, AbortSignal.timeout(LAST_WORD_MS));
  await forge.editComment(conversation.key, row.commentId, row.body).then(
    () => agent.store.outbox.update(row.id, { sentBody: row.body }),
    () => undefined, // the row stays unsent; the next tick edits the comment anyway
  );
}

function botLabel({ agent, conversation }: Settling): string {
  return labelsOf(agent.config, conversation.key.source).botLabel;
}

function logEnd(attempt: Attempt, outcome: Outcome): void {
  const { statistics } = attempt.lookout;
  const level = outcome.kind === 'failed' ? 'error' : outcome.kind === 'parked' ? 'warning' : 'info';
  attempt.log.write(level, `attempt ${outcome.kind}`, {
    ...('reason' in outcome && { reason: outcome.reason }),
    ...(outcome.kind === 'failed' && {
      error: outcome.error,
      stack: outcome.cause instanceof Error ? outcome.cause.stack : undefined,
    }),
    ...(outcome.kind === 'parked' && { error: outcome.message }),
  });
  attempt.log.write('info', 'comment detection statistics', { ...statistics });
}
