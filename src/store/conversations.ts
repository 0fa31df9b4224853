import type { Conversation, ConversationState, Store } from '../records.js';
import type { Db } from './database.js';
import {
  assignments,
  fromRow,
  insertSql,
  KEY_CONDITION,
  keyColumns,
  keyFromRow,
  toColumns,
  type Fields,
} from './rows.js';

const FIELDS: Fields = {
  id: 'plain',
  state: 'plain',
  title: 'plain',
  url: 'plain',
  author: 'plain',
  language: 'plain',
  lastCommentId: 'plain',
  commentCount: 'plain',
  firstProcessedAt: 'time',
  lastProcessedAt: 'time',
  reason: 'plain',
  unfinished: 'bool',
  lastCommentAt: 'time',
  seenUpdatedAt: 'plain',
  cursor: 'plain',
  labelEvent: 'json',
  wantedLabel: 'plain',
  labelsWrittenAt: 'time',
};

export function conversationsIn(db: Db): Store['conversations'] {
  const select = (condition: string, values: object = {}): Conversation[] =>
    db.prepare(`SELECT * FROM conversations ${condition}`).all(values).map(conversationFrom);

  return {
    find: (key) => select(`WHERE ${KEY_CONDITION}`, keyColumns(key))[0] ?? null,
    get(id) {
      const found = select('WHERE id = @id', { id })[0];
      if (!found) throw new Error(`conversation ${id} is not in the database`);
      return found;
    },
    all: () => select('ORDER BY last_processed_at DESC, id DESC'),
    inState: (...states: ConversationState[]) =>
      select('WHERE state IN (SELECT value FROM json_each(@states)) ORDER BY first_processed_at, id', {
        states: JSON.stringify(states),
      }),
    withUnwritten: () =>
      select(
        `WHERE wanted_label IS NOT NULL OR id IN (
           SELECT conversation_id FROM outbox WHERE dropped = 0 AND (sent_body IS NULL OR sent_body <> body))
         ORDER BY id`,
      ),
    create(conversation) {
      const columns = { ...keyColumns(conversation.key), ...toColumns(conversation, FIELDS) };
      const { lastInsertRowid } = db.prepare(insertSql('conversations', columns)).run(columns);
      return { ...conversation, id: Number(lastInsertRowid) };
    },
    update(id, change) {
      const columns = toColumns(change, FIELDS);
      if (Object.keys(columns).length === 0) return;
      db.prepare(`UPDATE conversations SET ${assignments(columns)} WHERE id = @id`).run({ ...columns, id });
    },
  };
}

function conversationFrom(row: unknown): Conversation {
  return { ...fromRow<Omit<Conversation, 'key'>>(row, FIELDS), key: keyFromRow(row) };
}
