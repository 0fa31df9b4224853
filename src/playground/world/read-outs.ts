import { itemAt, type ItemRef } from './repositories.js';
import type { Item, Note, NoteKind, State } from './state.js';

/** A comment as a reader of the thread sees it. */
interface CommentView {
  id: number;
  kind: NoteKind;
  author: string;
  body: string;
  createdAt: number;
  updatedAt: number;
  reactions: { content: string; author: string }[];
}

type ItemView = Pick<Item, 'number' | 'kind' | 'title' | 'body' | 'author' | 'state'> &
  Pick<Item, 'labels' | 'assignees' | 'createdAt' | 'updatedAt'>;

export function item(state: State, path: string, ref: ItemRef): ItemView {
  const found = itemAt(state, path, ref);
  const { number, kind, title, body, author, createdAt, updatedAt } = found;
  const lists = { labels: [...found.labels], assignees: [...found.assignees] };
  return { number, kind, title, body, author, state: found.state, createdAt, updatedAt, ...lists };
}

/** What people and bots wrote, oldest first; system notes are left out. */
export function comments(state: State, path: string, ref: ItemRef): CommentView[] {
  const { notes } = itemAt(state, path, ref);
  return notes.filter((note) => note.kind !== 'system').map(commentView);
}

function commentView(note: Note): CommentView {
  const { id, kind, author, body, createdAt, updatedAt } = note;
  const reactions = note.reactions.map((reaction) => ({ content: reaction.content, author: reaction.author }));
  return { id, kind, author, body, createdAt, updatedAt, reactions };
}

export function labels(state: State, path: string, ref: ItemRef): string[] {
  return [...itemAt(state, path, ref).labels];
}

/** The labels the item had, from its creation on: one entry for each change. */
export function labelHistory(state: State, path: string, ref: ItemRef): { at: number; labels: string[] }[] {
  return itemAt(state, path, ref).labelHistory.map(({ at, labels }) => ({ at, labels: [...labels] }));
}
