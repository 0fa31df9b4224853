import { localDay } from '../lib/clock.js';
import type { AttemptRow, Conversation, MessageLine, Store } from '../records.js';
import type { Db } from './database.js';
import { assignments, fromRow, insertSql, keyColumns, keyFromRow, toColumns, type Fields } from './rows.js';

const FIELDS: Fields = {
  uuid: 'plain',
  conversationId: 'plain',
  status: 'plain',
  pausedBy: 'plain',
  pausedAt: 'time',
  notBefore: 'time',
  parkCount: 'plain',
  followUp: 'bool',
  createdAt: 'time',
  startedAt: 'time',
  completedAt: 'time',
  llmProvider: 'plain',
  model: 'plain',
  contextLength: 'plain',
  llmCallCount: 'plain',
  turnCount: 'plain',
  toolCallCount: 'plain',
  totalTokens: 'plain',
  compressionCount: 'plain',
  compressionTokens: 'plain',
  workedMs: 'plain',
  errorMessage: 'plain',
  outcome: 'plain',
  user: 'plain',
  lastSeq: 'plain',
  progress: 'json',
  phase: 'plain',
  lastMessage: 'plain',
  takeUps: 'plain',
};

/** Who works on attempts opened here: `process_id` and `hostname` of the rows. */
export interface Worker {
  pid: number;
  hostname: string;
}

/** What a message does beyond the row of its attempt. */
type Neighbours = Pick<Store, 'comments' | 'conversations' | 'usage'>;

export function attemptsIn(db: Db, worker: Worker, neighbours: Neighbours): Store['attempts'] {
  const { comments, conversations, usage } = neighbours;
  const select = (condition: string, values: object = {}): AttemptRow[] =>
    db.prepare(`SELECT * FROM tasks ${condition}`).all(values).map(attemptFrom);
  const get = (uuid: string): AttemptRow | null => select('WHERE uuid = @uuid', { uuid })[0] ?? null;
  const update = (uuid: string, change: Partial<AttemptRow>): void => {
    const columns = { ...toColumns(change, FIELDS), process_id: worker.pid, hostname: worker.hostname };
    db.prepare(`UPDATE tasks SET ${assignments(columns)} WHERE uuid = @uuid`).run({ ...columns, uuid });
  };

  return {
    get,
    update,
    byPrefix: (prefix) =>
      select('WHERE substr(uuid, 1, length(@prefix)) = @prefix ORDER BY created_at DESC', {
        prefix: prefix.toLowerCase(),
      }),
    unsettled: () => select("WHERE status IN ('running', 'paused') ORDER BY created_at, rowid"),
    unsettledOf: (conversationId) =>
      select("WHERE conversation_id = @conversationId AND status IN ('running', 'paused')", { conversationId })[0] ??
      null,
    ofConversation: (conversationId) =>
      select('WHERE conversation_id = @conversationId ORDER BY rowid DESC', { conversationId }),
    create(row) {
      const columns = {
        ...keyColumns(row.key),
        ...toColumns(row, FIELDS),
        process_id: worker.pid,
        hostname: worker.hostname,
      };
      db.prepare(insertSql('tasks', columns)).run(columns);
    },
    applyMessage: (uuid, line) =>
      db.transaction(() => {
        const row = get(uuid);
        if (!row || line.seq <= row.lastSeq) return;
        update(uuid, effectOf(line, row));
        if (isReply(line)) usage.add(localDay(Date.parse(line.timestamp)), costOf(line));
        if (line.comments) comments.record(row.conversationId, line.comments);
        conversations.update(row.conversationId, commentRead(line));
      })(),
    delete: (uuid) =>
      db.transaction(() => {
        // What stands in the thread stays known by its id: it must not be taken for a person's words.
        db.prepare('DELETE FROM outbox WHERE attempt = ? AND comment_id IS NULL').run(uuid);
        db.prepare("UPDATE outbox SET body = '', sent_body = '' WHERE attempt = ?").run(uuid);
        db.prepare('DELETE FROM entries WHERE attempt = ?').run(uuid);
        db.prepare('DELETE FROM tasks WHERE uuid = ?').run(uuid);
      })(),
  };
}

/** What a message in the file means for the row of its attempt. */
function effectOf(line: MessageLine, row: AttemptRow): Partial<AttemptRow> {
  const change: Partial<AttemptRow> = { lastSeq: line.seq, takeUps: 0, parkCount: 0 };
  if (isReply(line)) {
    change.llmCallCount = row.llmCallCount + line.calls!;
    change.turnCount = row.turnCount + 1;
    change.totalTokens = row.totalTokens + costOf(line);
  }
  if (line.tool_seq) change.toolCallCount = line.tool_seq;
  if (line.progress) change.progress = { ...row.progress, ...line.progress };
  return change;
}

function commentRead({ comment_ids: ids, timestamp }: MessageLine): Partial<Conversation> {
  const newest = ids?.at(-1);
  return newest ? { lastCommentId: newest, lastCommentAt: Date.parse(timestamp) } : {};
}

function isReply({ role, calls }: MessageLine): boolean {
  return role === 'assistant' && Boolean(calls);
}

function costOf({ usage, tokens, estimated = tokens }: MessageLine): number {
  return usage ? usage.prompt + usage.completion : estimated;
}

function attemptFrom(row: unknown): AttemptRow {
  return { ...fromRow<Omit<AttemptRow, 'key'>>(row, FIELDS), key: keyFromRow(row) };
}
