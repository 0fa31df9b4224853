import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptRow } from '../records.js';
import type { Agent } from './agent.js';

/** All that cleaning up needs of a tick. */
export type Cleaner = Pick<Agent, 'config' | 'clock' | 'log' | 'store'>;

export interface Deleted {
  attempts: { uuid: string; key: AttemptRow['key']; completedAt: number | null }[];
  /** Folders that no attempt in the database knows. */
  orphans: string[];
}

const DAY_MS = 24 * 60 * 60_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Deletes what is past `context_expiry_days`, the folder before the row, so that a crash leaves nothing unknown. */
export function cleanExpired(agent: Cleaner): { deleted: Deleted } {
  const attempts = expiredAttempts(agent)
    .filter(({ uuid }) => isDeleted(agent, uuid))
    .map(({ uuid, key, completedAt }) => ({ uuid, key, completedAt }));
  for (const { uuid } of attempts) agent.store.attempts.delete(uuid);
  const orphans = orphanFolders(agent).filter((uuid) => isDeleted(agent, uuid));
  if (attempts.length + orphans.length > 0) {
    agent.log.write('info', 'deleted what had expired', { attempts: attempts.length, orphans: orphans.length });
  }
  return { deleted: { attempts, orphans } };
}

/** A server may have left files there that are not ours to delete: that one stays, and stops nobody. */
function isDeleted({ store, log }: Cleaner, uuid: string): boolean {
  try {
    store.deleteFiles(uuid);
    return true;
  } catch (error) {
    log.write('warning', 'the folder of an expired attempt cannot be deleted', {
      attempt: uuid,
      error: (error as Error).message,
    });
    return false;
  }
}

/** Settled attempts past `context_expiry_days`; one that is running or paused never expires here. */
export function expiredAttempts({ config, clock, store }: Cleaner): AttemptRow[] {
  const before = clock.now() - config.contextInheritance.contextExpiryDays * DAY_MS;
  return store.conversations
    .all()
    .flatMap((conversation) => store.attempts.ofConversation(conversation.id))
    .filter(
      (row) => row.status !== 'running' && row.status !== 'paused' && (row.completedAt ?? row.createdAt) < before,
    );
}

/** A day old at least: a claim makes the folder around the time it makes the row. */
function orphanFolders({ config, clock, store }: Cleaner): string[] {
  const { baseDir } = config.contextStorage;
  const uuids = readdirSync(baseDir, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && UUID.test(entry.name),
  );
  return uuids
    .map((entry) => entry.name)
    .filter(
      (uuid) => store.attempts.get(uuid) === null && clock.now() - statSync(join(baseDir, uuid)).mtimeMs > DAY_MS,
    );
}
