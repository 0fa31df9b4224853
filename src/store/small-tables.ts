import type { Clock } from '../ports.js';
import type { SeenComment, Store, Wish } from '../records.js';
import type { Db } from './database.js';

/** The tables that need no mapping of their own. */

export function commentsIn(db: Db): Store['comments'] {
  return {
    fateOf(conversationId, { kind, id }) {
      const row = db
        .prepare<[number, string, string], CommentRow>(
          'SELECT updated_at, fate, body_hash FROM comments WHERE conversation_id = ? AND kind = ? AND id = ?',
        )
        .get(conversationId, kind, id);
      return row ? seenFrom(row, kind, id) : null;
    },
    record(conversationId, comments) {
      const insert = db.prepare(
        `INSERT INTO comments (conversation_id, kind, id, updated_at, fate, body_hash) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET updated_at = excluded.updated_at, fate = excluded.fate, body_hash = excluded.body_hash`,
      );
      db.transaction(() => {
        for (const { kind, id, updatedAt, fate, bodyHash = null } of comments)
          insert.run(conversationId, kind, id, updatedAt, fate, bodyHash);
      })();
    },
    count: (conversationId) =>
      db
        .prepare<[number], { n: number }>('SELECT count(*) AS n FROM comments WHERE conversation_id = ?')
        .get(conversationId)!.n,
  };
}

interface CommentRow {
  updated_at: string;
  fate: SeenComment['fate'];
  body_hash: string | null;
}

function seenFrom(row: CommentRow, kind: SeenComment['kind'], id: string): SeenComment {
  const seen: SeenComment = { kind, id, updatedAt: row.updated_at, fate: row.fate };
  return row.body_hash === null ? seen : { ...seen, bodyHash: row.body_hash };
}

export function entriesIn(db: Db): Store['entries'] {
  return {
    add: (attempt, { n, at, text }) =>
      void db
        .prepare('INSERT OR IGNORE INTO entries VALUES (?, ?, ?, ?)')
        .run(attempt, n, new Date(at).toISOString(), text),
    newest: (attempt, limit) =>
      db
        .prepare<[string, number], { n: number; at: string; text: string }>(
          'SELECT n, at, text FROM entries WHERE attempt = ? ORDER BY n DESC LIMIT ?',
        )
        .all(attempt, limit)
        .map((row) => ({ n: row.n, at: Date.parse(row.at), text: row.text }))
        .reverse(),
    count: (attempt) =>
      db.prepare<[string], { n: number }>('SELECT count(*) AS n FROM entries WHERE attempt = ?').get(attempt)!.n,
  };
}

export function wishesIn(db: Db, clock: Clock): Store['wishes'] {
  return {
    add: (conversationId, wish) =>
      void db
        .prepare('INSERT OR IGNORE INTO wishes VALUES (?, ?, ?)')
        .run(conversationId, wish, new Date(clock.now()).toISOString()),
    of: (conversationId) =>
      db
        .prepare<[number], { wish: Wish }>('SELECT wish FROM wishes WHERE conversation_id = ? ORDER BY made_at')
        .all(conversationId)
        .map((row) => row.wish),
    all: () =>
      db
        .prepare<[], { conversation_id: number; wish: Wish }>('SELECT * FROM wishes ORDER BY made_at')
        .all()
        .map((row) => ({ conversationId: row.conversation_id, wish: row.wish })),
    take: (conversationId, wish) =>
      void db.prepare('DELETE FROM wishes WHERE conversation_id = ? AND wish = ?').run(conversationId, wish),
  };
}

export function factsIn(db: Db): Store['facts'] {
  return {
    get: (key) =>
      db.prepare<[string], { value: string }>('SELECT value FROM facts WHERE key = ?').get(key)?.value ?? null,
    set: (key, value) => void db.prepare('INSERT OR REPLACE INTO facts VALUES (?, ?)').run(key, value),
  };
}

export function responsesIn(db: Db): Store['cache'] {
  return {
    get: (key) =>
      db
        .prepare<[string], { url: string; etag: string; body: string }>(
          'SELECT url, etag, body FROM responses WHERE key = ?',
        )
        .get(key) ?? null,
    set: (key, entry) =>
      void db
        .prepare('INSERT OR REPLACE INTO responses VALUES (?, ?, ?, ?)')
        .run(key, entry.url, entry.etag, entry.body),
  };
}

export function serversIn(db: Db): Store['servers'] {
  return {
    record: ({ pid, startTime, name }) =>
      void db.prepare('INSERT OR REPLACE INTO servers VALUES (?, ?, ?)').run(pid, startTime, name),
    forget: (pid) => void db.prepare('DELETE FROM servers WHERE pid = ?').run(pid),
    list: () =>
      db
        .prepare<[], { pid: number; start_time: string; name: string }>('SELECT * FROM servers')
        .all()
        .map((row) => ({ pid: row.pid, startTime: row.start_time, name: row.name })),
  };
}

export function usageIn(db: Db): Store['usage'] {
  return {
    add: (day, tokens) =>
      void db
        .prepare('INSERT INTO usage VALUES (?, ?) ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens')
        .run(day, tokens),
    of: (day) =>
      db.prepare<[string], { tokens: number }>('SELECT tokens FROM usage WHERE day = ?').get(day)?.tokens ?? 0,
  };
}
