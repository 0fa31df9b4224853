import { forgeOf, labelsOf, whoWeAre, type Agent } from '../agent/agent.js';
import { mayRequest, sameLogin } from '../agent/trust.js';
import { concernsOnePlace, decided, isVanished, placesOf } from './asking.js';
import type { Job } from '../jobs.js';
import { type ForgeError, type ItemHead, type LabelEvent, type Place } from '../ports.js';
import { readMarker } from '../report/marker.js';
import { isPutOnAnew } from '../task/label-event.js';
import { hasLabel } from '../task/labels.js';
import { taskName, type Source } from '../task/key.js';

const UNREACHABLE_IN_A_ROW = 2;
const FOREIGN_WORK_MS = 60 * 60_000;

/** Items newly labelled, items to be tried again, and once in a new data folder what an earlier one left in `processing`. */
export async function requestedJobs(agent: Agent, source: Source, report: (error: ForgeError) => void): Promise<Job[]> {
  const jobs: Job[] = retriedJobs(agent, source);
  let outOfReach = 0;
  for (const place of placesOf(agent, source)) {
    try {
      jobs.push(...(await jobsAt(agent, source, place)));
      outOfReach = 0;
    } catch (error) {
      if (!concernsOnePlace(error)) throw error;
      report(error);
      if (!isVanished(error) && ++outOfReach === UNREACHABLE_IN_A_ROW) break; // the forge itself is down
    }
  }
  return jobs;
}

async function jobsAt(agent: Agent, source: Source, place: Place): Promise<Job[]> {
  const heads = await forgeOf(agent, source).findByLabel(place, labelsOf(agent.config, source).botLabel);
  const jobs: Job[] = [];
  for (const head of heads) jobs.push(...((await decided(agent, head.key, () => jobFor(agent, head))) ?? []));
  return [...jobs, ...(await orphans(agent, source, place))];
}

/** `agent retry`: the wish is enough, whatever the labels say. */
function retriedJobs(agent: Agent, source: Source): Job[] {
  return agent.store.wishes
    .all()
    .filter(({ wish }) => wish === 'retry')
    .map(({ conversationId }) => agent.store.conversations.get(conversationId))
    .filter(({ id, key }) => key.source === source && agent.store.attempts.unsettledOf(id) === null)
    .map(({ key, title, firstProcessedAt }) => {
      const head = { key, title, labels: [], createdAt: '', updatedAt: '' };
      return { kind: 'first', key, title, since: firstProcessedAt, head, event: null };
    });
}

async function jobFor(agent: Agent, head: ItemHead): Promise<Job[]> {
  const conversation = agent.store.conversations.find(head.key);
  const unsettled = conversation && agent.store.attempts.unsettledOf(conversation.id);
  if (unsettled?.status === 'running') return [];
  if (!unsettled && (await isForeign(agent, head))) return [];
  const event = await requestEvent(agent, head);
  if (event && !isPutOnAnew(event, conversation?.labelEvent ?? null)) return [];
  if (!event && (agent.config.security.checkLabeller || conversation)) return []; // not known yet: next tick
  const about = { key: head.key, since: Date.parse(head.createdAt), title: head.title };
  if (event && !(await isAllowed(agent, head, event))) return [{ ...about, kind: 'refuse', head, by: event.actor }];
  if (unsettled) return [{ ...about, kind: 'resume', row: unsettled, ...(event && { event }) }];
  return [{ ...about, kind: 'first', head, event }];
}

/** Where nobody asks who put the label on, a forge that will not tell keeps nobody waiting. */
async function requestEvent(agent: Agent, { key }: ItemHead): Promise<LabelEvent | null> {
  const { botLabel } = labelsOf(agent.config, key.source);
  return forgeOf(agent, key.source)
    .newestLabelEvent(key, botLabel)
    .catch((error: unknown) => {
      if (agent.config.security.checkLabeller || !isVanished(error)) throw error;
      return null;
    });
}

async function isAllowed(agent: Agent, head: ItemHead, event: LabelEvent): Promise<boolean> {
  return !agent.config.security.checkLabeller || mayRequest(agent, head, event.actor);
}

/**
 * A new data folder looks for items in `processing` until it knows them all: the database may have been lost.
 * One that another installation is at work on is left alone.
 */
async function orphans(agent: Agent, source: Source, place: Place): Promise<Job[]> {
  const fact = `known:${source}:${place.kind === 'owner' ? place.name : place.path}`;
  if (agent.store.facts.get(fact)) return [];
  const { processingLabel, botLabel } = labelsOf(agent.config, source);
  const heads = await forgeOf(agent, source).findByLabel(place, processingLabel);
  const unknown = heads.filter((head) => !hasLabel(head, botLabel) && !agent.store.conversations.find(head.key));
  const found = await Promise.all(unknown.map((head) => decided(agent, head.key, () => orphanJob(agent, head))));
  if (found.every((job) => job === 'nobody')) agent.store.facts.set(fact, 'yes');
  return found.filter((job) => job !== null && typeof job === 'object');
}

/** `later`: another installation may be at work on it. `nobody`: nobody who may ask for work asked for it. */
async function orphanJob(agent: Agent, head: ItemHead): Promise<Job | 'later' | 'nobody'> {
  if (await isForeign(agent, head)) return 'later';
  const event = await requestEvent(agent, head);
  if (event ? !(await isAllowed(agent, head, event)) : agent.config.security.checkLabeller) return 'nobody';
  return { key: head.key, since: Date.parse(head.createdAt), title: head.title, kind: 'first', head, event };
}

/** In `processing`, with a progress comment by our account that an attempt unknown here edited within the last hour. */
async function isForeign(agent: Agent, head: ItemHead): Promise<boolean> {
  const { processingLabel } = labelsOf(agent.config, head.key.source);
  if (!hasLabel(head, processingLabel)) return false;
  const self = await whoWeAre(agent, head.key.source);
  const comment = await forgeOf(agent, head.key.source).findComment(
    head.key,
    ({ author, body }) =>
      readMarker(body)?.kind === 'progress' && (self.login === null || sameLogin(author, self.login)),
  );
  const mark = comment && readMarker(comment.body);
  if (!mark || agent.store.attempts.get(mark.attempt)) return false;
  const fresh = agent.clock.now() - Date.parse(comment.updatedAt) < FOREIGN_WORK_MS;
  if (fresh)
    agent.log.write('info', 'another installation is at work on this item', {
      task: taskName(head.key),
      attempt: mark.attempt,
    });
  return fresh;
}
