import { existsSync } from 'node:fs';
import { forgeOf, labelsOf, type Agent } from '../agent/agent.js';
import { fetchMail, recordMail, saysMore, seenAs } from '../agent/inbox.js';
import { decided, standingOf } from './asking.js';
import type { Job } from '../jobs.js';
import type { AttemptRow, Conversation } from '../records.js';
import { hasLabel } from '../task/labels.js';
import type { Source } from '../task/key.js';

const DAY_MS = 24 * 60 * 60_000;

/** Attempts that were interrupted, and those that were paused and may go on now. */
export async function unsettledJobs(agent: Agent, source: Source): Promise<Job[]> {
  const jobs: Job[] = [];
  for (const row of agent.store.attempts.unsettled()) {
    if (row.key.source !== source) continue;
    const conversation = agent.store.conversations.get(row.conversationId);
    const job = await decided(agent, row.key, () => jobFor(agent, row, conversation));
    if (job) jobs.push(job);
  }
  return jobs;
}

async function jobFor(agent: Agent, row: AttemptRow, conversation: Conversation): Promise<Job | null> {
  const about = { key: row.key, since: row.createdAt, title: conversation.title };
  const resume: Job = { ...about, kind: 'resume', row };
  const { enabled, signalFile } = agent.config.pauseResume;
  const wishes = agent.store.wishes.of(conversation.id);
  if (wishes.includes('stop')) return { ...about, kind: 'end', row, reason: 'person' };
  if (row.status === 'running' || wishes.some((wish) => wish !== 'pause')) return resume;
  switch (row.pausedBy) {
    case 'signal_file':
      return enabled && existsSync(signalFile) ? null : resume;
    case 'parked':
      return isDue(row, agent.clock.now()) ? resume : null;
    case 'person':
      return personsPause(agent, row, conversation, about);
    default:
      return null; // a question: its answer is found among the conversations that wait
  }
}

/** Where the clock was set back behind the parking itself, nobody knows how long is left: it is tried. */
function isDue({ notBefore, pausedAt }: AttemptRow, now: number): boolean {
  return now >= (notBefore ?? 0) || now < (pausedAt ?? 0);
}

/** Paused by a person: their acts on the forge let it go on or end it, and so does time. */
async function personsPause(
  agent: Agent,
  row: AttemptRow,
  conversation: Conversation,
  about: Pick<Job, 'key' | 'since' | 'title'>,
): Promise<Job | null> {
  const resume: Job = { ...about, kind: 'resume', row };
  const end = (reason: (Job & { kind: 'end' })['reason']): Job => ({ ...about, kind: 'end', row, reason });
  const { pausedLabel, botLabel } = labelsOf(agent.config, row.key.source);
  const item = await forgeOf(agent, row.key.source).getItem(row.key);
  const standing = standingOf(item, (each) => hasLabel(each, pausedLabel));
  if (standing === 'gone') return end('item_gone');
  if (standing === 'closed' || standing === 'merged') return end(standing);
  if (hasLabel(item!, botLabel)) return null; // asked again: found among the requested items
  if (standing === 'open_without_label' && conversation.wantedLabel === null) return resume;
  const command = await newestCommand(agent, conversation);
  if (command === 'stop') return end('person');
  if (command) return resume;
  const days = (agent.clock.now() - (row.pausedAt ?? row.createdAt)) / DAY_MS;
  return days > agent.config.pauseResume.pausedTaskExpiryDays ? end('paused_too_long') : null;
}

/** What was said last counts, and becomes a wish, so that a crash does not lose it. */
async function newestCommand(agent: Agent, conversation: Conversation): Promise<string | null> {
  const mail = await fetchMail(agent, conversation);
  const last = mail.commands.flatMap(({ command }) => (command === 'status' ? [] : [command])).at(-1) ?? 'pause';
  const newest = last === 'pause' ? null : last; // it is paused already
  const heard = mail.commands.filter((each) => newest === 'stop' || !saysMore(each)).map(({ comment }) => comment);
  const later = mail.commands.map(({ comment }) => comment).filter((comment) => !heard.includes(comment));
  agent.store.atomically(() => {
    if (newest) agent.store.wishes.add(conversation.id, newest);
    recordMail(
      agent,
      conversation,
      [...mail.others, ...heard.map((comment) => seenAs(comment, 'command'))],
      [...mail.fresh, ...later, ...mail.undecided], // what says more is read when the work goes on
    );
  });
  for (const comment of heard) {
    await forgeOf(agent, conversation.key.source)
      .react(conversation.key, comment, '+1')
      .catch(() => undefined); // a courtesy: the command counts without it
  }
  return newest;
}
