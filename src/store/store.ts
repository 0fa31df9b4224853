import type { Statement } from 'better-sqlite3';
import type { Clock, Log } from '../ports.js';
import type { Store, Transition } from '../records.js';
import { attemptsIn, type Worker } from './attempts.js';
import { conversationsIn } from './conversations.js';
import { openDatabase, openDatabaseCopy, openDatabaseReadonly, type Db } from './database.js';
import { createFiles, deleteFiles, openFiles } from './files.js';
import { outboxIn } from './outbox.js';
import { commentsIn, entriesIn, factsIn, responsesIn, serversIn, usageIn, wishesIn } from './small-tables.js';

export interface StoreDeps {
  worker: Worker;
  clock: Clock;
  log: Log;
}

/** The data folder, opened for work. */
export function openStore(dir: string, deps: StoreDeps): Store {
  return storeOver(openDatabase(dir), dir, deps);
}

/** The data folder, only to look at; null where nothing was kept yet. */
export function openStoreReadonly(dir: string, deps: StoreDeps): Store | null {
  const db = openDatabaseReadonly(dir);
  return db && storeOver(db, dir, deps);
}

/** A copy of the data folder's database in memory: `--dry-run` writes there and nowhere else. */
export function openStoreInMemory(dir: string, deps: StoreDeps): Store {
  return storeOver(openDatabaseCopy(dir), dir, deps);
}

/** The same few statements run with every turn: each is compiled once. */
function compiledOnce(db: Db): Db {
  const compile = db.prepare.bind(db) as (sql: string) => Statement;
  const compiled = new Map<string, Statement>();
  const prepare = (sql: string): Statement => {
    const statement = compiled.get(sql) ?? compile(sql);
    compiled.set(sql, statement);
    return statement;
  };
  return Object.assign(db, { prepare });
}

function storeOver(opened: Db, dir: string, { worker, clock, log }: StoreDeps): Store {
  const db = compiledOnce(opened);
  const [comments, usage] = [commentsIn(db), usageIn(db)];
  const conversations = conversationsIn(db);
  const attempts = attemptsIn(db, worker, { comments, conversations, usage });
  const outbox = outboxIn(db);

  const apply = (transition: Transition): void => {
    if (transition.attempt) attempts.update(transition.attempt.uuid, transition.attempt);
    if (transition.conversation) conversations.update(transition.conversation.id, transition.conversation);
    for (const post of transition.posts ?? []) outbox.put(post);
  };

  return {
    conversations,
    attempts,
    comments,
    outbox,
    entries: entriesIn(db),
    wishes: wishesIn(db, clock),
    facts: factsIn(db),
    cache: responsesIn(db),
    servers: serversIn(db),
    usage,
    commit: (transition) => db.transaction(apply)(transition),
    atomically: (change) => db.transaction(change)(),
    files: (uuid) => openFiles(dir, uuid, log),
    createFiles: (uuid, metadata) => createFiles(dir, uuid, metadata, log),
    deleteFiles: (uuid) => deleteFiles(dir, uuid),
    close: () => db.close(),
  };
}
