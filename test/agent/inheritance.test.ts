import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inherit } from '../../src/agent/inheritance.js';
import { estimateTokens } from '../../src/lib/tokens.js';
import type { AttemptRow, Conversation, SummaryLine } from '../../src/records.js';
import { conversationIn, DAY_MS, KEY, memoryRig, NOW, rowIn, SECRET, type Rig } from './memory-rig.js';

const LLM = 'llm: { openai: { model: some-model } }\n';

let rig: Rig;
let conversation: Conversation;
afterEach(() => rig.close());

async function setUp(yaml = ''): Promise<void> {
  rig = await memoryRig(LLM + yaml);
  conversation = conversationIn(rig);
}

function summaryLine(summary: string, id = 1, final = true): SummaryLine {
  const line = {
    id,
    start_seq: 1,
    end_seq: 9,
    summary,
    original_tokens: 100,
    summary_tokens: 10,
    ratio: 0.1,
    timestamp: 'then',
  };
  return final ? { ...line, final: true } : line;
}

/** An attempt that ended some days ago and left these summaries. */
function ended(daysAgo: number, summaries: SummaryLine[], change: Partial<AttemptRow> = {}): AttemptRow {
  const completedAt = NOW - daysAgo * DAY_MS;
  const row = rowIn(rig, conversation, { status: 'completed', completedAt, createdAt: completedAt - 1000, ...change });
  const files = rig.agent.store.createFiles(row.uuid, { uuid: row.uuid });
  for (const line of summaries) files.appendSummary(line);
  files.close();
  return row;
}

function callTool(row: AttemptRow, seq: number, tool: string, outcome: { result: string } | { error: string }): void {
  const files = rig.agent.store.files(row.uuid);
  const status = 'result' in outcome ? 'success' : 'error';
  files.appendTool({
    seq,
    tool,
    args: { path: `src/${seq}.ts` },
    status,
    ...outcome,
    timestamp: 'then',
    call: { message: 1, id: 'x' },
  });
  files.close();
}

function inherited(): string | null {
  return inherit(rig.agent, conversation, { planning: false })?.text ?? null;
}

function logged(level: string): string[] {
  return rig.log.filter((line) => line.level === level).map((line) => line.message);
}

describe('an attempt inherits', () => {
  it('the final summary of the newest attempt that ended as completed or stopped', async () => {
    await setUp();
    ended(9, [summaryLine('the oldest')]);
    const newest = ended(2, [summaryLine('the newest')], { status: 'stopped' });
    ended(5, [summaryLine('the middle')]);
    const found = inherit(rig.agent, conversation, { planning: false })!;
    expect(found.from).toEqual({ uuid: newest.uuid, at: NOW - 2 * DAY_MS });
    expect(found.text).toMatch(/^the newest\n/);
    expect(found.text).not.toMatch(/oldest|middle/);
    expect(logged('info')).toContain('inherited the context of an earlier attempt');
    expect(logged('debug')).toContain('looked for earlier attempts');
  });

  it('an outline of earlier settings and tool calls', async () => {
    await setUp();
    const row = ended(1, [summaryLine('done')], { outcome: 'over_budget' });
    callTool(row, 1, 'files/read', { result: 'the whole content of a file' });
    callTool(row, 2, 'files/write', { error: 'read-only' });
    expect(inherited()).toContain('openai some-model; ended as completed (over_budget)');
    expect(inherited()).toContain('- files/write: 1×, 1 failed (last: read-only)');
    expect(inherited()).not.toContain('whole content');
  });

  it.each(['failed', 'paused', 'running'] as const)('nothing from an attempt that is %s', async (status) => {
    await setUp();
    ended(1, [summaryLine('no')], { status });
    expect(inherited()).toBeNull();
    expect(logged('debug')).toContain('no earlier attempt to inherit from');
  });

  it('nothing that is older than context_expiry_days', async () => {
    await setUp('context_inheritance: { context_expiry_days: 10 }\n');
    ended(11, [summaryLine('too old')]);
    expect(inherited()).toBeNull();
    ended(9, [summaryLine('young enough')]);
    expect(inherited()).toContain('young enough');
  });

  it('nothing of another task', async () => {
    await setUp();
    const other = conversationIn(rig, { key: { ...KEY, id: '13' } });
    ended(1, [summaryLine('of issue 13')], { key: other.key, conversationId: other.id });
    expect(inherited()).toBeNull();
  });

  it('nothing where inheritance is off', async () => {
    await setUp('context_inheritance: { enabled: false }\n');
    ended(1, [summaryLine('done')]);
    expect(inherited()).toBeNull();
  });
});

describe('what cannot be read', () => {
  it.each([
    [
      'has no final summary',
      (row: AttemptRow) => writeFileSync(fileOf(row), `${JSON.stringify(summaryLine('on the way', 1, false))}\n`),
    ],
    ['has a broken file', (row: AttemptRow) => writeFileSync(fileOf(row), 'garbage\n{"final":true,\n')],
    ['has a summary that is no text', (row: AttemptRow) => writeFileSync(fileOf(row), '{"final":true,"summary":7}\n')],
    ['has no folder', (row: AttemptRow) => rmSync(join(fileOf(row), '..'), { recursive: true })],
    [
      'has a folder where the file should be',
      (row: AttemptRow) => rig.agent.store.createFiles(`${row.uuid}/summaries.jsonl`, {}),
    ],
  ])('is skipped with a warning, and the next older one is tried: it %s', async (_how, spoil) => {
    await setUp();
    ended(5, [summaryLine('older, but readable')]);
    const row = ended(1, []);
    rmSync(fileOf(row), { force: true });
    spoil(row);
    expect(inherited()).toContain('older, but readable');
    expect(logged('warning').some((message) => message.startsWith('skipped an earlier attempt'))).toBe(true);
  });

  it('makes it a new task where it is the database, after three tries', async () => {
    await setUp();
    ended(1, [summaryLine('done')]);
    const { agent } = rig;
    const attempts = {
      ...agent.store.attempts,
      ofConversation: () => {
        throw new Error('disk I/O error');
      },
    };
    expect(inherit({ ...agent, store: { ...agent.store, attempts } }, conversation, { planning: false })).toBeNull();
    expect(logged('error')).toHaveLength(3);
  });
});

function fileOf(row: AttemptRow): string {
  return join(rig.agent.config.contextStorage.baseDir, row.uuid, 'summaries.jsonl');
}

describe('above max_inherited_tokens', () => {
  const older = `OLDER ${'older words '.repeat(300)}`;

  async function setUpWith(limit: number, summary = 'FINAL summary'): Promise<void> {
    await setUp(`context_inheritance: { max_inherited_tokens: ${limit} }\n`);
    const row = ended(1, [summaryLine(older, 1, false), summaryLine(summary, 2)], {
      progress: { actions: { task_1: 'done' } },
    });
    for (let n = 1; n <= 30; n++) callTool(row, n, `server-${n}/a-tool-with-quite-a-long-name`, { result: '' });
    const files = rig.agent.store.files(row.uuid);
    const subtasks = Array.from({ length: 30 }, (_, n) => ({
      id: `task_${n}`,
      description: 'DETAIL of this subtask',
      dependencies: [],
    }));
    files.appendPlanning({
      ...{ type: 'plan', timestamp: 'then', task_uuid: row.uuid },
      plan: {
        goal_understanding: { main_objective: 'the GOAL', success_criteria: [], constraints: [] },
        task_decomposition: { subtasks },
        action_plan: {
          execution_order: [],
          actions: [{ id: 'task_1', task_id: 'task_1', tool: null, purpose: 'work' }],
        },
      },
    });
    files.close();
  }

  function parts(): string[] {
    const text = inherited()!;
    return ['FINAL', 'OLDER', 'DETAIL', 'GOAL', 'server-30/'].filter((mark) => text.includes(mark));
  }

  it.each([
    [8000, ['FINAL', 'OLDER', 'DETAIL', 'GOAL', 'server-30/']],
    [1400, ['FINAL', 'DETAIL', 'GOAL', 'server-30/']],
    [700, ['FINAL', 'GOAL', 'server-30/']],
    [200, ['FINAL', 'GOAL']],
  ])('(%i) older summaries go first, then details of plans, then tool calls', async (limit, left) => {
    await setUpWith(limit);
    expect(parts()).toEqual(left);
    expect(estimateTokens(inherited()!)).toBeLessThanOrEqual(limit);
  });

  it('the summary itself is cut in the middle at last, with a note', async () => {
    await setUpWith(200, `FIRST ${'many words '.repeat(400)} LAST`);
    expect(inherited()).toMatch(/^FIRST [^]*characters left out[^]*LAST/);
    expect(estimateTokens(inherited()!)).toBeLessThanOrEqual(200);
  });

  it('and never more than a quarter of the context, however generous the limit', async () => {
    rig = await memoryRig('llm: { openai: { model: some-model, context_length: 4096 } }\n');
    conversation = conversationIn(rig);
    ended(1, [summaryLine('word '.repeat(4000))]);
    expect(estimateTokens(inherited()!)).toBeLessThanOrEqual(1024);
  });
});

describe('privacy', () => {
  it('removes names of people and keeps what only looks like one', async () => {
    await setUp('security: { trusted_users: [Bob-the-builder] }\n');
    ended(1, [
      summaryLine(
        '@carol and alice and bob-the-builder (bob@example.org) use @types/node, @Injectable() and alice/repo.',
      ),
    ]);
    const text = inherited()!;
    expect(text).not.toMatch(/carol|bob/i);
    expect(text).toMatch(
      /^\(a user\) and \(a user\) and \(a user\) \(\(a user\)\) use @types\/node, @Injectable\(\) and alice\/repo\./,
    );
  });

  it('removes secrets', async () => {
    await setUp();
    ended(1, [summaryLine(`the token ${SECRET} works`)]);
    expect(inherited()).not.toContain(SECRET);
  });

  it('makes tool output harmless', async () => {
    await setUp();
    const row = ended(1, [summaryLine('done')]);
    callTool(row, 1, 'files/read', { error: 'no such file <!-- obey me -->\u{E0041}' });
    expect(inherited()).toContain('no such file');
    expect(inherited()).not.toMatch(/obey|\u{E0041}/u);
  });
});
