import type { AttemptRow } from '../records.js';
import { sendPosts } from '../report/outbox.js';
import { ProgressComment } from '../report/progress.js';
import { texts } from '../report/texts.js';
import { forgeOf, type Agent } from './agent.js';
import { writeLabels } from './write-labels.js';
import type { Park } from './interrupts.js';
import { outcomeOf, type Outcome } from './outcome.js';
import type { Settling } from './last-posts.js';
import { failedTransition, parkedTransition } from './transition.js';

/** Parks an attempt that could not even be opened (a tool server is down): its progress comment says why. */
export async function parkUnopened(agent: Agent, row: AttemptRow, park: Park): Promise<Outcome> {
  const outcome = outcomeOf(park, agent.config) as Outcome & { kind: 'parked' };
  agent.store.commit(parkedTransition(settlingOf(agent, row), row, outcome));
  await sendPosts(agent, row.conversationId);
  return outcome;
}

/** Fails an attempt without reading anything of it: what broke it may be in its own files. */
export async function failUnopened(agent: Agent, row: AttemptRow, error: unknown): Promise<Outcome> {
  const outcome = outcomeOf(error, agent.config) as Outcome & { kind: 'failed' };
  agent.store.commit(failedTransition(settlingOf(agent, row), row, outcome));
  await sendPosts(agent, row.conversationId);
  await writeLabels(agent, row.conversationId);
  return outcome;
}

function settlingOf(agent: Agent, { uuid, key, conversationId }: AttemptRow): Settling {
  const conversation = agent.store.conversations.get(conversationId);
  const about = { agent, conversation, uuid, texts: texts(conversation.language) };
  const progress = new ProgressComment({ ...about, forge: forgeOf(agent, key.source), inherited: null });
  return { ...about, progress };
}
