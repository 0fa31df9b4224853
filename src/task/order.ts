import type { TaskKey } from './key.js';

/** Oldest first, one repository after the other in turns, so that a busy one does not starve the rest. */
export function inTurns<T extends { key: TaskKey; since: number }>(jobs: T[]): T[] {
  const queues = new Map<string, T[]>();
  for (const job of [...jobs].sort(byAge)) {
    const place = `${job.key.source}:${job.key.owner}/${job.key.repo}`;
    queues.set(place, [...(queues.get(place) ?? []), job]);
  }
  const order: T[] = [];
  for (let round = 0; order.length < jobs.length; round++) {
    for (const queue of queues.values()) if (queue[round]) order.push(queue[round]!);
  }
  return order;
}

/** Forges tell times in whole seconds; within one the lower number is the older item. */
function byAge(a: { key: TaskKey; since: number }, b: { key: TaskKey; since: number }): number {
  return a.since - b.since || Number(a.key.id) - Number(b.key.id);
}
