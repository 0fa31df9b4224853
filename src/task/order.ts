import type { TaskKey } from './key.js';

/** Oldest first, one repository after the other in turns, so that a busy one does not starve the rest. */
export function inTurns<T extends { key: TaskKey; since: number }>(jobs: T[]): T[] {
  const queues = new Map<string, T[]>();
  for (const job of [...jobs].sort((a, b) => a.since - b.since)) {
    const place = `${job.key.source}:${job.key.owner}/${job.key.repo}`;
    queues.set(place, [...(queues.get(place) ?? []), job]);
  }
  const order: T[] = [];
  for (let round = 0; order.length < jobs.length; round++) {
    for (const queue of queues.values()) if (queue[round]) order.push(queue[round]!);
  }
  return order;
}
