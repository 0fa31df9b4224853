import type { Agent } from '../agent/agent.js';
import { ForgeError, type Item, type Place } from '../ports.js';
import { taskName, type Source, type TaskKey } from '../task/key.js';

/** Where a forge is asked for work. */
export function placesOf(agent: Agent, source: Source): Place[] {
  const { config } = agent;
  const repositories = source === 'github' ? config.github!.repositories : config.gitlab!.projects;
  const owner = source === 'github' ? config.github!.owner : config.gitlab!.group;
  const query = source === 'github' ? config.github!.query : '';
  return owner ? [{ kind: 'owner', name: owner, query }] : repositories.map((path) => ({ kind: 'repository', path }));
}

/** What an item is when it is not in the list it was looked for in. */
export function standingOf(
  item: Item | null,
  label: (item: Item) => boolean,
): 'listed' | 'open_without_label' | 'closed' | 'merged' | 'gone' {
  if (item === null) return 'gone';
  if (item.state !== 'open') return item.state;
  return label(item) ? 'listed' : 'open_without_label';
}

/** A repository that is gone, or that our token no longer may see: it does not stop the others. */
export function isVanished(error: unknown): error is ForgeError {
  return error instanceof ForgeError && (error.kind === 'gone' || error.kind === 'forbidden');
}

/** What may concern one repository alone; credentials and rate limits concern the whole forge. */
export function concernsOnePlace(error: unknown): error is ForgeError {
  return error instanceof ForgeError && error.kind !== 'refused' && error.kind !== 'rate';
}

/** One item that cannot be decided on now (403, 5xx) waits for the next tick; the others go on. */
export async function decided<T>(agent: Agent, key: TaskKey, decide: () => Promise<T>): Promise<T | null> {
  try {
    return await decide();
  } catch (error) {
    agent.signal.throwIfAborted();
    if (!(error instanceof ForgeError) || error.kind === 'refused' || error.kind === 'rate') throw error;
    agent.log.write('warning', 'an item could not be decided on now', { task: taskName(key), error: error.message });
    return null;
  }
}
