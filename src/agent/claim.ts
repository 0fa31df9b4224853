import type { Item, LabelEvent } from '../ports.js';
import type { AttemptRow, Conversation, ConversationState } from '../records.js';
import { languageOf } from '../report/language.js';
import { labelOfState } from '../task/labels.js';
import { labelsOf, type Agent } from './agent.js';

/** Which model an attempt is made with, for the records. */
type ModelFacts = Pick<AttemptRow, 'llmProvider' | 'model' | 'contextLength'>;

/** What is decided about an attempt before it is claimed. */
export type NewAttempt = ModelFacts & Pick<AttemptRow, 'uuid'>;

/** The item becomes ours: conversation and attempt in one transaction, before anything shows on the forge. */
export function claim(agent: Agent, item: Item, event: LabelEvent | null, made: NewAttempt): AttemptRow {
  return agent.store.atomically(() => {
    const conversation = agent.store.conversations.find(item.key) ?? newConversation(agent, item);
    agent.store.conversations.update(conversation.id, {
      ...toProcessing(agent, conversation),
      title: item.title,
      author: item.author,
      commentCount: 0,
      ...(event && { labelEvent: { id: event.id, at: event.at } }),
    });
    return newAttempt(agent, conversation, made, { followUp: false });
  });
}

/** A comment in the thread asks for more: the next attempt of the same conversation. */
export function claimFollowUp(agent: Agent, conversation: Conversation, made: NewAttempt): AttemptRow {
  return agent.store.atomically(() => {
    const commentCount = conversation.commentCount + 1;
    agent.store.conversations.update(conversation.id, { ...toProcessing(agent, conversation), commentCount });
    return newAttempt(agent, conversation, made, { followUp: true });
  });
}

/** An attempt that waited goes on. */
export function takeUp(agent: Agent, row: AttemptRow, event: LabelEvent | null = null): void {
  agent.store.atomically(() => {
    const conversation = agent.store.conversations.get(row.conversationId);
    const isShown = conversation.state === 'processing'; // a parked attempt keeps the label
    agent.store.conversations.update(
      row.conversationId,
      isShown ? { reason: null } : toProcessing(agent, conversation),
    );
    if (event) {
      const labelEvent = { id: event.id, at: event.at };
      agent.store.conversations.update(row.conversationId, { labelEvent, commentCount: 0 });
    }
    agent.store.attempts.update(row.uuid, {
      status: 'running',
      pausedBy: null,
      pausedAt: null,
      notBefore: null,
      errorMessage: null,
      takeUps: row.takeUps + 1,
    });
  });
}

/** What a state means for the row: the label it wants to show is written until it is there. */
export function stateChange(
  agent: Agent,
  { key }: Pick<Conversation, 'key'>,
  state: ConversationState,
): Partial<Conversation> {
  return {
    state,
    wantedLabel: labelOfState(state, labelsOf(agent.config, key.source)),
    lastProcessedAt: agent.clock.now(),
  };
}

function toProcessing(agent: Agent, conversation: Pick<Conversation, 'key'>): Partial<Conversation> {
  return { ...stateChange(agent, conversation, 'processing'), reason: null, unfinished: false, labelsWrittenAt: null };
}

function newConversation(agent: Agent, item: Item): Conversation {
  const { language } = agent.config;
  const now = agent.clock.now();
  return agent.store.conversations.create({
    key: item.key,
    state: 'requested',
    title: item.title,
    url: item.url,
    author: item.author,
    language: language === 'auto' ? languageOf(item.title, item.body) : language,
    lastCommentId: null,
    commentCount: 0,
    firstProcessedAt: now,
    lastProcessedAt: now,
    reason: null,
    unfinished: false,
    lastCommentAt: null,
    seenUpdatedAt: null,
    cursor: null,
    labelEvent: null,
    wantedLabel: null,
    labelsWrittenAt: null,
  });
}

function newAttempt(
  agent: Agent,
  { id, key }: Conversation,
  made: NewAttempt,
  { followUp }: { followUp: boolean },
): AttemptRow {
  const now = agent.clock.now();
  const row: AttemptRow = {
    ...made,
    key,
    conversationId: id,
    status: 'running',
    pausedBy: null,
    pausedAt: null,
    notBefore: null,
    parkCount: 0,
    followUp,
    createdAt: now,
    startedAt: now,
    completedAt: null,
    llmCallCount: 0,
    turnCount: 0,
    toolCallCount: 0,
    totalTokens: 0,
    compressionCount: 0,
    compressionTokens: 0,
    workedMs: 0,
    errorMessage: null,
    outcome: null,
    user: agent.user,
    lastSeq: 0,
    progress: {},
    phase: null,
    lastMessage: null,
    takeUps: 1,
  };
  agent.store.attempts.create(row);
  return row;
}
