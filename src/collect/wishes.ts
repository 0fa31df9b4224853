import type { Agent } from '../agent/agent.js';
import type { AttemptRow, Conversation, Wish } from '../records.js';

/**
 * Forgets wishes that were fulfilled or that nothing is left to fulfil. It is done here, where no attempt is being
 * worked on, so that a crash between a wish and its effect loses neither.
 */
export function forgetSpentWishes(agent: Agent): void {
  const { attempts, conversations, wishes } = agent.store;
  for (const { conversationId, wish } of wishes.all()) {
    if (!isSpent(wish, conversations.get(conversationId), attempts.unsettledOf(conversationId))) continue;
    wishes.take(conversationId, wish);
  }
}

function isSpent(wish: Wish, { state }: Conversation, unsettled: AttemptRow | null): boolean {
  switch (wish) {
    case 'pause':
      return unsettled === null || unsettled.pausedBy === 'person' || unsettled.pausedBy === 'question';
    case 'resume':
      return unsettled === null;
    case 'stop':
      return unsettled === null && state !== 'awaiting-response';
    case 'retry':
      return false; // taken by the attempt that it leads to
  }
}
