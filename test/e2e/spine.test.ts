import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LABEL, REPO, setStage, TOKEN, type Stage } from './stage.js';

let stage: Stage;
afterEach(() => stage.close());

const PROCESSING = 'coding agent processing';
const done = (comment: string) => ({ done: true as const, comment });
const note = (text: string, comment = '') => ({ text: comment, toolCalls: [{ tool: 'notes/note', args: { text } }] });

describe.each(['github', 'gitlab'] as const)('an issue on %s', (forge) => {
  test('leads from its label to a result, every step written down', async () => {
    stage = await setStage({
      forge,
      script: [
        note('hello', 'I will write it down.'),
        { toolCalls: [{ tool: 'notes/nothing', args: {} }] },
        { toolCalls: [{ tool: 'notes/note', args: { txt: 1 } }] },
        { toolCalls: [{ tool: 'notes/fail', args: {} }] },
        done('The greeting is fixed.'),
        { text: 'Goal: fix the greeting. Done.' },
      ],
    });
    const n = stage.issue();
    expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(stage.notes).toEqual(['hello']);

    expect(stage.labelsOverTime(n).at(0)).toEqual([]);
    expect(distinct(stage.labelsOverTime(n).flat())).toEqual([LABEL, PROCESSING, 'awaiting-response']);
    expect(stage.labels(n)).toEqual(['awaiting-response']);
    expect(
      stage
        .labelsOverTime(n)
        .slice(1)
        .every((labels) => labels.length > 0),
    ).toBe(true);
    expect(stage.kinds(n)).toEqual(['progress', 'result']);
    const [progress, result] = stage.comments(n);
    expect(progress!.body).toMatch(
      /^## 🤖 Progress[^]*\*\*Finished\*\*[^]*<details>[^]*I will write it down\.[^]*<\/details>/,
    );
    expect(result!.body).toMatch(
      /^## Completed\n\nThe greeting is fixed\.[^]*\*Turns: 5 · tool calls: 4 · tokens: [\d,]+ · time: /,
    );

    const [, second, third, fourth, fifth] = stage.model.requests;
    expect(second!.messages.at(-1)).toMatchObject({ role: 'tool', content: 'noted' });
    expect(third!.messages.at(-1)!.content).toMatch(/^error: .*nothing.*notes\/note/s);
    expect(fourth!.messages.at(-1)!.content).toMatch(/^error: .*text/s);
    expect(fifth!.messages.at(-1)!.content).toMatch(/^error: .*it cannot be done/s);

    expectRows(forge, String(n));
    expectFiles(stage.attempt().uuid, forge, String(n));
  });
});

function expectRows(forge: string, id: string): void {
  const key = { task_source: forge, owner: 'octo', repo: 'hello', task_type: 'issue', task_id: id };
  expect(stage.query('SELECT * FROM tasks')).toEqual([
    expect.objectContaining({
      ...key,
      status: 'completed',
      llm_provider: 'openai',
      model: 'canned',
      context_length: 128_000,
      llm_call_count: 5,
      tool_call_count: 4,
      compression_count: 0,
      error_message: null,
      process_id: expect.any(Number),
      hostname: expect.any(String),
      user: expect.any(String),
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      started_at: expect.stringMatching(/^\d{4}-.*Z$/),
      completed_at: expect.stringMatching(/^\d{4}-.*Z$/),
    }),
  ]);
  expect(stage.attempt()['total_tokens']).toBeGreaterThan(500);
  expect(stage.query('SELECT * FROM conversations')).toEqual([
    expect.objectContaining({
      ...key,
      state: 'awaiting-response',
      last_comment_id: null,
      comment_count: 0,
      author: 'alice',
      first_processed_at: expect.any(String),
      last_processed_at: expect.any(String),
    }),
  ]);
  const copy = `INSERT INTO tasks SELECT 'other', ${columns('tasks').slice(1).join(', ')} FROM tasks`;
  stage.query("UPDATE tasks SET status = 'running'");
  expect(() => stage.query(copy)).toThrow(/UNIQUE/); // at most one unsettled attempt of a task
  stage.query("UPDATE tasks SET status = 'completed'");
}

function columns(table: string): string[] {
  return stage.query<{ name: string }>(`PRAGMA table_info(${table})`).map(({ name }) => name);
}

function expectFiles(uuid: string, forge: string, id: string): void {
  expect(stage.json(uuid, 'metadata.json')).toEqual({
    uuid,
    task_key: { task_source: forge, owner: 'octo', repo: 'hello', task_type: 'issue', task_id: id },
    created_at: expect.stringMatching(/Z$/),
    process_id: expect.any(Number),
    hostname: expect.any(String),
    config: { llm_provider: 'openai', model: 'canned', context_length: 128_000, compression_threshold: 0.7 },
    user: expect.any(String),
  });
  expectMessages(uuid);
  const tools = stage.lines<{
    seq: number;
    tool: string;
    args: unknown;
    status: string;
    result?: string;
    error?: string;
  }>(uuid, 'tools.jsonl');
  expect(tools.map(({ seq, status }) => [seq, status])).toEqual([
    [1, 'started'],
    [1, 'success'],
    [2, 'started'],
    [2, 'error'],
    [3, 'started'],
    [3, 'error'],
    [4, 'started'],
    [4, 'error'],
  ]);
  expect(tools[1]).toMatchObject({
    tool: 'notes/note',
    args: { text: 'hello' },
    result: 'noted',
    duration_ms: expect.any(Number),
    timestamp: expect.any(String),
  });
  expect(tools[7]!.error).toContain('it cannot be done');
  expect(stage.lines(uuid, 'summaries.jsonl')).toEqual([
    expect.objectContaining({
      id: 1,
      start_seq: 1,
      end_seq: 11,
      final: true,
      summary: 'Goal: fix the greeting. Done.',
      summary_tokens: expect.any(Number),
      original_tokens: expect.any(Number),
      ratio: expect.any(Number),
    }),
  ]);
  const modes = [
    '',
    uuid,
    'tasks.db',
    'run.lock',
    ...['metadata.json', 'messages.jsonl', 'current.jsonl', 'summaries.jsonl', 'tools.jsonl'].map((file) =>
      join(uuid, file),
    ),
  ];
  const found = modes.map((path) => statSync(join(stage.dataDir, path)).mode & 0o777);
  expect(found).toEqual([0o700, 0o700, ...found.slice(2).map(() => 0o600)]);
}

interface Line {
  seq: number;
  role: string;
  content: string;
  timestamp: string;
  tokens: number;
  tool_name?: string;
  tool_calls?: { id: string; tool: string; args: unknown }[];
  tool_call_id?: string;
}

function expectMessages(uuid: string): void {
  const messages = stage.lines<Line>(uuid, 'messages.jsonl');
  expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
  const roles = messages.map(({ role }) => role);
  expect(roles).toEqual(['system', 'user', ...Array<string[]>(4).fill(['assistant', 'tool']).flat(), 'assistant']);
  expect(messages.every(({ timestamp, tokens }) => Date.parse(timestamp) > 0 && tokens >= 0)).toBe(true);
  expect(messages[2]).toMatchObject({
    content: 'I will write it down.',
    tool_calls: [{ tool: 'notes/note', args: { text: 'hello' } }],
  });
  expect(messages[3]).toMatchObject({ tool_name: 'notes/note', tool_call_id: messages[2]!.tool_calls![0]!.id });
  const current = stage.lines<Line>(uuid, 'current.jsonl');
  expect(current.map(({ seq, role, content }) => [seq, role, content])).toEqual(
    messages.map(({ seq, role, content }) => [seq, role, content]),
  );
}

describe('comments', () => {
  test.each(['sticky', 'append'])(
    '%s: what a reply says is in the outbox before its tool is called',
    async (progress_comments) => {
      const words = 'Looking at the outbox now.';
      stage = await setStage({
        config: { progress_comments },
        script: [{ text: words, toolCalls: [{ tool: 'peek/outbox', args: {} }] }, done('Seen.')],
      });
      stage.configure({ mcp_servers: [peekServer()] });
      const n = stage.issue();
      expect((await stage.tick()).code).toBe(0);
      const rows = JSON.parse(stage.model.requests[1]!.messages.at(-1)!.content) as { kind: string; body: string }[];
      expect(rows.some((row) => row.kind === 'progress' && row.body.includes(words))).toBe(true);
      expect(stage.kinds(n)).toEqual(
        progress_comments === 'sticky' ? ['progress', 'result'] : ['progress', 'progress', 'result'],
      );
      if (progress_comments === 'append') expect(stage.comments(n)[1]!.body).toMatch(new RegExp(`^${words}\n\n<!--`));
    },
  );

  test('are in Japanese where the issue is', async () => {
    stage = await setStage({ script: [done('挨拶を直しました。')] });
    const n = stage.issue({ title: '挨拶を直してください', body: 'まちがっています。' });
    expect((await stage.tick()).code).toBe(0);
    const [progress, result] = stage.comments(n);
    expect(progress!.body).toMatch(/^## 🤖 作業状況[^]*\*\*終了しました\*\*/);
    expect(result!.body).toMatch(/^## 実行完了\n\n挨拶を直しました。[^]*ターン: 1/);
    expect(stage.shown(0)).toContain('in Japanese');
  });

  test('secrets that a title, a tool or the model shows reach neither comments nor files nor log nor model nor terminal', async () => {
    const forms = [
      TOKEN,
      Buffer.from(`x${TOKEN}`).toString('base64'),
      Buffer.from(TOKEN).toString('hex'),
      [...TOKEN].reverse().join(''),
    ];
    const file = (): string => join(stage.dir, 'leak.txt');
    stage = await setStage({
      script: ({ n, messages }) =>
        n === 0
          ? { text: `Reading ${TOKEN}.`, toolCalls: [{ tool: 'peek/file', args: { path: file() } }] }
          : done(`It says: ${messages.at(-1)!.content} ${TOKEN}`),
    });
    stage.configure({ mcp_servers: [peekServer()] });
    writeFileSync(file(), forms.join('\n'));
    const n = stage.issue({ title: `Fix ${forms.join(' ')}` });
    const dry = await stage.agent('run', '--dry-run');
    const run = await stage.agent('run', '--once');
    expect([dry.code, run.code]).toEqual([0, 0]);
    const looks = [await stage.agent('status'), await stage.agent('status', `${REPO}#${n}`, '--json')];
    const { uuid } = stage.attempt();
    const files = ['messages.jsonl', 'current.jsonl', 'tools.jsonl', 'summaries.jsonl'].map((name) =>
      stage.text(uuid, name),
    );
    const rows = JSON.stringify([
      stage.query('SELECT * FROM outbox'),
      stage.query('SELECT * FROM tasks'),
      stage.query('SELECT * FROM entries'),
    ]);
    const everywhere = [
      ...stage.comments(n).map(({ body }) => body),
      ...files,
      rows,
      ...[dry, run, ...looks].map(({ stdout, stderr }) => stdout + stderr),
      stage.log(),
      JSON.stringify(stage.model.requests.map(({ body }) => body)),
    ].join('\n');
    for (const form of forms) expect(everywhere).not.toContain(form.slice(0, 20));
    expect(stage.comments(n).at(-1)!.body).toContain('It says:');
  });
});

test('on GitHub label names are compared without case, and taken off as they are spelled', async () => {
  stage = await setStage({ script: [done('Done.')] });
  for (const name of ['Coding Agent', 'Coding Agent Processing', 'Awaiting-Response']) stage.world.addLabel(REPO, name);
  const n = stage.issue();
  stage.world.label(REPO, stage.issue({ labelled: false }), LABEL, 'mallory');
  expect((await stage.tick()).code).toBe(0);
  expect(stage.labelsOverTime(n)[1]).toEqual(['Coding Agent']);
  expect([stage.labels(n), stage.kinds(n)]).toEqual([['Awaiting-Response'], ['progress', 'result']]);
  const removed = stage.playground.journal.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
  expect(removed.filter((path) => path.endsWith('/labels/Coding%20Agent'))).toHaveLength(2);
});

describe('who put the label on', () => {
  test('a stranger: it is taken off without a comment; undecided: it waits; a trusted user: it is worked on', async () => {
    stage = await setStage({ script: () => done('Done.') });
    const byStranger = stage.issue({ labelled: false });
    const undecided = stage.issue({ labelled: false });
    stage.world.label(REPO, byStranger, LABEL, 'mallory');
    stage.world.label(REPO, undecided, LABEL, 'bob');
    stage.world.setAccess(REPO, 'bob', 'triage');
    stage.playground.faults.add({ kind: 'fail_before', status: 403, path: '/collaborators/bob/permission', times: 1 });
    expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect([stage.labels(byStranger), stage.comments(byStranger)]).toEqual([[], []]);
    expect([stage.labels(undecided), stage.model.requests]).toEqual([[LABEL], []]);
    expect(stage.log()).toContain('mallory');

    stage.world.label(REPO, byStranger, LABEL, 'mallory');
    stage.configure({ security: { trusted_users: ['Mallory'] } });
    expect((await stage.tick()).code).toBe(0);
    expect([stage.labels(byStranger), stage.labels(undecided)]).toEqual([['awaiting-response'], ['awaiting-response']]);
  });

  test('check_labeller off: anybody may, also where the forge does not tell who it was', async () => {
    stage = await setStage({ script: () => done('Done.'), config: { security: { check_labeller: false } } });
    const items = [stage.issue({ labelled: false }), stage.issue({ labelled: false })];
    for (const n of items) stage.world.label(REPO, n, LABEL, 'mallory');
    stage.playground.faults.add({ kind: 'fail_before', status: 403, path: `/issues/${items[1]}/events`, times: 1 });
    expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(items.map((n) => stage.labels(n))).toEqual([['awaiting-response'], ['awaiting-response']]);
  });
});

function peekServer(): object {
  return {
    mcp_server_name: 'peek',
    command: [process.execPath, join(process.cwd(), 'test/e2e/servers/peek.mjs'), join(stage.dataDir, 'tasks.db')],
  };
}

function distinct(labels: string[]): string[] {
  return [...new Set(labels)];
}
