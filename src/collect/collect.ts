import { labelsOf, type Agent } from '../agent/agent.js';
import type { Mail } from '../agent/inbox.js';
import type { StopReason } from '../agent/interrupts.js';
import { unsettledJobs } from './unsettled.js';
import { requestedJobs } from './requested.js';
import { waitingJobs } from './waiting.js';
import { forgetSpentWishes } from './wishes.js';
import { ForgeError, type Item, type ItemHead, type LabelEvent, type Place } from '../ports.js';
import type { AttemptRow, Conversation } from '../records.js';
import { taskName, type Source, type TaskKey } from '../task/key.js';
import { inTurns } from '../task/order.js';
import type { WaitingDecision } from '../task/waiting.js';

/** One thing to do in this tick. */
export type Job = { key: TaskKey; since: number; title: string } & (
  /** `event`: the request label was put on anew, which means go on. */
  | { kind: 'resume'; row: AttemptRow; event?: LabelEvent }
  /** An attempt that only has to be settled. */
  | { kind: 'end'; row: AttemptRow; reason: StopReason }
  | { kind: 'first'; head: ItemHead; event: LabelEvent | null }
  | { kind: 'follow_up'; conversation: Conversation; mail: Mail; judge: boolean; updatedAt: string | null }
  | { kind: 'close'; conversation: Conversation; mail: Mail; decision: WaitingDecision & { kind: 'close' } }
  /** The label was put on by somebody who may not ask for work. */
  | { kind: 'refuse'; head: ItemHead; by: string }
);

/** A forge that could not be asked. */
export interface Trouble {
  source: Source;
  error: ForgeError;
}

export interface Collected {
  jobs: Job[];
  troubles: Trouble[];
}

/** Finds the work: what was interrupted or may go on, what was answered, what is newly labelled. */
export async function collect(agent: Agent): Promise<Collected> {
  forgetSpentWishes(agent);
  const troubles: Trouble[] = [];
  const jobs: Job[] = [];
  for (const gather of [unsettledJobs, waitingJobs, requestedJobs]) {
    const found: Job[] = [];
    for (const source of agent.config.taskSources) {
      if (troubles.some((trouble) => trouble.source === source)) continue;
      const report = (error: unknown): Job[] => note(agent, source, error, troubles);
      found.push(...(await gather(agent, source, report).catch(report)));
    }
    jobs.push(...inTurns(found.filter((job) => !jobs.some((earlier) => sameItem(earlier.key, job.key)))));
  }
  return { jobs, troubles };
}

/** Where a forge is asked for work. */
export function placesOf(agent: Agent, source: Source): Place[] {
  const { config } = agent;
  const repositories = source === 'github' ? config.github!.repositories : config.gitlab!.projects;
  const owner = source === 'github' ? config.github!.owner : config.gitlab!.group;
  const query = source === 'github' ? config.github!.query : '';
  return owner ? [{ kind: 'owner', name: owner, query }] : repositories.map((path) => ({ kind: 'repository', path }));
}

export function botLabelOf(agent: Agent, source: Source): string {
  return labelsOf(agent.config, source).botLabel;
}

/** What an item is when it is not in the list it was looked for in. */
export function standingOf(item: Item | null, label: (item: Item) => boolean): 'listed' | 'open_without_label' | 'closed' | 'merged' | 'gone' {
  if (item === null) return 'gone';
  if (item.state !== 'open') return item.state;
  return label(item) ? 'listed' : 'open_without_label';
}

/** A repository that is gone, or that our token no longer may see: it does not stop the others. */
export function isVanished(error: unknown): error is ForgeError {
  return error instanceof ForgeError && (error.kind === 'gone' || error.kind === 'forbidden');
}

/** One item that cannot be decided on now (403, 5xx) waits for the next tick; the others go on. */
export async function decided<T>(agent: Agent, key: TaskKey, decide: () => Promise<T>): Promise<T | null> {
  try {
    return await decide();
  } catch (error) {
    agent.signal.throwIfAborted();
    if (!(error instanceof ForgeError) || error.kind === 'refused') throw error;
    agent.log.write('warning', 'an item could not be decided on now', { task: taskName(key), error: error.message });
    return null;
  }
}

function note(agent: Agent, source: Source, error: unknown, troubles: Trouble[]): Job[] {
  agent.signal.throwIfAborted();
  if (!(error instanceof ForgeError)) throw error;
  agent.log.write('error', 'a forge could not be asked for work', { source, error: error.message });
  troubles.push({ source, error });
  return [];
}

function sameItem(a: TaskKey, b: TaskKey): boolean {
  return a.source === b.source && a.owner === b.owner && a.repo === b.repo && a.type === b.type && a.id === b.id;
}
