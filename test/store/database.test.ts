import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { OperatorError } from '../../src/lib/exit.js';
import { attemptsIn } from '../../src/store/attempts.js';
import { conversationsIn } from '../../src/store/conversations.js';
import { openDatabase, openDatabaseReadonly } from '../../src/store/database.js';
import { migrations } from '../../src/store/migrations.js';
import { commentsIn, usageIn } from '../../src/store/small-tables.js';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'store-'))));
afterEach(() => rmSync(dir, { recursive: true }));

function columnsOf(db: Database.Database, table: string): string[] {
  return db
    .prepare<[], { name: string }>(`PRAGMA table_info(${table})`)
    .all()
    .map((column) => column.name);
}

/** A database as the first release left it, with a conversation and an attempt in it. */
function oldestDatabase(): void {
  const db = new Database(join(dir, 'tasks.db'));
  db.exec('CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)');
  db.exec(migrations[0]!.sql);
  db.prepare('INSERT INTO migrations VALUES (?, ?)').run(migrations[0]!.name, '2026-01-01T00:00:00Z');
  db.exec(`
    INSERT INTO conversations (id, task_source, owner, repo, task_type, task_id, state, title, url, author, language, first_processed_at, last_processed_at)
      VALUES (1, 'github', 'o', 'r', 'issue', '1', 'completed', 't', 'u', 'alice', 'en', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
    INSERT INTO tasks (uuid, task_source, owner, repo, task_type, task_id, conversation_id, status, created_at, started_at, llm_provider, model, context_length, user)
      VALUES ('u-1', 'github', 'o', 'r', 'issue', '1', 1, 'completed', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 'openai', 'm', 8192, 'me');
  `);
  db.close();
}

describe('the database', () => {
  it('has the tables and columns of the contract', () => {
    const db = openDatabase(dir);
    expect(columnsOf(db, 'tasks')).toEqual(
      expect.arrayContaining(
        `uuid task_source owner repo task_type task_id status created_at started_at completed_at process_id hostname llm_provider
         model context_length llm_call_count tool_call_count total_tokens compression_count error_message user`.split(
          /\s+/,
        ),
      ),
    );
    expect(columnsOf(db, 'conversations')).toEqual(
      expect.arrayContaining(
        'state last_comment_id comment_count first_processed_at last_processed_at author'.split(' '),
      ),
    );
    db.close();
  });

  it('keeps what a power cut must not take: WAL with full syncs', () => {
    const db = openDatabase(dir);
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.pragma('synchronous', { simple: true })).toBe(2);
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
    db.close();
  });

  it('is private to the user, with its side files and its folder', () => {
    const db = openDatabase(join(dir, 'contexts'));
    const files = readdirSync(join(dir, 'contexts'));
    expect(files).toEqual(expect.arrayContaining(['tasks.db', 'tasks.db-wal', 'tasks.db-shm']));
    for (const file of files) expect(statSync(join(dir, 'contexts', file)).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'contexts')).mode & 0o777).toBe(0o700);
    db.close();
  });

  it('has at most one unsettled attempt for a task', () => {
    oldestDatabase();
    const db = openDatabase(dir);
    const again = (uuid: string, status: string): void => {
      db.exec(`INSERT INTO tasks (uuid, task_source, owner, repo, task_type, task_id, conversation_id, status, created_at, started_at, llm_provider, model, context_length, user)
        VALUES ('${uuid}', 'github', 'o', 'r', 'issue', '1', 1, '${status}', 't', 't', 'openai', 'm', 1, 'me')`);
    };
    again('u-2', 'running');
    again('u-3', 'completed');
    expect(() => again('u-4', 'paused')).toThrow(/UNIQUE/);
    db.close();
  });
});

it('finds the attempts of a conversation by an index, so that `agent status` costs what there is to show', () => {
  openDatabase(dir).close();
  const asked: string[] = [];
  const db = new Database(join(dir, 'tasks.db'), { verbose: (sql) => asked.push(String(sql)) });
  const neighbours = { comments: commentsIn(db), conversations: conversationsIn(db), usage: usageIn(db) };
  const attempts = attemptsIn(db, { pid: 1, hostname: 'here' }, neighbours);
  attempts.ofConversation(1);
  attempts.unsettledOf(1);
  expect(asked.splice(0).map((sql) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).get())).toEqual([
    expect.objectContaining({ detail: expect.stringContaining('USING INDEX tasks_conversation') }),
    expect.objectContaining({ detail: expect.stringContaining('USING INDEX tasks_conversation') }),
  ]);
  db.close();
});

it('takes the attempt that was made last for the newest, even where the clock was set back in between', () => {
  oldestDatabase();
  const db = openDatabase(dir);
  db.exec(`INSERT INTO tasks (uuid, task_source, owner, repo, task_type, task_id, conversation_id, status, created_at, started_at, llm_provider, model, context_length, user)
    SELECT 'u-2', task_source, owner, repo, task_type, task_id, 1, status, '2025-12-31T00:00:00Z', started_at, llm_provider, model, context_length, user FROM tasks`);
  const neighbours = { comments: commentsIn(db), conversations: conversationsIn(db), usage: usageIn(db) };
  const attempts = attemptsIn(db, { pid: 1, hostname: 'here' }, neighbours);
  expect(attempts.ofConversation(1).map(({ uuid }) => uuid)).toEqual(['u-2', 'u-1']);
  db.close();
});

describe('migrations', () => {
  it('bring the oldest schema to the newest and keep what is in it', () => {
    oldestDatabase();
    const db = openDatabase(dir);
    const fresh = openDatabase(join(dir, 'fresh'));
    for (const table of ['tasks', 'conversations', 'comments'])
      expect(columnsOf(db, table)).toEqual(columnsOf(fresh, table));
    expect(db.prepare('SELECT status FROM tasks').all()).toEqual([{ status: 'completed' }]);
    db.close();
    fresh.close();
  });

  it('are applied once and remembered by name', () => {
    openDatabase(dir).close();
    const db = openDatabase(dir);
    const names = db
      .prepare<[], { name: string }>('SELECT name FROM migrations ORDER BY name')
      .all()
      .map((row) => row.name);
    expect(names).toEqual(migrations.map((migration) => migration.name).sort());
    db.close();
  });

  it('of a newer version are a reason to refuse the database, unchanged', () => {
    const db = openDatabase(dir);
    db.prepare("INSERT INTO migrations VALUES ('999_from_the_future', 'then')").run();
    db.close();
    for (const open of [openDatabase, openDatabaseReadonly]) {
      const refusal = caught(() => open(dir));
      expect(refusal).toBeInstanceOf(OperatorError);
      expect(refusal).toMatchObject({ exitCode: 2, details: [expect.stringContaining('999_from_the_future')] });
    }
  });

  it('of a newer version that was killed leave the file and the log beside it byte for byte', () => {
    const db = openDatabase(join(dir, 'alive'));
    db.prepare("INSERT INTO migrations VALUES ('999_from_the_future', 'then')").run();
    cpSync(join(dir, 'alive'), join(dir, 'killed'), { recursive: true });
    db.close();
    const bytes = (): Buffer[] => ['', '-wal'].map((side) => readFileSync(join(dir, 'killed', `tasks.db${side}`)));
    const before = bytes();
    for (const open of [openDatabase, openDatabaseReadonly]) {
      expect(caught(() => open(join(dir, 'killed')))).toMatchObject({ exitCode: 2 });
      expect(bytes()).toEqual(before);
    }
  });
});

describe('a database that is only looked at', () => {
  it('has no more files beside it afterwards', () => {
    openDatabase(dir).close();
    const db = openDatabaseReadonly(dir)!;
    expect(db.prepare('SELECT count(*) AS n FROM tasks').get()).toEqual({ n: 0 });
    db.close();
    expect(readdirSync(dir)).toEqual(['tasks.db']);
  });

  it('shows what a tick at work has written so far', () => {
    const writer = openDatabase(dir);
    writer.prepare("INSERT INTO facts VALUES ('seen', 'yes')").run();
    const reader = openDatabaseReadonly(dir)!;
    expect(reader.prepare('SELECT value FROM facts').all()).toEqual([{ value: 'yes' }]);
    reader.close();
    writer.close();
  });

  it.each([0, 10])('may be a file of %d bytes', (length) => {
    writeFileSync(join(dir, 'tasks.db'), 'x'.repeat(length));
    if (length === 0) expect(openDatabaseReadonly(dir)).toBeNull();
    else expect(caught(() => openDatabaseReadonly(dir))).toMatchObject({ exitCode: 2 });
  });
});

describe('a database that cannot be had', () => {
  it('is the operator’s to mend: exit 2 with the file and what to do', () => {
    writeFileSync(join(dir, 'tasks.db'), 'this is no database, but it is long enough to look at'.repeat(40));
    const error = caught(() => openDatabase(dir));
    expect(error).toMatchObject({
      exitCode: 2,
      details: [join(dir, 'tasks.db')],
      fix: expect.stringContaining('writable'),
    });
  });

  it('is nothing where one only looks and there is none, and none is made', () => {
    expect(openDatabaseReadonly(join(dir, 'nowhere'))).toBeNull();
    expect(readdirSync(dir)).toEqual([]);
  });
});

function caught(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('it should have thrown');
}
