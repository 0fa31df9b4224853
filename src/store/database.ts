import { chmodSync, closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { OperatorError } from '../lib/exit.js';
import { createFolder } from '../lib/folder.js';
import { migrations } from './migrations.js';

export type Db = Database.Database;

const BUSY_TIMEOUT_MS = 5000;

/** Opens `<dir>/tasks.db`, private to the user, brought to this version's schema. */
export function openDatabase(dir: string): Db {
  const file = join(dir, 'tasks.db');
  try {
    createFolder(dir);
    chmodSync(dir, 0o700);
    closeSync(openSync(file, 'a', 0o600)); // SQLite gives its -wal and -shm the mode of this file
    if (existsSync(`${file}-wal`)) refuseNewerLog(file);
    const db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    refuseNewer(db, file);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    migrate(db);
    return db;
  } catch (error) {
    throw asOperatorError(error, file);
  }
}

/** A killed tick leaves its log behind, and whoever may write moves that into the file on closing: this one only reads. */
function refuseNewerLog(file: string): void {
  const db = new Database(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  refuseNewer(db, file);
  db.close();
}

/** For commands that only look: null where there is no database yet. */
export function openDatabaseReadonly(dir: string): Db | null {
  const file = join(dir, 'tasks.db');
  if (!existsSync(file)) return null;
  try {
    const db = lookAt(file);
    refuseNewer(db, file);
    return appliedMigrations(db).length === 0 ? null : db;
  } catch (error) {
    throw asOperatorError(error, file);
  }
}

/**
 * SQLite leaves a -wal and a -shm beside a file that it only read. Where nobody has left any, the file is whole
 * and is read by us; one that appears meanwhile belongs to a tick that has begun.
 */
function lookAt(file: string): Db {
  const image = existsSync(`${file}-wal`) ? null : readFileSync(file);
  const isWhole = image !== null && !existsSync(`${file}-wal`);
  return isWhole
    ? new Database(rollbackJournal(image))
    : new Database(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
}

/** A copy in memory, for looking ahead: whatever is written to it is forgotten. */
export function openDatabaseCopy(dir: string): Db {
  const original = openDatabaseReadonly(dir);
  const copy = original ? new Database(rollbackJournal(original.serialize())) : new Database(':memory:');
  original?.close();
  migrate(copy);
  return copy;
}

/** A database in memory cannot have a write-ahead log; bytes 18 and 19 of the file say which journal it has. */
function rollbackJournal(image: Buffer): Buffer {
  image.subarray(18, 20).fill(1);
  return image;
}

function migrate(db: Db): void {
  db.transaction(() => {
    db.exec('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)');
    const applied = new Set(appliedMigrations(db));
    for (const { name, sql } of migrations) {
      if (applied.has(name)) continue;
      db.exec(sql);
      db.prepare("INSERT INTO migrations VALUES (?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))").run(name);
    }
  }).immediate();
}

function appliedMigrations(db: Db): string[] {
  const table = db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'").get();
  if (!table) return [];
  return db
    .prepare<[], { name: string }>('SELECT name FROM migrations')
    .all()
    .map((row) => row.name);
}

function refuseNewer(db: Db, file: string): void {
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = appliedMigrations(db).filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  db.close();
  throw new OperatorError('The database was written by a newer version of agent.', {
    details: [`${file} has had migrations this version does not know: ${unknown.join(', ')}`],
    fix: 'Update agent, or point --data-dir at another folder. Nothing was changed.',
    exitCode: 2,
  });
}

function asOperatorError(error: unknown, file: string): unknown {
  if (error instanceof OperatorError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new OperatorError(`The database cannot be opened: ${reason}`, {
    details: [file],
    fix: 'Check that the data folder exists, belongs to you, is writable and has space left (context_storage.base_dir, --data-dir).',
    exitCode: 2,
    cause: error,
  });
}
