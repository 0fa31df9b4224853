import { basename, join } from 'node:path';
import type { AttemptRow, Post } from '../records.js';
import type { Again } from '../report/result-text.js';
import { labelsOf } from './agent.js';
import { rowOf, type Attempt } from './attempt.js';
import type { Outcome } from './outcome.js';
import { planView } from './planning/plan.js';

/** What it takes to say how an attempt ended: less than it takes to work on it. */
export type Settling = Pick<Attempt, 'agent' | 'uuid' | 'conversation' | 'progress' | 'texts'>;

export function resultPosts(attempt: Attempt, row: AttemptRow, outcome: Outcome & { kind: 'completed' }): Post[] {
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

export function partialPosts(attempt: Attempt, row: AttemptRow, { reason }: Outcome & { kind: 'over_budget' }): Post[] {
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

export function stoppedPosts(attempt: Attempt, { reason }: Outcome & { kind: 'stopped' }): Post[] {
  const { progress, texts } = attempt;
  const notice = texts.stopped({ reason, botLabel: botLabel(attempt) });
  return [progress.final({ kind: 'stopped', reason }), progress.postOf('stopped', 1, notice)];
}

export function failurePosts(
  attempt: Settling,
  row: AttemptRow,
  { reason, error }: Outcome & { kind: 'failed' },
): Post[] {
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
export function pausedPosts(attempt: Attempt, { by, reason }: Outcome & { kind: 'paused' }): Post[] {
  const { agent, conversation, progress, texts, uuid } = attempt;
  const final = progress.final({ kind: 'paused', reason });
  if (by !== 'person') return [final];
  const { pausedLabel } = labelsOf(agent.config, conversation.key.source);
  const isPause = (post: Post): boolean => post.attempt === uuid && post.kind === 'paused';
  const n = agent.store.outbox.ofConversation(conversation.id).filter(isPause).length + 1;
  return [final, progress.postOf('paused', n, texts.paused({ reason, pausedLabel }))];
}

export function questionPosts({ progress, texts }: Attempt, outcome: Outcome & { kind: 'question' }): Post[] {
  const { questions, comment, n } = outcome;
  const body = texts.question({ questions, ...(comment && { comment }) });
  return [progress.postOf('question', n, body), progress.final({ kind: 'question' })];
}

export function waits({ agent }: Settling): boolean {
  return agent.config.commentHandling.enabled;
}

/** The follow-up that reaches the maximum is the last one. */
export function isLast({ agent, conversation }: Settling, row: AttemptRow): boolean {
  const { commentCount } = agent.store.conversations.get(conversation.id);
  return row.followUp && commentCount >= agent.config.commentHandling.maxCommentCount;
}

export function mayGoOn(attempt: Settling, row: AttemptRow): boolean {
  return waits(attempt) && !isLast(attempt, row);
}

function botLabel({ agent, conversation }: Settling): string {
  return labelsOf(agent.config, conversation.key.source).botLabel;
}
