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
  const candidates = byPage(name, store) ?? byRef(parseTaskName(name, hostsOf(config)), store, others);
  const [only, second] = candidates;
  if (second) throw ambiguous(name, candidates);
  return only ? { key: only, conversation: store.conversations.find(only) } : null;
}

export function hostsOf(config: Config): Host[] {
  return config.taskSources.map((source) => hostOf(source, config[source]!.apiUrl));
}

/** The address that the forge itself gave, whose host need not be that of the API. */
function byPage(name: string, store: Store): TaskKey[] | null {
  const address = name.trim().replace(/[?#].*$/, '');
  const known = store.conversations.all().find(({ url }) => url.toLowerCase() === address.toLowerCase());
  return known ? [known.key] : null;
}

function byRef(ref: TaskRef, store: Store, others: TaskKey[]): TaskKey[] {
  return ref.kind === 'uuid' ? byUuid(ref, store) : byItem(ref, store, others);
}

function byUuid({ prefix, source }: TaskRef & { kind: 'uuid' }, store: Store): TaskKey[] {
  const keys = store.attempts.byPrefix(prefix).map((row) => row.key);
  return distinct(keys.filter((key) => source === undefined || source === key.source));
}

function byItem(ref: TaskRef & { kind: 'item' }, store: Store, others: TaskKey[]): TaskKey[] {
  const known = [...store.conversations.all().map((conversation) => conversation.key), ...others];
  return distinct(
    known.filter(
      (key) =>
        key.id === ref.id &&
        `${key.owner}/${key.repo}`.toLowerCase() === ref.path.toLowerCase() &&
        (ref.source === undefined || ref.source === key.source) &&
        (ref.type === undefined ? key.type !== 'merge_request' : ref.type === key.type), // those are named with !
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
