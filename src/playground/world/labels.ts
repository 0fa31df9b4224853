import { addPerson } from './people.js';
import { ensureLabel, itemAt, type ItemRef } from './repositories.js';
import { nextId, sameLabel, type Item, type State } from './state.js';

export function label(state: State, path: string, ref: ItemRef, name: string, by: string): void {
  changeLabels(state, itemAt(state, path, ref), { add: [name], remove: [], by });
}

export function unlabel(state: State, path: string, ref: ItemRef, name: string, by: string): void {
  changeLabels(state, itemAt(state, path, ref), { add: [], remove: [name], by });
}

/** One request's worth of label changes: an event for each, one line of history; what is already so is left alone. */
export function changeLabels(
  state: State,
  item: Item,
  change: { add: string[]; remove: string[]; by: string; at?: number },
): void {
  const at = change.at ?? state.now();
  const add = namesToAdd(state, item, change.add);
  const remove = item.labels.filter((have) => change.remove.some((name) => sameLabel(state, name, have)));
  if (add.length + remove.length === 0) return;
  addPerson(state, change.by);
  for (const name of add) item.events.push({ id: nextId(state), kind: 'labeled', actor: change.by, at, label: name });
  for (const name of remove)
    item.events.push({ id: nextId(state), kind: 'unlabeled', actor: change.by, at, label: name });
  item.labels = [...item.labels, ...add].filter((name) => !remove.includes(name));
  item.labelHistory.push({ at, labels: [...item.labels] });
  item.updatedAt = at;
}

function namesToAdd(state: State, item: Item, names: string[]): string[] {
  const wanted = names.map((name) => ensureLabel(state, item.repository, name).name);
  return [...new Set(wanted)].filter((name) => !item.labels.includes(name));
}
