import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { widthOfText } from '../../src/commands/columns.js';
import type { CommandIo } from '../../src/commands/io.js';
import { statusCommand } from '../../src/commands/status.js';
import { age } from '../../src/commands/status-table.js';
import type { TaskFacts } from '../../src/commands/status-task.js';
import { OperatorError } from '../../src/lib/exit.js';
import { packageRoot } from '../../src/lib/package.js';
import type { AttemptRow, Conversation } from '../../src/records.js';
import { conversationIn, DAY_MS, KEY, memoryRig, NOW, rowIn, SECRET, type Rig } from '../agent/memory-rig.js';

const HOUR_MS = 3_600_000;
const MODEL = 'llm: { openai: { model: some-model, price: { input: 2, output: 10 } } }\n';
const env = { GITHUB_TOKEN: SECRET, OPENAI_API_KEY: 'sk-another-secret-1234' };

let rig: Rig;
beforeEach(async () => (rig = await memoryRig(MODEL)));
afterEach(() => rig.close());

async function status(
  options: { task?: string; json?: boolean; now?: number; columns?: number } = {},
): Promise<string> {
  const stdout = Object.assign(new PassThrough(), options.columns === undefined ? {} : { columns: options.columns });
  const clock = { now: () => options.now ?? NOW, sleep: () => Promise.resolve() };
  const streams = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
  const { signal } = new AbortController();
  const io: CommandIo = { ...streams, env, cwd: rig.dir, clock, isTTY: false, color: false, signal };
  const code = await statusCommand(
    { task: options.task, json: options.json ?? false, verbose: false, quiet: false },
    io,
  );
  expect(code).toBe(0);
  return String(stdout.read() ?? '');
}

async function facts(now = NOW): Promise<TaskFacts> {
  return JSON.parse(await status({ task: 'owner/repo#12', json: true, now })) as TaskFacts;
}

function attempt(conversation: Partial<Conversation>, row: Partial<AttemptRow>): AttemptRow {
  return rowIn(rig, conversationIn(rig, conversation), row);
}

function issue(id: string): Pick<Conversation, 'key'> {
  return { key: { ...KEY, id } };
}

describe('all tasks', () => {
  test('none yet: it says how to ask for work', async () => {
    expect(await status()).toBe(
      'No tasks yet. Put the label `coding agent` on an issue, and the next `agent run` takes it up.\n',
    );
    expect(JSON.parse(await status({ json: true }))).toEqual({ paused: false, tasks: [] });
  });

  test('a table, newest first, with the counts of all attempts', async () => {
    const old = conversationIn(rig, { ...issue('1'), state: 'awaiting-response', lastProcessedAt: NOW - 2 * HOUR_MS });
    rowIn(rig, old, { status: 'completed', outcome: 'done', turnCount: 3, totalTokens: 1000, lastMessage: 'Fixed.' });
    rowIn(rig, old, {
      status: 'completed',
      outcome: 'not_verified',
      turnCount: 4,
      totalTokens: 234,
      lastMessage: 'Hm.',
      createdAt: NOW + 1,
    });
    attempt(issue('2'), { turnCount: 1, phase: 'working', lastMessage: 'I look\nat it.\u001b[31m' });
    attempt(
      { ...issue('3'), lastProcessedAt: NOW - DAY_MS },
      { status: 'paused', pausedBy: 'parked', phase: 'parked' },
    );
    expect((await status()).split('\n')).toEqual([
      'STATE              TASK          PHASE         TURNS  TOKENS  AGE  LAST MESSAGE',
      'processing         owner/repo#2  working           1       0   0s  I look at it.[31m',
      'awaiting-response  owner/repo#1  not verified      7   1,234   2h  Hm.',
      'parked             owner/repo#3  parked            0       0   1d  A title',
      '',
    ]);
  });

  test.each([40, 80, 120])('fits %i columns, with kanji that take two', async (columns) => {
    attempt(
      { key: { ...KEY, owner: 'a-rather-long-owner' } },
      { lastMessage: '挨拶を直しました。'.repeat(20), phase: 'working' },
    );
    const lines = (await status({ columns })).trim().split('\n');
    for (const line of lines) expect(widthOfText(line)).toBeLessThanOrEqual(columns);
    expect(lines[1]).toContain('…');
  });

  test('says that everything is paused', async () => {
    writeFileSync(join(rig.dir, 'contexts', 'pause_signal'), '');
    expect(await status()).toMatch(/^Everything is paused by .*pause_signal; `agent resume` ends it\./);
  });

  test.each([
    [59_000, '59s'],
    [61_000, '1m'],
    [23 * HOUR_MS, '23h'],
    [49 * HOUR_MS, '2d'],
  ])('an age of %i ms is %s', (ms, text) => expect(age(ms)).toBe(text));
});

describe('one task', () => {
  test('shows what a person wonders about', async () => {
    const conversation = conversationIn(rig, {
      lastCommentId: '77',
      lastCommentAt: NOW - 60_000,
      commentCount: 2,
      wantedLabel: 'coding agent processing',
    });
    rowIn(rig, conversation, {
      status: 'failed',
      outcome: 'failed',
      errorMessage: 'it broke',
      createdAt: NOW - DAY_MS,
    });
    const row = rowIn(rig, conversation, {
      ...{ turnCount: 12, llmCallCount: 14, toolCallCount: 9, totalTokens: 1_100_000, workedMs: 192_000 },
      ...{ compressionCount: 2, compressionTokens: 100_000, lastMessage: 'I run the tests.', followUp: true },
      progress: { step: 'execution', actions: { task_1: 'done', task_2: 'running' } },
    });
    const files = rig.agent.store.createFiles(row.uuid, {});
    const line = { seq: 1, role: 'assistant', content: 'x', timestamp: '', tokens: 1 } as const;
    files.appendMessage({ ...line, usage: { prompt: 900_000, completion: 100_000 } });
    files.appendPlanning({ type: 'plan', timestamp: '', task_uuid: row.uuid, plan: plan() });
    files.close();

    const page = await status({ task: row.uuid.slice(0, 8), now: NOW });
    expect(page).toContain('owner/repo#12  A title\nhttp://127.0.0.1/owner/repo/issues/12\n');
    expect(page).toContain('label         coding agent processing (still to be written)');
    expect(page).toContain('plan          Greet rightly (1 of 3 done)\n');
    expect(page).toContain('[x] task_1: look');
    expect(page).toContain('[>] task_2: mend');
    expect(page).toContain('[ ] task_3: test (from verification)');
    expect(page).toContain('12 turns, 14 LLM calls, 9 tool calls, 1,100,000 tokens, about $3.00, 3 min 12 s');
    expect(page).toContain('compressions  2, which took 100,000 tokens');
    expect(page).toContain('last comment  77, read 1m ago');
    expect(page).toContain('failed, 0 turns, 0 tokens: it broke');
    expect(page).toContain(`files         ${join(rig.dir, 'contexts', row.uuid)}`);
    expect(page).toContain(`log           ${join(rig.dir, 'logs')}`);
    expect(page).toContain('agent pause owner/repo#12');
    expect(page).toContain('agent stop owner/repo#12');
  });

  function plan() {
    const action = (id: string, purpose: string, more = {}) => ({ id, task_id: id, purpose, tool: null, ...more });
    const actions = [action('task_1', 'look'), action('task_2', 'mend'), action('task_3', 'test', { round: 1 })];
    const goal_understanding = { main_objective: 'Greet rightly', success_criteria: [], constraints: [] };
    return { goal_understanding, task_decomposition: { subtasks: [] }, action_plan: { execution_order: [], actions } };
  }

  test('what happens next, and when', async () => {
    const conversation = conversationIn(rig);
    const row = rowIn(rig, conversation, {});
    const { conversations, attempts, wishes } = rig.agent.store;
    const at = (ms: number): string => new Date(ms).toISOString();
    expect((await facts()).next).toEqual({
      what: expect.stringContaining('no tick is running: it was interrupted'),
      at: null,
    });

    wishes.add(conversation.id, 'pause');
    expect((await facts()).next.what).toContain('paused before its next model call');
    wishes.take(conversation.id, 'pause');

    attempts.update(row.uuid, {
      status: 'paused',
      pausedBy: 'parked',
      notBefore: NOW + HOUR_MS,
      errorMessage: '503 from the model',
    });
    conversations.update(conversation.id, { reason: 'unreachable' });
    expect(await facts()).toMatchObject({
      why: 'the forge or the model could not be reached: 503 from the model',
      next: { at: at(NOW + HOUR_MS) },
    });

    attempts.update(row.uuid, { pausedBy: 'person', pausedAt: NOW });
    conversations.update(conversation.id, { state: 'paused', reason: 'person' });
    expect(await facts()).toMatchObject({
      label: { name: 'coding agent paused', written: true },
      next: { what: expect.stringContaining('`/agent resume`'), at: at(NOW + 30 * DAY_MS) },
    });

    attempts.update(row.uuid, { pausedBy: 'question' });
    conversations.update(conversation.id, {
      state: 'awaiting-response',
      reason: 'question',
      unfinished: true,
      lastCommentAt: NOW + 5000,
    });
    expect((await facts()).next).toEqual({
      what: expect.stringContaining('without one it is stopped'),
      at: at(NOW + 5000 + DAY_MS),
    });

    attempts.update(row.uuid, { status: 'stopped', pausedBy: null });
    conversations.update(conversation.id, { state: 'stopped', reason: 'stop_command' });
    expect(await facts()).toMatchObject({
      state: 'stopped',
      why: 'by a command in the thread or the shell',
      next: { what: expect.stringContaining('`agent retry owner/repo#12`'), at: null },
    });
  });

  test('is found by each name that means it alone', async () => {
    const url = 'https://git.example.com/owner/repo/-/issues/12';
    const { uuid } = attempt({ key: { ...KEY, source: 'gitlab' }, title: 'The issue', url }, {});
    attempt({ key: { ...KEY, source: 'gitlab', type: 'merge_request' }, title: 'The request' }, {});
    attempt({ ...issue('13'), title: 'Another' }, {});
    const names = ['owner/repo#12', 'gitlab:owner/repo#12', `gitlab:${uuid.slice(0, 8)}`, url, `${url}#note_1`];
    for (const task of names) expect(await status({ task })).toMatch(/^owner\/repo#12 {2}The issue\n/);
    expect(await status({ task: 'owner/repo!12' })).toMatch(/^owner\/repo!12 {2}The request\n/);
    await expect(status({ task: `github:${uuid.slice(0, 8)}` })).rejects.toThrow('No task is known');
  });

  test('one that nobody knows is an error of usage', async () => {
    await expect(status({ task: 'owner/repo#99' })).rejects.toThrow(
      new OperatorError('No task is known as owner/repo#99.'),
    );
  });
});

test('looking writes nothing', async () => {
  rig.agent.store.close();
  const dir = join(rig.dir, 'elsewhere');
  mkdirSync(dir);
  writeFileSync(join(dir, 'config.yaml'), `github: { repositories: [a/b] }\n${MODEL}`);
  const agent = join(packageRoot(), 'bin', 'agent.js');
  const { status: code, stdout } = spawnSync(process.execPath, [agent, 'status'], {
    cwd: dir,
    env: { ...env },
    encoding: 'utf8',
  });
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('No tasks yet') });
  expect(readdirSync(dir)).toEqual(['config.yaml']);
  expect(existsSync(join(dir, 'logs'))).toBe(false);
});
