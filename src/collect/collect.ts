import type { Agent } from '../agent/agent.js';
import type { Collected, Job, Trouble } from '../jobs.js';
import { ForgeError } from '../ports.js';
import { sameTask, type Source } from '../task/key.js';
import { inTurns } from '../task/order.js';
import { requestedJobs } from './requested.js';
import { unsettledJobs } from './unsettled.js';
import { waitingJobs } from './waiting.js';
import { forgetSpentWishes } from './wishes.js';

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
    jobs.push(...inTurns(onePerTask(found).filter((job) => !jobs.some((earlier) => sameTask(earlier.key, job.key)))));
  }
  return { jobs, troubles };
}

/** `agent retry` and the request label may ask for the same task: the one that knows the label's event is done. */
function onePerTask(found: Job[]): Job[] {
  const byEvent = found.toSorted((a, b) => Number(hasEvent(b)) - Number(hasEvent(a)));
  return found.filter((job) => byEvent.find((each) => sameTask(each.key, job.key)) === job);
}

function hasEvent(job: Job): boolean {
  return 'event' in job && Boolean(job.event);
}

function note(agent: Agent, source: Source, error: unknown, troubles: Trouble[]): Job[] {
  agent.signal.throwIfAborted();
  if (!(error instanceof ForgeError)) throw error;
  agent.log.write('error', 'a forge could not be asked for work', { source, error: error.message });
  troubles.push({ source, error });
  return [];
}
