import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { MessageLine, ToolLine } from '../../src/records.js';
import { cannot, decision, plan, setPlanningStage } from './planning-script.js';
import { finished, LABEL, notesServer, REPO, setStage, TOKEN, type Stage, type StageOptions } from './stage.js';
import { ago, done, isSummary, note, reactionsOn, talk, turnRequests, type Talk } from './talk.js';

let stage: Stage;
afterEach(() => stage.close());

async function play(script: Talk, options: Partial<StageOptions> = {}): Promise<void> {
  stage = await setStage({ script: talk(script), ...options });
}

/** A tick that is killed at its n-th request to the model. */
async function killedAtRequest(n: number): Promise<void> {
  const child = stage.start(['run']);
  stage.model.onRequest = (index, phase) => {
    if (index !== n || phase !== 'before') return undefined;
    child.kill('SIGKILL');
    return 'hang';
  };
  await finished(child);
  stage.model.onRequest = null;
}

const toolLines = (): [number, string][] =>
  stage.lines<ToolLine>(stage.attempt().uuid, 'tools.jsonl').map(({ seq, status }) => [seq, status]);

describe('tool servers', () => {
  test('start while the first item is read', async () => {
    await play({ turns: [done()] });
    const n = stage.issue();
    const started = join(stage.dir, 'started');
    const [shell, ...notes] = notesServer(join(stage.dir, 'notes.txt'));
    const command = [shell, '-c', 'touch "$0" && exec sh "$@"', started, ...notes];
    stage.configure({ mcp_servers: [{ mcp_server_name: 'notes', command }] });
    let waited = false;
    stage.playground.onRequest = async ({ method, path }) => {
      if (waited || method !== 'GET' || !/issues\/1$/.test(path)) return;
      waited = true;
      while (!readdirSync(stage.dir).includes('started')) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await stage.tick();
    expect(waited).toBe(true);
    expect(stage.labels(n)).toEqual(['awaiting-response']);
  });

  test('one that does not start: nothing is claimed, one line and exit 1; mended, the work is done', async () => {
    await play({ turns: [done()] });
    const n = stage.issue();
    const { mcp_servers } = stage.settings();
    stage.configure({ mcp_servers: [{ mcp_server_name: 'notes', command: ['no-such-program'] }] });
    const { code, stderr } = await stage.tick();
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(stderr).toMatch(/an MCP server does not start: notes:/);
    expect([stage.labels(n), stage.comments(n)]).toEqual([[LABEL], []]);
    stage.configure({ mcp_servers });
    await stage.tick();
    expect(stage.labels(n)).toEqual(['awaiting-response']);
  });

  test('one of its own workspace that does not start: nothing is claimed either, and no folder is left', async () => {
    await play({ turns: [done()] });
    const items = [stage.issue(), stage.issue()];
    stage.configure({ mcp_servers: [{ mcp_server_name: 'notes', command: ['no-such-program', '{workspace}'] }] });
    const { code, stderr } = await stage.tick();
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(items.map((n) => [stage.labels(n), stage.comments(n)])).toEqual(items.map(() => [[LABEL], []]));
    expect(stage.query('SELECT uuid FROM tasks')).toEqual([]);
    expect(readdirSync(stage.dataDir).filter((name) => name.includes('-'))).toEqual([]);
  });

  test('while one is down, the model is not asked again at every tick whether a comment says more than thanks', async () => {
    await play({ turns: [done()] });
    const n = stage.issue();
    await stage.tick();
    stage.world.comment(REPO, n, { author: 'alice', body: 'Thanks, and the farewell?' });
    const { mcp_servers } = stage.settings();
    const asked = stage.model.requests.length;
    stage.configure({ mcp_servers: [{ mcp_server_name: 'notes', command: ['no-such-program'] }] });
    expect([(await stage.tick()).code, stage.model.requests.length]).toEqual([1, asked]);
    stage.configure({ mcp_servers });
    await stage.tick();
    expect([stage.conversation()['comment_count'], stage.labels(n)]).toEqual([1, ['awaiting-response']]);
  });

  test('one in the workspace of the attempt finds its folder and may write there', async () => {
    await play({ turns: [note('hello'), done()] });
    stage.configure({ mcp_servers: [{ mcp_server_name: 'notes', command: notesServer('{workspace}/notes.txt') }] });
    stage.issue();
    await stage.tick();
    expect(toolLines().at(-1)).toEqual([1, 'success']);
    expect(stage.text(stage.attempt().uuid, 'workspace/notes.txt')).toBe('hello\n');
  });

  test('`agent stop` ends a paused attempt even where no server starts', async () => {
    await play({ turns: [note('one'), done()] });
    const n = stage.issue();
    stage.model.onRequest = async (index, phase) => {
      if (index === 0 && phase === 'before') await stage.agent('pause', `${REPO}#${n}`);
    };
    await stage.tick();
    stage.configure({ mcp_servers: [{ mcp_server_name: 'notes', command: ['no-such-program'] }] });
    await stage.agent('stop', `${REPO}#${n}`);
    expect((await stage.tick()).code).toBe(0);
    expect([stage.labels(n), stage.attempt().status]).toEqual([['coding agent stopped'], 'stopped']);
  });
});

describe('killed in a tool call', () => {
  const calls = ['one', 'farewell', 'three'].map((text) => ({ tool: 'notes/note', args: { text } }));
  const ends = done('I looked.');

  test.each<[string, Talk['turns'][number]]>([
    ['native calls', { text: 'Three at once.', toolCalls: calls }],
    ['calls in JSON', { text: JSON.stringify(calls.map((command) => ({ command }))) }],
  ])('the one in flight becomes unknown, the rest is not carried out, and the model is told (%s)', async (_, reply) => {
    stage = await setStage({
      script: (request) => {
        if (isSummary(request)) return { text: 'Summary.' };
        return request.messages.some(({ role }) => role === 'assistant') ? ends : reply;
      },
    });
    const n = stage.issue();
    expect((await finished(stage.start(['run']))).code).toBeNull();
    await stage.tick();
    expect(stage.notes).toEqual(['one', 'farewell']);
    expect(toolLines()).toEqual([
      [1, 'started'],
      [1, 'success'],
      [2, 'started'],
      [2, 'unknown'],
    ]);
    const shown = turnRequests(stage)
      .at(-1)!
      .map(({ content }) => content)
      .join('\n');
    expect(shown).toMatch(
      /noted[^]*unknown: the work was interrupted[^]*Look before you act[^]*not carried out: interr/,
    );
    expect(stage.labels(n)).toEqual(['awaiting-response']);
  });

  test('five calls that ended the same way are still five afterwards', async () => {
    stage = await setStage({
      script: (request) =>
        isSummary(request) ? { text: 'Summary.' } : { toolCalls: [{ tool: 'notes/echo', args: { text: 'x' } }] },
    });
    stage.issue();
    await killedAtRequest(5);
    forgetLastMessage();
    await stage.tick();
    expect(stage.attempt()['error_message']).toMatch(/called 6 times running/);
    expect(stage.attempt()['tool_call_count']).toBe(6);
  });
});

/** As if the process had been killed between the outcome of a call and the message about it. */
function forgetLastMessage(): void {
  for (const name of ['messages.jsonl', 'current.jsonl']) {
    const file = join(stage.dataDir, stage.attempt().uuid, name);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    writeFileSync(file, `${lines.slice(0, -1).join('\n')}\n`);
  }
  stage.query('UPDATE tasks SET last_seq = last_seq - 1');
}

describe('asked to end', () => {
  test.each<[string, number, string, string]>([
    ['while the model thinks', 1, 'running', 'go'],
    ['while the summary is written', 2, 'completed', 'Finished'],
  ])('%s: the progress comment says so, and the next tick finishes', async (_, request, status, says) => {
    await play({ turns: [note('one'), done('All done.')] });
    const n = stage.issue();
    const child = stage.start(['run']);
    stage.model.onRequest = (index, phase) => {
      if (index !== request || phase !== 'before') return undefined;
      child.kill('SIGTERM');
      return 'hang';
    };
    const { code, stderr } = await finished(child);
    expect([code, stderr]).toEqual([143, '']);
    expect([stage.attempt().status, stage.attempt()['take_ups']]).toEqual([status, 0]);
    expect(stage.comments(n)[0]!.body).toMatch(says);
    stage.model.onRequest = null;
    await stage.tick();
    expect([stage.kinds(n), stage.labels(n), stage.notes]).toEqual([
      ['progress', 'result'],
      ['awaiting-response'],
      ['one'],
    ]);
  });

  test('while the server of its workspace starts: that is no take-up in vain', async () => {
    await play({ turns: [done()] });
    const n = stage.issue();
    await killedAtRequest(0);
    const { mcp_servers } = stage.settings();
    const started = join(stage.dir, 'started');
    const script = `require('fs').writeFileSync(${JSON.stringify(started)}, ''); process.stdin.resume()`;
    stage.configure({
      mcp_servers: [{ mcp_server_name: 'slow', command: [process.execPath, '-e', script, '{workspace}'] }],
    });
    const child = stage.start(['run']);
    while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGTERM');
    expect((await finished(child)).code).toBe(143);
    expect([stage.attempt().status, stage.attempt()['take_ups']]).toEqual(['running', 0]);
    stage.configure({ mcp_servers });
    await stage.tick();
    expect(stage.labels(n)).toEqual(['awaiting-response']);
  });

  test('a second signal ends it at once, and nothing is lost', async () => {
    await play({ turns: [note('one'), done()] });
    const n = stage.issue();
    const child = stage.start(['run']);
    stage.model.onRequest = (index, phase) => {
      if (index !== 1 || phase !== 'before') return undefined;
      child.kill('SIGTERM');
      return 'hang';
    };
    stage.playground.onRequest = ({ method }) => {
      if (method !== 'PATCH' || !stage.notes.length) return undefined;
      child.kill('SIGINT'); // while it says its last word
      return 'hang';
    };
    const { code } = await finished(child);
    expect(code).not.toBe(0);
    [stage.model.onRequest, stage.playground.onRequest] = [null, null];
    await stage.tick();
    expect([stage.kinds(n), stage.notes]).toEqual([['progress', 'result'], ['one']]);
  });
});

describe('what broke one task does not stop the others', () => {
  test('an attempt whose files cannot even be opened starts anew or is settled, and the next task is worked on', async () => {
    await play({ turns: [done()] });
    const a = stage.issue();
    await killedAtRequest(0);
    const { uuid } = stage.attempt();
    rmSync(join(stage.dataDir, uuid, 'messages.jsonl'));
    mkdirSync(join(stage.dataDir, uuid, 'messages.jsonl'));
    const b = stage.issue();
    expect(await stage.tick()).toMatchObject({ code: 0, stderr: '' });
    expect([stage.labels(a), stage.labels(b)]).toEqual([['awaiting-response'], ['awaiting-response']]);
  });

  test('an attempt that rests and whose folder is no folder is settled all the same, once', async () => {
    await play({ turns: [note('one'), done()] });
    const n = stage.issue();
    stage.model.onRequest = async (index, phase) => {
      if (index === 0 && phase === 'before') await stage.agent('pause', `${REPO}#${n}`);
    };
    await stage.tick();
    const folder = join(stage.dataDir, stage.attempt().uuid);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    await stage.agent('stop', `${REPO}#${n}`);
    expect([(await stage.tick()).code, (await stage.tick()).code]).toEqual([1, 0]);
    expect(stage.attempt()).toMatchObject({ status: 'failed', paused_by: null });
    expect([stage.labels(n), stage.kinds(n)]).toEqual([['coding agent failed'], ['progress', 'paused', 'failure']]);
  });

  test('a question whose folder was deleted is still closed when nobody answers', async () => {
    const ask = decision({ clarification_needed: true, clarification_questions: ['Which one?'] });
    stage = await setPlanningStage([plan({ id: 'task_1' }), cannot, ask]);
    const n = stage.issue();
    await stage.tick();
    expect(stage.attempt()).toMatchObject({ status: 'paused', paused_by: 'question' });
    rmSync(join(stage.dataDir, stage.attempt().uuid), { recursive: true });
    stage.query('UPDATE conversations SET last_processed_at = ?', ago(25));
    expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect([stage.attempt().status, stage.labels(n)]).toEqual(['stopped', ['coding agent stopped']]);
  });

  test('an attempt that vanishes three ticks running is settled as failed before it is tried again', async () => {
    await play({ turns: [done()] });
    const n = stage.issue();
    await killedAtRequest(0);
    stage.query('UPDATE tasks SET take_ups = 3');
    const other = stage.issue();
    const { code, stderr } = await stage.tick();
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect([stage.labels(n), stage.labels(other)]).toEqual([['coding agent failed'], ['awaiting-response']]);
    expect(stage.kinds(n)).toEqual(['progress', 'failure']);
  });

  test('a disk that was full at every take-up fails nothing: with room again the work is done', async () => {
    await play({ turns: [done()] });
    const n = stage.issue();
    await killedAtRequest(0);
    const folder = join(stage.dataDir, stage.attempt().uuid);
    rmSync(join(folder, 'messages.jsonl'));
    symlinkSync('/dev/full', join(folder, 'metadata.json.tmp'));
    stage.query('UPDATE tasks SET take_ups = 3');
    expect([(await stage.tick()).code, (await stage.tick()).code]).toEqual([1, 1]);
    expect([stage.attempt().status, stage.labels(n)]).toEqual(['running', ['coding agent processing']]);
    rmSync(join(folder, 'metadata.json.tmp'));
    expect((await stage.tick()).code).toBe(0);
    expect([stage.labels(n), stage.kinds(n)]).toEqual([['awaiting-response'], ['progress', 'result']]);
  });

  test('one that vanished even while it was settled is settled without a look at its files', async () => {
    await play({ turns: [done()] });
    const n = stage.issue();
    await killedAtRequest(0);
    stage.query('UPDATE tasks SET take_ups = 4');
    rmSync(join(stage.dataDir, stage.attempt().uuid), { recursive: true });
    expect((await stage.tick()).code).toBe(1);
    expect([stage.labels(n), stage.kinds(n)]).toEqual([['coding agent failed'], ['progress', 'failure']]);
  });

  test('a forge taken out of the configuration with something unwritten keeps nobody waiting', async () => {
    await play({ turns: [done()] }, { forge: 'gitlab' });
    stage.issue();
    await stage.tick();
    stage.query("UPDATE conversations SET wanted_label = 'awaiting-response'");
    const { github } = stage.playground.world;
    github.addRepository(REPO);
    github.addToken(TOKEN, 'agent-bot', { scopes: ['repo'] });
    for (const login of ['agent-bot', 'alice']) github.setAccess(REPO, login, 'write');
    const n = github.addIssue(REPO, { title: 'x', author: 'alice' });
    github.label(REPO, n, LABEL, 'alice');
    const { apiUrl } = stage.playground.github;
    stage.configure({
      task_source: 'github',
      github: { api_url: apiUrl, token: '${BOT_TOKEN}', repositories: [REPO] },
    });
    expect((await stage.tick()).code).toBe(0);
    expect(github.labels(REPO, n)).toEqual(['awaiting-response']);
  });
});

test('a lost database: every item left in processing is taken up, however few a tick takes', async () => {
  await play({ turns: [done()] });
  const items = [stage.issue(), stage.issue()];
  for (const n of items) {
    stage.world.label(REPO, n, 'coding agent processing', 'agent-bot');
    stage.world.unlabel(REPO, n, LABEL, 'agent-bot');
  }
  for (let ticks = 0; ticks < 2; ticks++) await stage.agent('run', '--max-tasks', '1');
  expect(items.map((n) => stage.labels(n))).toEqual([['awaiting-response'], ['awaiting-response']]);
});

test('a command given after the claim and before the opening is obeyed', async () => {
  await play({ turns: [note('one'), done()] });
  const n = stage.issue();
  const child = stage.start(['run']);
  stage.playground.onRequest = ({ method, path }, phase) => {
    if (method !== 'POST' || !/comments$/.test(path) || phase === 'before') return undefined;
    child.kill('SIGKILL');
    return 'hang';
  };
  await finished(child);
  stage.playground.onRequest = null;
  const id = stage.world.comment(REPO, n, { author: 'alice', body: '/agent stop' });
  await stage.tick();
  expect([stage.labels(n), stage.notes, reactionsOn(stage, n, id)]).toEqual([['coding agent stopped'], [], ['+1']]);
});

describe('a marker that somebody copied', () => {
  test('does not take the place of our comment', async () => {
    let n = 0;
    await play({
      turns: [note('one'), done('The real result.')],
      meanwhile: (turn) => {
        if (turn !== 1) return;
        const body = `Mine!\n\n<!-- agent:v1 attempt=${stage.attempt().uuid} kind=result n=1 -->`;
        stage.world.comment(REPO, n, { author: 'mallory', body });
        stage.playground.faults.add({ kind: 'fail_before', status: 502, method: 'POST', path: '/comments' });
      },
    });
    n = stage.issue();
    await stage.tick();
    const [copy, result] = stage.comments(n).slice(1);
    expect(copy).toMatchObject({ author: 'mallory', body: expect.stringMatching(/^Mine!/) as string });
    expect(result).toMatchObject({ author: 'agent-bot', body: expect.stringContaining('The real result.') as string });
  });

  test('does not hide that another installation is at work', async () => {
    await play({ turns: [done()] });
    const n = stage.issue();
    await killedAtRequest(0);
    rmSync(stage.dataDir, { recursive: true });
    stage.world.comment(REPO, n, { author: 'mallory', body: stage.comments(n)[0]!.body });
    await stage.tick();
    expect([stage.labels(n), stage.kinds(n).length]).toEqual([['coding agent processing'], 2]);
  });
});

describe('secrets', () => {
  test('spelled with escapes in JSON reach neither tool nor file', async () => {
    const escaped = [...TOKEN].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    const command = `{"comment":"see","command":{"tool":"notes/note","args":{"text":"${escaped}"}}}`;
    stage = await setStage({
      script: ({ messages }) => (messages.some(({ role }) => role === 'assistant') ? done() : { text: command }),
    });
    stage.issue();
    await stage.tick();
    expect(stage.notes).toEqual(['***']);
    expect(stage.text(stage.attempt().uuid, 'tools.jsonl')).not.toContain(TOKEN);
  });

  test('are looked for in each argument by itself: an address and a mail are not one', async () => {
    const args = { text: 'http://localhost', by: 'alice@example.com' };
    await play({ turns: [{ text: 'x', toolCalls: [{ tool: 'notes/note', args }] }, done()] });
    const n = stage.issue();
    expect((await stage.tick()).code).toBe(0);
    expect(stage.labels(n)).toEqual(['awaiting-response']);
    const [, , reply] = stage.lines<MessageLine>(stage.attempt().uuid, 'messages.jsonl');
    expect(reply!.tool_calls![0]!.args).toEqual(args);
  });
});

test('every file is private to the user, the log’s own book-keeping included', async () => {
  await play({ turns: [note('one'), done()] });
  stage.issue();
  await stage.tick();
  const open = readdirSync(stage.dir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('notes.txt')) // the tool's, not ours
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => (statSync(path).mode & 0o077) !== 0);
  expect(open).toEqual([]);
});

test('once their attempt has expired, our comments are still known as ours', async () => {
  await play({ turns: [done('again')] });
  const n = stage.issue();
  stage.model.behaviour.contextLength = 10;
  await stage.tick(); // fails: nothing fits
  stage.model.behaviour.contextLength = 128_000;
  expect(stage.kinds(n)).toEqual(['progress', 'failure']);
  stage.query('UPDATE tasks SET completed_at = ?, created_at = ?', ago(2400), ago(2400));
  await stage.agent('clean');
  expect(stage.query('SELECT 1 FROM tasks')).toEqual([]);
  stage.world.label(REPO, n, LABEL, 'alice');
  await stage.tick();
  const request = turnRequests(stage).at(-1)!;
  expect(request.map(({ content }) => content).join('\n')).not.toContain('agent-bot');
});
