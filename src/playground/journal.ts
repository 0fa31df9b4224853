import type { Source } from '../task/key.js';

/** One request that reached the playground. */
export interface JournalEntry {
  forge: Source;
  method: string;
  /** With the query. */
  path: string;
  /** Null: not answered (yet), the connection was dropped or hangs. */
  status: number | null;
  /** Whose token it carried; null: nobody's. */
  user: string | null;
  /** It carried `If-None-Match`. */
  conditional: boolean;
  body?: Record<string, unknown>;
  at: number;
}

/** Every request in the order of arrival. */
export type Journal = JournalEntry[] & { clear(): void };

export function createJournal(): Journal {
  const entries: JournalEntry[] = [];
  return Object.assign(entries, { clear: () => void entries.splice(0) });
}
