/** Named and never changed once released: a database remembers by name which ones it has had. */
export const migrations: { name: string; sql: string }[] = [
  {
    name: '001_attempts_and_conversations',
    sql: `
      CREATE TABLE conversations (
        id INTEGER PRIMARY KEY,
        task_source TEXT NOT NULL, owner TEXT NOT NULL, repo TEXT NOT NULL, task_type TEXT NOT NULL, task_id TEXT NOT NULL,
        state TEXT NOT NULL,
        title TEXT NOT NULL, url TEXT NOT NULL, author TEXT NOT NULL, language TEXT NOT NULL,
        last_comment_id TEXT, comment_count INTEGER NOT NULL DEFAULT 0,
        first_processed_at TEXT NOT NULL, last_processed_at TEXT NOT NULL,
        reason TEXT, unfinished INTEGER NOT NULL DEFAULT 0,
        last_comment_at TEXT, seen_updated_at TEXT, cursor TEXT,
        label_event TEXT, wanted_label TEXT, labels_written_at TEXT,
        UNIQUE (task_source, owner, repo, task_type, task_id)
      );
      CREATE INDEX conversations_state ON conversations (state);
      CREATE TABLE tasks (
        uuid TEXT PRIMARY KEY,
        task_source TEXT NOT NULL, owner TEXT NOT NULL, repo TEXT NOT NULL, task_type TEXT NOT NULL, task_id TEXT NOT NULL,
        conversation_id INTEGER NOT NULL REFERENCES conversations (id),
        status TEXT NOT NULL CHECK (status IN ('running', 'completed', 'stopped', 'failed', 'paused')),
        paused_by TEXT CHECK (paused_by IN ('person', 'signal_file', 'parked', 'question')),
        paused_at TEXT, not_before TEXT, park_count INTEGER NOT NULL DEFAULT 0,
        follow_up INTEGER NOT NULL DEFAULT 0,
        created_at TEXT NOT NULL, started_at TEXT NOT NULL, completed_at TEXT,
        process_id INTEGER, hostname TEXT,
        llm_provider TEXT NOT NULL, model TEXT NOT NULL, context_length INTEGER NOT NULL,
        llm_call_count INTEGER NOT NULL DEFAULT 0, turn_count INTEGER NOT NULL DEFAULT 0,
        tool_call_count INTEGER NOT NULL DEFAULT 0, total_tokens INTEGER NOT NULL DEFAULT 0,
        compression_count INTEGER NOT NULL DEFAULT 0, compression_tokens INTEGER NOT NULL DEFAULT 0,
        worked_ms INTEGER NOT NULL DEFAULT 0,
        error_message TEXT, outcome TEXT, user TEXT NOT NULL,
        last_seq INTEGER NOT NULL DEFAULT 0, progress TEXT NOT NULL DEFAULT '{}',
        phase TEXT, last_message TEXT, take_ups INTEGER NOT NULL DEFAULT 0
      );
      CREATE INDEX tasks_key ON tasks (task_source, owner, repo, task_type, task_id);
      CREATE UNIQUE INDEX tasks_one_unsettled ON tasks (task_source, owner, repo, task_type, task_id)
        WHERE status IN ('running', 'paused');
      CREATE TABLE comments (
        conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        thread TEXT NOT NULL DEFAULT 'item', kind TEXT NOT NULL, id TEXT NOT NULL,
        updated_at TEXT NOT NULL, fate TEXT NOT NULL,
        PRIMARY KEY (conversation_id, thread, kind, id)
      ) WITHOUT ROWID;
      CREATE TABLE outbox (
        id INTEGER PRIMARY KEY,
        conversation_id INTEGER NOT NULL REFERENCES conversations (id),
        attempt TEXT NOT NULL, kind TEXT NOT NULL, n INTEGER NOT NULL,
        body TEXT NOT NULL, sent_body TEXT, comment_id TEXT,
        tries INTEGER NOT NULL DEFAULT 0, dropped INTEGER NOT NULL DEFAULT 0,
        UNIQUE (attempt, kind, n)
      );
      CREATE INDEX outbox_conversation ON outbox (conversation_id, id);
      CREATE INDEX outbox_unsent ON outbox (conversation_id) WHERE dropped = 0 AND (sent_body IS NULL OR sent_body <> body);
      CREATE TABLE entries (
        attempt TEXT NOT NULL, n INTEGER NOT NULL, at TEXT NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (attempt, n)
      ) WITHOUT ROWID;
      CREATE TABLE wishes (
        conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        wish TEXT NOT NULL, made_at TEXT NOT NULL,
        PRIMARY KEY (conversation_id, wish)
      ) WITHOUT ROWID;
      CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE responses (key TEXT PRIMARY KEY, url TEXT NOT NULL, etag TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE servers (pid INTEGER PRIMARY KEY, start_time TEXT NOT NULL, name TEXT NOT NULL);
      CREATE TABLE usage (day TEXT PRIMARY KEY, tokens INTEGER NOT NULL) WITHOUT ROWID;
    `,
  },
  {
    name: '002_body_of_a_comment',
    sql: 'ALTER TABLE comments ADD COLUMN body_hash TEXT',
  },
  {
    name: '003_tasks_by_conversation',
    sql: 'CREATE INDEX tasks_conversation ON tasks (conversation_id, created_at)',
  },
];
