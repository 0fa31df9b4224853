import type { AttemptRow } from '../records.js';
import { sendPosts } from '../report/outbox.js';
import { ProgressComment } from '../report/progress.js';
import { texts } from '../report/texts.js';
import { forgeOf, type Agent } from './agent.js';
import type { Park } from './interrupts.js';
import { outcomeOf, type Outcome } from './outcome.js';
import { waitAfter } from './settle.js';

/** Parks an attempt that could not even be opened (a tool server is down): its progress comment says why. */
export async function parkUnopened(agent: Agent, row: AttemptRow, park: Park): Promise<Outcome> {
  const outcome = outcomeOf(park, agent.config) as Outcome & { kind: 'parked' };
  const conversation = agent.store.conversations.get(row.conversationId);
  const now = agent.clock.now();
  const notBefore = outcome.retryAt ?? now + waitAfter(row.parkCount);
  const progress = new ProgressComment({
    agent,
    forge: forgeOf(agent, row.key.source),
    conversation,
    uuid: row.uuid,
    texts: texts(conversation.language),
    inherited: null,
  });
  agent.store.commit({
    attempt: {
      uuid: row.uuid,
      takeUps: 0,
      status: 'paused',
      pausedBy: 'parked',
      pausedAt: now,
      notBefore,
      parkCount: row.parkCount + 1,
      errorMessage: agent.redact(park.message),
    },
    conversation: { id: conversation.id, reason: outcome.reason.id },
    posts: [progress.final({ kind: 'parked', reason: outcome.reason, until: notBefore })],
  });
  await sendPosts(agent, conversation.id);
  return outcome;
}
