import { forgeOf, labelsOf, whoWeAre, type Agent } from '../agent/agent.js';
import { fetchMail, NO_MAIL, recordMail, seenAs, type Mail } from '../agent/inbox.js';
import { decided, isVanished, placesOf, standingOf } from './asking.js';
import type { Job } from '../jobs.js';
import type { Comment, ItemHead, Place } from '../ports.js';
import type { Conversation } from '../records.js';
import { hasLabel } from '../task/labels.js';
import type { Source } from '../task/key.js';
import { taskName } from '../task/key.js';
import { decideWaiting, type WaitingFacts } from '../task/waiting.js';

const HOUR_MS = 60 * 60_000;
/**
 * An item that changed just now may change again without showing it: GitHub tells whole seconds, and on GitLab
 * a note touches its item only when that was last changed more than a minute ago.
 */
const SETTLED_MS: Record<Source, number> = { github: 2000, gitlab: 62_000 };

/** Conversations in `awaiting-response` with something new: a comment to answer, a completion, a time-out. */
export async function waitingJobs(agent: Agent, source: Source): Promise<Job[]> {
  const waiting = agent.store.conversations.inState('awaiting-response').filter((each) => each.key.source === source);
  if (waiting.length === 0) return [];
  const { listed, unreadable } = await listWaiting(agent, source, waiting);
  const jobs: Job[] = [];
  for (const conversation of waiting) {
    if (unreadable.has(pathOf(conversation))) continue;
    const head = listed.get(taskName(conversation.key)) ?? null;
    const job = await decided(agent, conversation.key, () => jobFor(agent, conversation, head));
    if (job) jobs.push(job);
  }
  return jobs;
}

/** Other tasks were worked on meanwhile: what people did since then comes first. Null: nothing is left to do. */
export async function decideAgain(agent: Agent, job: Job): Promise<Job | null> {
  if (job.kind !== 'close' && job.kind !== 'follow_up') return job;
  const conversation = agent.store.conversations.get(job.conversation.id);
  return decided(agent, job.key, async () => {
    const item = await forgeOf(agent, job.key.source).getItem(job.key);
    const listed =
      item && item.state === 'open' && hasLabel(item, labelsOf(agent.config, job.key.source).awaitingLabel);
    return jobFor(agent, { ...conversation, seenUpdatedAt: null }, listed ? item : null);
  });
}

interface WaitingLists {
  listed: Map<string, ItemHead>;
  /** Repositories that vanished: what waits there is left as it is, and the search for requests reports them. */
  unreadable: Set<string>;
}

/** One conditional request for each repository where somebody waits: whether there is news shows in `updated_at`. */
async function listWaiting(agent: Agent, source: Source, waiting: Conversation[]): Promise<WaitingLists> {
  const forge = forgeOf(agent, source);
  const paths = new Set(waiting.map(pathOf));
  const places = placesOf(agent, source).filter(
    (place) => place.kind === 'owner' || isNumber(place) || paths.has(place.path.toLowerCase()),
  );
  const lists: WaitingLists = { listed: new Map(), unreadable: new Set() };
  for (const place of places) {
    try {
      const heads = await forge.findByLabel(place, labelsOf(agent.config, source).awaitingLabel);
      for (const head of heads) lists.listed.set(taskName(head.key), head);
    } catch (error) {
      if (place.kind === 'owner' || !isVanished(error)) throw error;
      lists.unreadable.add(place.path.toLowerCase());
    }
  }
  return lists;
}

function pathOf({ key }: Conversation): string {
  return `${key.owner}/${key.repo}`.toLowerCase();
}

function isNumber(place: Place): boolean {
  return place.kind === 'repository' && /^\d+$/.test(place.path);
}

async function jobFor(agent: Agent, conversation: Conversation, head: ItemHead | null): Promise<Job | null> {
  if (agent.store.wishes.of(conversation.id).includes('stop')) return stopJob(conversation);
  const unchanged = head !== null && head.updatedAt === conversation.seenUpdatedAt;
  const item = head ? standingOfListed(agent, conversation, head) : await standing(agent, conversation);
  const lookedAt = agent.clock.now();
  const mail = unchanged || item !== 'listed' ? NO_MAIL : await fetchMail(agent, conversation);
  logNews(agent, conversation, mail);
  const decision = decideWaiting(conversation, await factsOf(agent, conversation, item, mail));
  recordMail(agent, conversation, mail.others, pendingIn(mail));
  const about = { key: conversation.key, since: conversation.firstProcessedAt, title: conversation.title };
  if (decision.kind === 'close') return { ...about, kind: 'close', conversation, mail, decision };
  if (decision.kind === 'answer') return answerJob(agent, conversation, mail, decision.judge, head?.updatedAt ?? null);
  await acknowledge(agent, conversation, mail);
  if (head && item === 'listed' && mail.undecided.length === 0) remember(agent, conversation, head, lookedAt);
  return null;
}

function pendingIn({ fresh, commands, undecided }: Mail): Comment[] {
  return [...fresh, ...commands.map(({ comment }) => comment), ...undecided];
}

/** `/agent status` and `/agent pause` change nothing where nothing is done, but they were heard. */
async function acknowledge(agent: Agent, conversation: Conversation, { commands, undecided }: Mail): Promise<void> {
  recordMail(
    agent,
    conversation,
    commands.map(({ comment }) => seenAs(comment, 'command')),
    undecided,
  );
  for (const { comment } of commands) {
    await forgeOf(agent, conversation.key.source)
      .react(conversation.key, comment, '+1')
      .catch(() => undefined); // a courtesy
  }
}

function remember(agent: Agent, { id, key }: Conversation, { updatedAt }: ItemHead, lookedAt: number): void {
  if (lookedAt - Date.parse(updatedAt) < SETTLED_MS[key.source]) return;
  agent.store.conversations.update(id, { seenUpdatedAt: updatedAt });
}

/** `agent stop`: whatever was said since, it ends. */
function stopJob(conversation: Conversation): Job {
  const about = { key: conversation.key, since: conversation.firstProcessedAt, title: conversation.title };
  const decision = { kind: 'close', why: 'stop_command', silent: false } as const;
  return { ...about, kind: 'close', conversation, mail: NO_MAIL, decision };
}

/** An answer to a question resumes the attempt that asked it; anything else starts a new one. */
function answerJob(
  agent: Agent,
  conversation: Conversation,
  mail: Mail,
  judge: boolean,
  updatedAt: string | null,
): Job {
  const about = { key: conversation.key, since: conversation.firstProcessedAt, title: conversation.title };
  const asked = agent.store.attempts.unsettledOf(conversation.id);
  if (asked) return { ...about, kind: 'resume', row: asked };
  return { ...about, kind: 'follow_up', conversation, mail, judge, updatedAt };
}

/** The request label on a waiting item means go on: it is found among the requested items. */
function standingOfListed(agent: Agent, { wantedLabel }: Conversation, head: ItemHead): WaitingFacts['item'] {
  const { botLabel, pausedLabel } = labelsOf(agent.config, head.key.source);
  if (hasLabel(head, botLabel)) return 'asked_again';
  const ours = wantedLabel !== null; // perhaps it is left from our own pause
  return hasLabel(head, pausedLabel) && !ours ? 'paused' : 'listed';
}

async function standing(agent: Agent, conversation: Conversation): Promise<WaitingFacts['item']> {
  const { awaitingLabel, botLabel } = labelsOf(agent.config, conversation.key.source);
  const item = await forgeOf(agent, conversation.key.source).getItem(conversation.key);
  if (item?.state === 'open' && hasLabel(item, botLabel)) return 'asked_again';
  const found = standingOf(item, (each) => hasLabel(each, awaitingLabel));
  return found === 'open_without_label' && conversation.wantedLabel !== null ? 'listed' : found;
}

async function factsOf(
  agent: Agent,
  { key }: Conversation,
  item: WaitingFacts['item'],
  mail: Mail,
): Promise<WaitingFacts> {
  const { enabled, completionKeywords, timeoutHours } = agent.config.commentHandling;
  const isSpokenTo = mail.fresh.length > 0; // whoever has no mail need not know their name
  return {
    handlingEnabled: enabled,
    item,
    fresh: mail.fresh,
    commands: mail.commands.map(({ command }) => command),
    undecided: mail.undecided.length > 0,
    keywords: completionKeywords,
    ourName: isSpokenTo ? (await whoWeAre(agent, key.source)).login : null,
    timeoutMs: timeoutHours * HOUR_MS,
    now: agent.clock.now(),
  };
}

function logNews(agent: Agent, { key }: Conversation, { fresh }: Mail): void {
  for (const comment of fresh) {
    agent.log.write('info', `[COMMENT] Issue #${key.id} - New comment detected (ID: ${comment.id})`, {
      task: taskName(key),
    });
  }
}
