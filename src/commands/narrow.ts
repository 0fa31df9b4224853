import type { Agent } from '../agent/agent.js';
import type { Collected, Job } from '../jobs.js';
import { OperatorError } from '../lib/exit.js';
import { taskName } from '../task/key.js';
import type { RunOptions } from './io.js';
import { findConversation } from './find-task.js';

/** The jobs this run is asked for: all, as many as allowed, or the one that was named. */
export function narrowJobs(collected: Collected, options: RunOptions, agent: Agent): Job[] {
  const jobs = options.task === undefined ? collected.jobs : [namedJob(collected, options.task, agent)];
  const limit = options.maxTasks ?? agent.config.limits.maxTasksPerRun ?? Infinity;
  return jobs.slice(0, limit);
}

/** `--task` ignores a parking time; an item that is not ours to work on is said to be so. */
function namedJob({ jobs, troubles }: Collected, name: string, agent: Agent): Job {
  const found = findConversation(
    name,
    agent.config,
    agent.store,
    jobs.map((job) => job.key),
  );
  const job = jobs.find((each) => taskName(each.key) === taskName(found.key) && each.key.source === found.key.source);
  if (job) return job;
  const row = found.conversation && agent.store.attempts.unsettledOf(found.conversation.id);
  if (row?.pausedBy === 'parked') {
    return { kind: 'resume', row, key: row.key, since: row.createdAt, title: found.conversation!.title };
  }
  throw new OperatorError(`${taskName(found.key)} is not ours to work on now.`, {
    details: [reasonFor(found.conversation?.state ?? null), ...troubles.map(({ error }) => error.message)],
    fix: `Put the label on it, or use \`agent retry ${taskName(found.key)}\`.`,
  });
}

function reasonFor(state: string | null): string {
  return state === null
    ? 'It does not carry the request label, is closed, or was labelled by somebody who may not ask for work.'
    : `Its conversation is in the state ${state}, and nothing new was asked of it.`;
}
