import type { Comment, CommentCursor, Log } from '../ports.js';
import { taskName, type TaskKey } from '../task/key.js';
import { fieldsOf, idOf } from './fields.js';

/** How an answer is read: undefined is malformed, null is nothing to report (a system note, an empty body). */
export type ReadComment = (value: unknown) => Comment | null | undefined;

const OVERLAP_MS = 60_000;

/** From when on comments are asked for: a minute before the cursor, since clocks and replicas differ. */
export function sinceOf(cursor: CommentCursor | null): string | null {
  if (!cursor) return null;
  const since = new Date(Date.parse(cursor.updatedAt) - OVERLAP_MS);
  return since.toISOString().replace(/\.\d+Z$/, 'Z');
}

export function isSince(comment: Comment, since: string | null): boolean {
  return since === null || Date.parse(comment.updatedAt) >= Date.parse(since);
}

/** Reads comments one by one: a malformed one is a warning, the others count. */
export function readComments(items: unknown[], read: ReadComment, key: TaskKey, log: Log): Comment[] {
  return items.flatMap((item) => {
    const comment = read(item);
    if (comment === undefined) {
      const id = idOf(fieldsOf(item).id) ?? null;
      log.write('warning', 'malformed comment skipped', { task: taskName(key), id });
    }
    return comment ?? [];
  });
}

export function oldestFirst(comments: Comment[]): Comment[] {
  return comments.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || compareIds(a.id, b.id));
}

function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

export function newestOf(comments: Comment[], wanted: (comment: Comment) => boolean): Comment | null {
  return oldestFirst(comments.filter(wanted)).at(-1) ?? null;
}
