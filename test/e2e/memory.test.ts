import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { takeRunLock } from '../../src/lib/lock.js';
import { promptTokens } from '../../src/playground/model/dialect.js';
import type { CannedRequest, Step } from '../../src/playground/model/steps.js';
import type { RecordedRequest } from '../../src/playground/model.js';
import type { MessageLine, SummaryLine } from '../../src/records.js';
import { REPO, setStage, type Stage, type StageOptions } from './stage.js';

let stage: Stage;
afterEach(() => stage.close());

const CONTEXT = 8192;
const SUMMARY = 'What remains: go on counting. Decisions: keep the greeting. Changed files: hello.txt. Problems: none.';

function isSummaryRequest({ messages }: Pick<CannedRequest, 'messages'>): boolean {
  return messages.at(-1)!.content.includes('</conversation>');
}

/** Calls a tool with a large output at every turn, and is done after so many. */
function longWork(turns: number): (request: CannedRequest) => Step {
  let turn = 0;
  return (request) => {
    if (isSummaryRequest(request)) return { text: SUMMARY };
    if (++turn > turns) return { done: true, comment: 'Counted.' };
    const args = { text: `line ${turn} of the output\n`, times: 20 + (turn % 8) * 20 };
    return { text: `Step ${turn}`, toolCalls: [{ tool: 'notes/echo', args }] };
  };
}

async function worked(turns: number, options: Partial<StageOptions> = {}): Promise<RecordedRequest[]> {
  const provider = options.provider ?? 'openai';
  stage = await setStage({ script: longWork(turns), contextLength: CONTEXT, ...options });
  const place =
    provider === 'ollama' ? { endpoint: stage.model.urls.ollama } : { base_url: stage.model.urls[provider] };
  stage.configure({
    llm: { provider, [provider]: { ...place, model: 'canned', context_length: CONTEXT } },
    max_llm_process_num: 1000,
    ...options.config,
  });
  stage.issue({ body: 'It says hullo. Count to the end.' });
  expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(stage.attempt()).toMatchObject({ status: 'completed', outcome: 'done' });
  return stage.model.requests.filter((request) => !isSummaryRequest(request));
}

/** How often a request did not begin with the whole of the one before it. */
function brokenPrefixes(requests: RecordedRequest[]): number {
  const texts = requests.map(({ messages }) => messages.map((message) => JSON.stringify(message)));
  return texts.slice(1).filter((text, at) => texts[at]!.some((message, index) => message !== text[index])).length;
}

describe('200 turns with large tool outputs in a context of 8,192 tokens', () => {
  it('finish below the limit by the provider’s own count, with few compressions and stable prefixes between them', async () => {
    const requests = await worked(200);
    expect(requests).toHaveLength(201);
    for (const { messages, body } of stage.model.requests) {
      expect(promptTokens(messages, body['tools'])).toBeLessThan(CONTEXT * 0.875);
    }
    for (const { messages } of requests) {
      expect(messages[0]!.role).toBe('system');
      expect(messages[1]!.content).toContain('Count to the end.');
    }
    const { uuid, compression_count: compressions, compression_tokens: cost } = stage.attempt();
    expect(compressions).toBeGreaterThan(5);
    expect(compressions).toBeLessThan(60);
    expect(cost).toBeGreaterThan(10_000);
    expect(brokenPrefixes(requests)).toBe(compressions);
    expect(stage.lines<SummaryLine>(uuid, 'summaries.jsonl').filter((line) => !line.final)).toHaveLength(
      compressions as number,
    );
    expect(stage.lines<MessageLine>(uuid, 'messages.jsonl').map((line) => line.seq)).toEqual(range(1, 403));
  });
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

describe('a small context', () => {
  it.each([
    [
      'LM Studio without native tools and with a strict template',
      { provider: 'lmstudio', dialect: 'lmstudio', takesTools: false, strictRoles: true },
    ],
    ['Ollama', { provider: 'ollama' }],
  ] as [string, Partial<StageOptions>][])('is enough for a long work with %s', async (_name, options) => {
    await worked(40, options);
    expect(stage.attempt()['compression_count']).toBeGreaterThan(1);
    expect(stage.log()).not.toContain('could not be summarised');
  });

  it('loses nothing where summaries fail for a while', async () => {
    const work = longWork(30);
    let failures = 0;
    const script = (request: CannedRequest): Step =>
      isSummaryRequest(request) && ++failures <= 2 ? { text: '' } : work(request);
    await worked(30, { script });
    expect(stage.log()).toContain('the history could not be summarised');
    expect(stage.attempt()['compression_count']).toBeGreaterThan(0);
  });

  it('goes on after a server that takes less than it is said to', async () => {
    await worked(30, { contextLength: 5000 });
    expect(stage.attempt()['compression_count']).toBeGreaterThan(0);
  });
});

describe('a later attempt', () => {
  const script: Step[] = [
    { toolCalls: [{ tool: 'notes/note', args: { text: 'one' } }] },
    { done: true, comment: 'It says hello now.' },
    { text: 'Goal: the greeting, as @alice wished. Changed: hello.txt. Remains: the tests.' },
    { toolCalls: [{ tool: 'notes/note', args: { text: 'two' } }] },
    { done: true, comment: 'Tests added.' },
    { text: 'Goal: tests for the greeting. Remains: nothing.' },
  ];

  async function followUp(options: {
    title?: string;
    comment?: string;
    config?: Record<string, unknown>;
  }): Promise<{ n: number; uuid: string }> {
    stage = await setStage({ script, ...(options.config && { config: options.config }) });
    const n = stage.issue({ title: options.title ?? 'Fix the greeting' });
    expect((await stage.tick()).code).toBe(0);
    const { uuid } = stage.attempt();
    stage.world.comment(REPO, n, { author: 'alice', body: options.comment ?? 'Please add tests too.' });
    expect((await stage.tick()).code).toBe(0);
    return { n, uuid };
  }

  function opening(): MessageLine[] {
    return stage.lines<MessageLine>(stage.attempt().uuid, 'messages.jsonl').slice(0, 3);
  }

  it('begins with what the last one knew, without names, and says so in the thread', async () => {
    const { n, uuid } = await followUp({});
    const [system, summary, item] = opening();
    expect(system!.role).toBe('system');
    expect(summary).toMatchObject({
      role: 'assistant',
      content: expect.stringMatching(/^Summary of the previous attempt: Goal: the greeting, as \(a user\) wished\./),
    });
    expect(item).toMatchObject({ role: 'user', content: expect.stringContaining('Fix the greeting') });
    expect(
      stage.model.requests[3]!.messages.some(
        ({ role, content }) => role === 'assistant' && content.includes('Remains: the tests.'),
      ),
    ).toBe(true);
    const progress = stage.comments(n).filter(({ body }) => body.includes('kind=progress'))[1]!;
    expect(progress.body).toContain(`- Taken over from: #${uuid.slice(0, 8)}`);
    expect(stage.log()).toContain('inherited the context of an earlier attempt');
  });

  it('says it in Japanese in a Japanese thread, in the words of the source document', async () => {
    const { n, uuid } = await followUp({ title: 'あいさつを直す', comment: 'テストも足してください。' });
    expect(opening()[1]!.content).toMatch(/^前回の処理要約: Goal/);
    const notice = new RegExp(
      `📋 \\*\\*過去のコンテキストを引き継ぎました\\*\\*\\n\\n- 引き継ぎ元: #${uuid.slice(0, 8)}\\n` +
        '- 前回処理日時: \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\n- 引き継ぎ内容: 最終要約\\n\\n過去の処理内容を考慮して、現在の要求に対応します。',
    );
    expect(stage.comments(n).some(({ body }) => notice.test(body))).toBe(true);
  });

  it('begins anew where inheritance is off', async () => {
    const { n } = await followUp({ config: { context_inheritance: { enabled: false } } });
    expect(opening()[1]!.role).toBe('user');
    expect(stage.comments(n).some(({ body }) => body.includes('Taken over'))).toBe(false);
  });
});

describe('what has expired', () => {
  async function expired(): Promise<string> {
    stage = await setStage({
      script: [
        { done: true, comment: 'Done.' },
        { done: true, comment: 'Done.' },
      ],
    });
    stage.issue();
    await stage.tick();
    const { uuid } = stage.attempt();
    stage.query("UPDATE tasks SET completed_at = '2020-01-01T00:00:00.000Z'");
    return uuid;
  }

  it('is deleted by the next tick that works', async () => {
    const uuid = await expired();
    stage.issue({ title: 'Another one' });
    await stage.tick();
    expect(stage.query('SELECT uuid FROM tasks WHERE uuid = ?', uuid)).toEqual([]);
    expect(existsSync(join(stage.dataDir, uuid))).toBe(false);
  });

  it('is deleted by `agent clean`, but not while a run is at work', async () => {
    const uuid = await expired();
    const lock = takeRunLock(join(stage.dataDir, 'run.lock'))!;
    expect(await stage.agent('clean')).toMatchObject({
      code: 75,
      stdout: '',
      stderr: expect.stringContaining('another run is at work'),
    });
    lock.release();
    expect(await stage.agent('clean')).toEqual({ code: 0, stdout: `deleted ${uuid} (octo/hello#1)\n`, stderr: '' });
    expect(existsSync(join(stage.dataDir, uuid))).toBe(false);
  });
});
