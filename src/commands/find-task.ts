import type { Config } from '../config/config.js';
import { OperatorError } from '../lib/exit.js';
import type { Conversation, Store } from '../records.js';
import { sameTask, taskName, type TaskKey } from '../task/key.js';
import { hostOf, parseTaskName, type Host, type TaskRef } from '../task/name.js';

export interface FoundTask {
  key: TaskKey;
  conversation: Conversation | null;
}

/** The conversation that a `<task>` argument means. */
export function findConversation(name: string, config: Config, store: Store): FoundTask {
  const found = lookUpConversation(name, config, store);
  if (!found) throw unknownTask(name);
  return found;
}

/** The same, or null where there is none; `others` are keys that are known without one. */
export function lookUpConversation(
  name: string,
  config: Config,
  store: Store,
  others: TaskKey[] = [],
): FoundTask | null {
  const ref = parseTaskName(name, hostsOf(config));
  const candidates = ref.kind === 'uuid' ? byUuid(ref.prefix, store) : byItem(ref, store, others);
  const [only, second] = candidates;
  if (second) throw ambiguous(name, candidates);
  return only ? { key: only, conversation: store.conversations.find(only) } : null;
}

export function hostsOf(config: Config): Host[] {
  return config.taskSources.map((source) => hostOf(source, config[source]!.apiUrl));
}

function byUuid(prefix: string, store: Store): TaskKey[] {
  return distinct(store.attempts.byPrefix(prefix).map((row) => row.key));
}

function byItem(ref: TaskRef & { kind: 'item' }, store: Store, others: TaskKey[]): TaskKey[] {
  const known = [...store.conversations.all().map((conversation) => conversation.key), ...others];
  return distinct(
    known.filter(
      (key) =>
        key.id === ref.id &&
        `${key.owner}/${key.repo}`.toLowerCase() === ref.path.toLowerCase() &&
        (ref.source === undefined || ref.source === key.source) &&
        (ref.type === undefined || ref.type === key.type),
    ),
  );
}

function distinct(keys: TaskKey[]): TaskKey[] {
  return keys.filter((key, at) => keys.findIndex((other) => sameTask(key, other)) === at);
}

export function unknownTask(name: string): OperatorError {
  return new OperatorError(`No task is known as ${name}.`, {
    details: ['It was never worked on here, and it does not wait for work now.'],
    fix: '`agent status` lists the tasks; put the request label on an item to make it one.',
  });
}

function ambiguous(name: string, keys: TaskKey[]): OperatorError {
  return new OperatorError(`${name} may mean several tasks.`, {
    details: keys.map((key) => `${key.source}:${taskName(key)} (${key.type})`),
    fix: 'Write github: or gitlab: in front, the whole URL, or more of the uuid.',
  });
}
