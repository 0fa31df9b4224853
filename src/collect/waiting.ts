import { forgeOf, labelsOf, type Agent } from '../agent/agent.js';
import { fetchMail, recordMail, type Mail } from '../agent/inbox.js';
import { placesOf, standingOf, type Job } from './collect.js';
import type { Place } from '../ports.js';
import type { Conversation } from '../records.js';
import { hasLabel } from '../task/labels.js';
import type { Source } from '../task/key.js';
import { taskName } from '../task/key.js';
import { decideWaiting, type WaitingFacts } from '../task/waiting.js';

const HOUR_MS = 60 * 60_000;
const NO_MAIL: Mail = { fresh: [], commands: [], others: [], undecided: false };

/** Conversations in `awaiting-response` with something new: a comment to answer, a completion, a time-out. */
export async function waitingJobs(agent: Agent, source: Source): Promise<Job[]> {
  const waiting = agent.store.conversations.inState('awaiting-response').filter((each) => each.key.source === source);
  if (waiting.length === 0) return [];
  const updatedAt = await listWaiting(agent, source, waiting);
  const jobs: Job[] = [];
  for (const conversation of waiting) {
    const job = await jobFor(agent, conversation, updatedAt.get(taskName(conversation.key)) ?? null);
    if (job) jobs.push(job);
  }
  return jobs;
}

/** One conditional request for each repository where somebody waits: whether there is news shows in `updated_at`. */
async function listWaiting(agent: Agent, source: Source, waiting: Conversation[]): Promise<Map<string, string>> {
  const forge = forgeOf(agent, source);
  const paths = new Set(waiting.map(({ key }) => `${key.owner}/${key.repo}`.toLowerCase()));
  const places = placesOf(agent, source).filter((place) => place.kind === 'owner' || isNumber(place) || paths.has(place.path.toLowerCase()));
  const updatedAt = new Map<string, string>();
  for (const place of places) {
    const heads = await forge.findByLabel(place, labelsOf(agent.config, source).awaitingLabel);
    for (const head of heads) updatedAt.set(taskName(head.key), head.updatedAt);
  }
  return updatedAt;
}

function isNumber(place: Place): boolean {
  return place.kind === 'repository' && /^\d+$/.test(place.path);
}

async function jobFor(agent: Agent, conversation: Conversation, listedAt: string | null): Promise<Job | null> {
  const unchanged = listedAt !== null && listedAt === conversation.seenUpdatedAt;
  const item = listedAt === null ? await standing(agent, conversation) : 'listed';
  const mail = unchanged || item !== 'listed' ? NO_MAIL : await fetchMail(agent, conversation);
  logNews(agent, conversation, mail);
  const decision = decideWaiting(conversation, factsOf(agent, item, mail));
  recordMail(agent, conversation, mail.others);
  const about = { key: conversation.key, since: conversation.firstProcessedAt, title: conversation.title };
  if (decision.kind === 'close') return { ...about, kind: 'close', conversation, mail, decision };
  if (decision.kind === 'answer') return answerJob(agent, conversation, mail, decision.judge, listedAt);
  if (listedAt && !mail.undecided) agent.store.conversations.update(conversation.id, { seenUpdatedAt: listedAt });
  return null;
}

/** An answer to a question resumes the attempt that asked it; anything else starts a new one. */
function answerJob(agent: Agent, conversation: Conversation, mail: Mail, judge: boolean, updatedAt: string | null): Job {
  const about = { key: conversation.key, since: conversation.firstProcessedAt, title: conversation.title };
  const asked = agent.store.attempts.unsettledOf(conversation.id);
  if (asked) return { ...about, kind: 'resume', row: asked };
  return { ...about, kind: 'follow_up', conversation, mail, judge, updatedAt };
}

async function standing(agent: Agent, conversation: Conversation): Promise<WaitingFacts['item']> {
  const { awaitingLabel, botLabel } = labelsOf(agent.config, conversation.key.source);
  const item = await forgeOf(agent, conversation.key.source).getItem(conversation.key);
  const found = standingOf(item, (each) => hasLabel(each, awaitingLabel) || hasLabel(each, botLabel));
  return found === 'open_without_label' && conversation.wantedLabel !== null ? 'listed' : found;
}

function factsOf(agent: Agent, item: WaitingFacts['item'], mail: Mail): WaitingFacts {
  const { enabled, completionKeywords, timeoutHours } = agent.config.commentHandling;
  return {
    handlingEnabled: enabled,
    item,
    fresh: mail.fresh,
    commands: mail.commands.map(({ command }) => command),
    keywords: completionKeywords,
    timeoutMs: timeoutHours * HOUR_MS,
    now: agent.clock.now(),
  };
}

function logNews(agent: Agent, { key }: Conversation, { fresh }: Mail): void {
  for (const comment of fresh) {
    agent.log.write('info', `[COMMENT] Issue #${key.id} - New comment detected (ID: ${comment.id})`, { task: taskName(key) });
  }
}
