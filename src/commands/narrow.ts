import type { Agent } from '../agent/agent.js';
import type { Collected, Job } from '../jobs.js';
import { OperatorError } from '../lib/exit.js';
import { taskName, type Source } from '../task/key.js';
import { parseTaskName } from '../task/name.js';
import type { RunOptions } from './io.js';
import { hostsOf, lookUpConversation, unknownTask, type FoundTask } from './find-task.js';

/** The jobs this run is asked for: all, or the one that was named. */
export function narrowJobs(collected: Collected, options: RunOptions, agent: Agent): Job[] {
  return options.task === undefined ? collected.jobs : namedJob(collected, options.task, agent);
}

/** How many of them it may do. */
export function mostTasks(options: RunOptions, agent: Agent): number {
  return options.maxTasks ?? agent.config.limits.maxTasksPerRun ?? Infinity;
}

/** An item that is not ours to work on is said to be so; none where its forge could not be asked: that is the reason then. */
function namedJob({ jobs, troubles }: Collected, name: string, agent: Agent): Job[] {
  const keys = jobs.map((job) => job.key);
  const found = lookUpConversation(name, agent.config, agent.store, keys);
  const job = found && (jobs.find((each) => isSame(each, found)) ?? parkedJob(found, agent));
  if (job) return [job];
  const asked = found ? [found.key.source] : sourcesOf(name, agent);
  if (troubles.some(({ source }) => asked.includes(source))) return [];
  throw found ? notOurs(found) : unknownTask(name);
}

function isSame({ key }: Job, found: FoundTask): boolean {
  return taskName(key) === taskName(found.key) && key.source === found.key.source;
}

/** `--task` ignores a parking time. */
function parkedJob({ conversation }: FoundTask, { store }: Agent): Job | null {
  const row = conversation && store.attempts.unsettledOf(conversation.id);
  if (row?.pausedBy !== 'parked') return null;
  return { kind: 'resume', row, key: row.key, since: row.createdAt, title: conversation!.title };
}

/** The forges that may know a task that we do not; a uuid is known here or nowhere. */
function sourcesOf(name: string, { config }: Agent): Source[] {
  const ref = parseTaskName(name, hostsOf(config));
  if (ref.kind === 'uuid') return [];
  return ref.source ? [ref.source] : config.taskSources;
}

function notOurs({ key, conversation }: FoundTask): OperatorError {
  return new OperatorError(`${taskName(key)} is not ours to work on now.`, {
    details: [reasonFor(conversation?.state ?? null)],
    fix: `Put the label on it, or use \`agent retry ${taskName(key)}\`.`,
  });
}

function reasonFor(state: string | null): string {
  return state === null
    ? 'It does not carry the request label, is closed, or was labelled by somebody who may not ask for work.'
    : `Its conversation is in the state ${state}, and nothing new was asked of it.`;
}
