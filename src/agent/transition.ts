import type { AttemptRow, ConversationState, Post, Transition } from '../records.js';
import { rowOf, type Attempt } from './attempt.js';
import { stateChange } from './claim.js';
import {
  failurePosts,
  isLast,
  mayGoOn,
  partialPosts,
  pausedPosts,
  questionPosts,
  resultPosts,
  stoppedPosts,
  waits,
  type Settling,
} from './last-posts.js';
import type { Outcome } from './outcome.js';

const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 60 * 60_000;

/** What an outcome means for the rows and the thread: written down in one transaction. */
export function transitionOf(attempt: Attempt, outcome: Outcome): Transition {
  const transition = bareTransition(attempt, outcome);
  const workedMs = rowOf(attempt).workedMs + Math.max(0, attempt.agent.clock.now() - attempt.takenUpAt);
  return { ...transition, attempt: { ...transition.attempt, uuid: attempt.uuid, workedMs } };
}

function bareTransition(attempt: Attempt, outcome: Outcome): Transition {
  const { agent, uuid, conversation } = attempt;
  const row = rowOf(attempt);
  const now = agent.clock.now();
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
        posts: questionPosts(attempt, outcome),
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
      ...(outcome.kind === 'completed' && outcome.comment && { lastMessage: outcome.comment }),
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

function stateAfterDone(
  attempt: Attempt,
  row: AttemptRow,
  outcome: Outcome & { kind: 'completed' },
): ConversationState {
  if (mayGoOn(attempt, row)) return 'awaiting-response';
  return outcome.verification.kind === 'not_verified' ? 'stopped' : 'completed';
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
