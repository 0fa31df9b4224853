import { sendPosts } from '../report/outbox.js';
import type { Attempt } from './attempt.js';
import type { Outcome } from './outcome.js';
import { writeFinalSummary } from './summary.js';
import { transitionOf } from './transition.js';
import { writeLabels } from './write-labels.js';

const LAST_WORD_MS = 3000;

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
