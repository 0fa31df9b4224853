import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanExpired, expiredAttempts } from '../../src/agent/clean.js';
import { main } from '../../src/cli.js';
import type { AttemptRow, Conversation } from '../../src/records.js';
import { capturedIo } from './captured-io.js';
import { conversationIn, DAY_MS, KEY, memoryRig, NOW, rowIn, type Rig } from './memory-rig.js';

let rig: Rig;
let conversation: Conversation;
beforeEach(async () => {
  rig = await memoryRig('llm: { openai: { model: some-model } }\ncontext_inheritance: { context_expiry_days: 30 }\n');
  conversation = conversationIn(rig);
});
afterEach(() => rig.close());

function attempt(daysAgo: number, change: Partial<AttemptRow> = {}): AttemptRow {
  const at = NOW - daysAgo * DAY_MS;
  const row = rowIn(rig, conversation, { status: 'completed', createdAt: at - 1000, completedAt: at, ...change });
  rig.agent.store.createFiles(row.uuid, {}).close();
  return row;
}

function folderOf(uuid: string): string {
  return join(rig.agent.config.contextStorage.baseDir, uuid);
}

function isKept({ uuid }: AttemptRow): boolean {
  const inDatabase = rig.agent.store.attempts.get(uuid) !== null;
  expect(existsSync(folderOf(uuid))).toBe(inDatabase);
  return inDatabase;
}

describe('cleaning up', () => {
  it('deletes settled attempts past context_expiry_days, folder and row', () => {
    const [old, young] = [attempt(31), attempt(29)];
    expect(expiredAttempts(rig.agent).map((row) => row.uuid)).toEqual([old.uuid]);
    cleanExpired(rig.agent);
    expect([old, young].map(isKept)).toEqual([false, true]);
  });

  it.each(['completed', 'stopped', 'failed'] as const)('takes an attempt that is %s', (status) => {
    const old = attempt(31, { status });
    cleanExpired(rig.agent);
    expect(isKept(old)).toBe(false);
  });

  it.each(['running', 'paused'] as const)('never takes one that is %s, however old', (status) => {
    const old = attempt(400, { status, completedAt: null });
    cleanExpired(rig.agent);
    expect(isKept(old)).toBe(true);
  });

  it('takes attempts of every conversation', () => {
    const other = conversationIn(rig, { key: { ...KEY, id: '99' } });
    const old = attempt(31, { key: other.key, conversationId: other.id });
    cleanExpired(rig.agent);
    expect(isKept(old)).toBe(false);
  });

  it('deletes folders of no attempt after a day, and nothing else that lies about', () => {
    const [old, young] = [crypto.randomUUID(), crypto.randomUUID()];
    for (const uuid of [old, young, 'notes']) mkdirSync(folderOf(uuid));
    writeFileSync(folderOf('file'), '');
    for (const name of [old, 'notes', 'file']) utimesSync(folderOf(name), NOW / 1000 - 90_000, NOW / 1000 - 90_000);
    utimesSync(folderOf(young), NOW / 1000 - 80_000, NOW / 1000 - 80_000);
    expect(cleanExpired(rig.agent).deleted.orphans).toEqual([old]);
    expect([old, young, 'notes', 'file'].map((name) => existsSync(folderOf(name)))).toEqual([false, true, true, true]);
  });

  it('leaves a folder that cannot be deleted, says so in the log, and deletes the others', () => {
    const [stuck, old] = [attempt(40), attempt(31)];
    const deleteFiles = (uuid: string): void => {
      if (uuid === stuck.uuid) throw new Error('EACCES: permission denied');
      rig.agent.store.deleteFiles(uuid);
    };
    const { deleted } = cleanExpired({ ...rig.agent, store: { ...rig.agent.store, deleteFiles } });
    expect(deleted.attempts.map(({ uuid }) => uuid)).toEqual([old.uuid]);
    expect([stuck, old].map(isKept)).toEqual([true, false]);
    expect(rig.log.at(0)).toMatchObject({ level: 'warning', fields: { attempt: stuck.uuid } });
  });

  it('finishes what a crash between folder and row left', () => {
    const old = attempt(31);
    rig.agent.store.deleteFiles(old.uuid);
    cleanExpired(rig.agent);
    expect(rig.agent.store.attempts.get(old.uuid)).toBeNull();
  });
});

describe('agent clean', () => {
  const env = { GITHUB_TOKEN: 'github-token-1', OPENAI_API_KEY: 'openai-key-1' };

  it('says what it deleted', async () => {
    const old = attempt(31);
    const io = capturedIo({ cwd: rig.dir, env, now: NOW });
    expect(await main(['clean'], io)).toBe(0);
    expect(io.out()).toBe(`deleted ${old.uuid} (owner/repo#12)\n`);
    expect(isKept(old)).toBe(false);
  });

  it('says so where nothing has expired', async () => {
    const io = capturedIo({ cwd: rig.dir, env, now: NOW });
    expect(await main(['clean'], io)).toBe(0);
    expect(io.out()).toBe('nothing has expired\n');
  });

  it('prints one JSON document with --json', async () => {
    const old = attempt(31);
    const io = capturedIo({ cwd: rig.dir, env, now: NOW });
    expect(await main(['clean', '--json'], io)).toBe(0);
    const task = { uuid: old.uuid, task: 'owner/repo#12', completed_at: new Date(old.completedAt!).toISOString() };
    expect(JSON.parse(io.out())).toEqual({ attempts: [task], orphans: [] });
  });
});
