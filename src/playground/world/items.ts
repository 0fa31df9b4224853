import { changeLabels } from './labels.js';
import { addPerson } from './people.js';
import { itemAt, repositoryAt, type ItemRef } from './repositories.js';
import { nextId, type ChangedFile, type Item, type ItemEvent, type Repository, type State } from './state.js';
import { addSystemNote } from './threads.js';

interface NewItem {
  title: string;
  body?: string;
  author: string;
  labels?: string[];
  /** Who puts the labels on; the author unless said. */
  by?: string;
  createdAt?: number;
}

interface NewChange extends NewItem {
  head: string;
  base: string;
  files?: ChangedFile[];
}

export function addIssue(state: State, path: string, input: NewItem): number {
  return addItem(state, repositoryAt(state, path), 'issue', input).number;
}

/** A pull request (its number counted with the issues) or a merge request (counted by itself). */
export function addChange(state: State, path: string, input: NewChange): number {
  const item = addItem(state, repositoryAt(state, path), 'change', input);
  item.branches = { head: input.head, base: input.base };
  item.files = input.files ?? [];
  return item.number;
}

function addItem(state: State, repository: Repository, kind: Item['kind'], input: NewItem): Item {
  addPerson(state, input.author);
  const at = input.createdAt ?? state.now();
  const item: Item = {
    ...{ id: nextId(state), number: nextNumber(state, repository, kind), kind, repository },
    ...{ title: input.title, body: input.body ?? '', author: input.author },
    ...{ state: 'open', deleted: false, closedAt: null, closedBy: null, createdAt: at, updatedAt: at },
    ...{ labels: [], assignees: [], notes: [], events: [], labelHistory: [{ at, labels: [] }] },
    ...{ branches: { head: '', base: '' }, files: [] },
  };
  repository.items.push(item);
  changeLabels(state, item, { add: input.labels ?? [], remove: [], by: input.by ?? input.author, at });
  return item;
}

function nextNumber(state: State, repository: Repository, kind: Item['kind']): number {
  const counted = repository.items.filter((item) => state.forge === 'github' || item.kind === kind);
  return Math.max(0, ...counted.map((item) => item.number)) + 1;
}

export function close(state: State, path: string, ref: ItemRef, by: string): void {
  setItemState(state, itemAt(state, path, ref), 'closed', by);
}

export function reopen(state: State, path: string, ref: ItemRef, by: string): void {
  setItemState(state, itemAt(state, path, ref), 'open', by);
}

export function merge(state: State, path: string, ref: ItemRef, by: string): void {
  setItemState(state, itemAt(state, path, ref), 'merged', by);
}

export function setItemState(state: State, item: Item, wanted: Item['state'], by: string): void {
  if (item.state === wanted) return;
  const open = wanted === 'open';
  const at = state.now();
  Object.assign(item, { state: wanted, closedAt: open ? null : at, closedBy: open ? null : by });
  record(state, item, { kind: open ? 'reopened' : wanted, actor: by });
  if (wanted === 'merged' && state.forge === 'github') record(state, item, { kind: 'closed', actor: by });
  addSystemNote(state, item, by, open ? 'reopened' : wanted);
}

export function assign(state: State, path: string, ref: ItemRef, login: string, by: string): void {
  assignTo(state, itemAt(state, path, ref), login, by);
}

export function assignTo(state: State, item: Item, login: string, by: string): void {
  const person = addPerson(state, login);
  if (item.assignees.includes(person.login)) return;
  item.assignees.push(person.login);
  record(state, item, { kind: 'assigned', actor: by, assignee: person.login });
  addSystemNote(state, item, by, `assigned to @${person.login}`);
}

export function unassign(state: State, path: string, ref: ItemRef, login: string, by: string): void {
  unassignFrom(state, itemAt(state, path, ref), login, by);
}

export function unassignFrom(state: State, item: Item, login: string, by: string): void {
  const assignee = item.assignees.find((one) => one.toLowerCase() === login.toLowerCase());
  if (!assignee) return;
  item.assignees = item.assignees.filter((one) => one !== assignee);
  record(state, item, { kind: 'unassigned', actor: by, assignee });
  addSystemNote(state, item, by, `unassigned @${assignee}`);
}

export function editItem(
  state: State,
  path: string,
  ref: ItemRef,
  change: { title?: string; body?: string },
  by: string,
): void {
  rewriteItem(state, itemAt(state, path, ref), change, by);
}

export function rewriteItem(state: State, item: Item, change: { title?: string; body?: string }, by: string): void {
  const { title, body } = change;
  if (title !== undefined && title !== item.title) {
    record(state, item, { kind: 'renamed', actor: by, rename: { from: item.title, to: title } });
    addSystemNote(state, item, by, `changed title from **{-${item.title}-}** to **{+${title}+}**`);
    item.title = title;
  }
  if (body === undefined || body === item.body) return;
  item.body = body;
  item.updatedAt = state.now();
  addSystemNote(state, item, by, 'changed the description');
}

/** GitHub answers 410 for it from now on, GitLab 404. */
export function deleteItem(state: State, path: string, ref: ItemRef): void {
  itemAt(state, path, ref).deleted = true;
}

function record(state: State, item: Item, event: Omit<ItemEvent, 'id' | 'at'>): void {
  const at = state.now();
  addPerson(state, event.actor);
  item.events.push({ id: nextId(state), at, ...event });
  item.updatedAt = at;
}
