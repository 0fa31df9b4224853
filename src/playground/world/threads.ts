import { addPerson } from './people.js';
import { itemAt, type ItemRef } from './repositories.js';
import { nextId, type Item, type Note, type Reaction, type ReviewState, type State } from './state.js';

const TOUCH_INTERVAL_MS = 60_000;

interface NewNote {
  author: string;
  body: string;
  at?: number;
}

/** Writes a comment as somebody; returns its id. */
export function comment(state: State, path: string, ref: ItemRef, input: NewNote): number {
  return addNote(state, itemAt(state, path, ref), { kind: 'comment', ...input }).id;
}

export function addReviewComment(
  state: State,
  path: string,
  ref: ItemRef,
  input: NewNote & { file: string; line: number },
): number {
  return addNote(state, itemAt(state, path, ref), { kind: 'review_comment', ...input }).id;
}

export function addReview(state: State, path: string, ref: ItemRef, input: NewNote & { state?: ReviewState }): number {
  const { state: reviewState = 'COMMENTED', ...note } = input;
  return addNote(state, itemAt(state, path, ref), { kind: 'review', reviewState, ...note }).id;
}

/** GitLab tells of changes in the thread itself; GitHub has events for them. */
export function addSystemNote(state: State, item: Item, author: string, body: string): void {
  if (state.forge === 'gitlab') addNote(state, item, { kind: 'system', author, body });
}

type NoteFields = Pick<Note, 'kind' | 'author' | 'body'> & Partial<Pick<Note, 'file' | 'line' | 'reviewState'>>;

export function addNote(state: State, item: Item, input: NoteFields & { at?: number }): Note {
  addPerson(state, input.author);
  const { at = state.now(), ...fields } = input;
  const note: Note = { ...fields, id: nextId(state), item, createdAt: at, updatedAt: at, reactions: [] };
  item.notes.push(note);
  state.notes.set(note.id, note);
  touch(state, item, at);
  return note;
}

export function editComment(state: State, id: number, body: string): void {
  const note = noteAt(state, id);
  note.body = body;
  note.updatedAt = state.now();
  touch(state, note.item, note.updatedAt);
}

export function deleteComment(state: State, id: number): void {
  const { item } = noteAt(state, id);
  item.notes = item.notes.filter((note) => note.id !== id);
  touch(state, item, state.now());
  state.notes.delete(id);
}

export function react(state: State, id: number, content: string, author: string): Reaction {
  const note = noteAt(state, id);
  const reaction: Reaction = { id: nextId(state), content, author: addPerson(state, author).login, at: state.now() };
  note.reactions.push(reaction);
  if (state.forge === 'gitlab') note.updatedAt = reaction.at; // Note#bump_updated_at, called by AwardEmoji
  return reaction;
}

export function findReaction(note: Note, content: string, author: string): Reaction | undefined {
  return note.reactions.find((reaction) => reaction.content === content && reaction.author === author);
}

/** GitLab's ThrottledTouch: what happens in the thread shows in its item at most once a minute. */
function touch({ forge }: State, item: Item, at: number): void {
  if (forge === 'gitlab' && at - item.updatedAt <= TOUCH_INTERVAL_MS) return;
  item.updatedAt = Math.max(item.updatedAt, at);
}

function noteAt(state: State, id: number): Note {
  const note = state.notes.get(id);
  if (!note) throw new Error(`The playground's ${state.forge} has no comment ${id}.`);
  return note;
}
