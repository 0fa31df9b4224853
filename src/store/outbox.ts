import type { OutboxRow, Store } from '../records.js';
import type { Db } from './database.js';
import { assignments, fromRow, keyFromRow, toColumns, type Fields } from './rows.js';

const FIELDS: Fields = {
  id: 'plain',
  conversationId: 'plain',
  attempt: 'plain',
  kind: 'plain',
  n: 'plain',
  body: 'plain',
  sentBody: 'plain',
  commentId: 'plain',
  tries: 'plain',
  dropped: 'bool',
};

const SELECT = `SELECT outbox.*, task_source, owner, repo, task_type, task_id
  FROM outbox JOIN conversations ON conversations.id = outbox.conversation_id`;

export function outboxIn(db: Db): Store['outbox'] {
  const select = (condition: string, values: object): OutboxRow[] =>
    db.prepare(`${SELECT} ${condition}`).all(values).map(outboxRowFrom);
  const find: Store['outbox']['find'] = (attempt, kind, n) =>
    select('WHERE attempt = @attempt AND kind = @kind AND n = @n', { attempt, kind, n })[0] ?? null;

  return {
    find,
    put(post) {
      db.prepare(
        `INSERT INTO outbox (conversation_id, attempt, kind, n, body) VALUES (@conversationId, @attempt, @kind, @n, @body)
         ON CONFLICT (attempt, kind, n) DO UPDATE SET body = excluded.body`,
      ).run(post);
      return find(post.attempt, post.kind, post.n)!;
    },
    unsent: (conversationId) =>
      select(
        `WHERE outbox.conversation_id = @conversationId AND dropped = 0 AND (sent_body IS NULL OR sent_body <> body)
         ORDER BY outbox.id`,
        { conversationId },
      ),
    ofConversation: (conversationId) =>
      select('WHERE outbox.conversation_id = @conversationId ORDER BY outbox.id', { conversationId }),
    hasComment: (conversationId, commentId) =>
      db.prepare('SELECT 1 FROM outbox WHERE conversation_id = ? AND comment_id = ?').get(conversationId, commentId) !==
      undefined,
    update(id, change) {
      const columns = toColumns(change, FIELDS);
      db.prepare(`UPDATE outbox SET ${assignments(columns)} WHERE id = @id`).run({ ...columns, id });
    },
  };
}

function outboxRowFrom(row: unknown): OutboxRow {
  return { ...fromRow<Omit<OutboxRow, 'key'>>(row, FIELDS), key: keyFromRow(row) };
}
