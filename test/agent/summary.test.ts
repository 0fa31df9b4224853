import { rowOf, type Attempt } from '../../src/agent/attempt.js';
import { writeFinalSummary, type Ending } from '../../src/agent/summary.js';
import { estimateMessages } from '../../src/lib/tokens.js';
import { ModelError } from '../../src/ports.js';
import { addTurn, memoryRig, openedAttempt, scripted, type Answer, type Rig } from './memory-rig.js';

const DONE: Ending = { kind: 'completed', detail: 'The parser is mended.', askModel: true };
const LLM = 'llm: { openai: { model: some-model, context_length: 8192 } }\n';

let rig: Rig;
afterEach(() => rig.close());

interface Circumstances {
  turns: number;
  yaml: string;
  output: string;
  language: 'en' | 'ja';
}

async function worked(
  answer: Answer,
  { turns = 3, yaml = '', output = 'ok', language = 'en' }: Partial<Circumstances> = {},
) {
  rig = await memoryRig(LLM + yaml);
  const model = scripted(answer);
  const attempt = openedAttempt(rig, model, 'Please mend the parser.', language);
  for (let n = 1; n <= turns; n++) addTurn(attempt, n, output);
  return { attempt, model };
}

function finalSummary({ files }: Attempt): string {
  const lines = files.summaries().filter((line) => line.final);
  expect(lines).toHaveLength(1);
  return lines[0]!.summary;
}

const says =
  (text: string): Answer =>
  () => ({ text });

describe('the final summary', () => {
  it('is asked from the model in an exchange of its own and kept as final', async () => {
    const { attempt, model } = await worked(says('Goal: mend. Remains: nothing.'));
    const before = [...attempt.history.messages];
    await writeFinalSummary(attempt, DONE);
    expect(attempt.files.summaries()).toEqual([
      expect.objectContaining({
        id: 1,
        start_seq: 1,
        end_seq: 8,
        summary: 'Goal: mend. Remains: nothing.',
        final: true,
      }),
    ]);
    const [system, user] = model.requests[0]!.messages;
    expect(system!.content).toMatch(
      /Goal and requirements[^]*Changes[^]*Problems and solutions[^]*Decisions[^]*remains/,
    );
    expect(system!.content).toContain('completed. The parser is mended.');
    expect(user!.content).toContain('Please mend the parser.');
    expect(attempt.history.messages).toEqual(before);
  });

  it.each([
    ['en', 'English'],
    ['ja', 'Japanese'],
  ] as const)("is asked for in the conversation's language (%s)", async (language, name) => {
    const { attempt, model } = await worked(says('…'), { language });
    await writeFinalSummary(attempt, DONE);
    expect(model.requests[0]!.messages[0]!.content).toContain(`Write in ${name}`);
  });

  it('is outside max_llm_process_num, but its tokens count', async () => {
    const { attempt } = await worked(says('all of it'));
    const before = rowOf(attempt);
    await writeFinalSummary(attempt, DONE);
    expect(rowOf(attempt).llmCallCount).toBe(before.llmCallCount);
    expect(rowOf(attempt).totalTokens).toBeGreaterThan(before.totalTokens);
    expect(rig.agent.store.usage.of('2026-03-01')).toBe(rowOf(attempt).totalTokens); // the turn's and the summary's
  });

  it('is written once, however often the attempt is settled', async () => {
    const { attempt, model } = await worked(says('all of it'));
    await writeFinalSummary(attempt, DONE);
    await writeFinalSummary(attempt, { ...DONE, kind: 'failed', detail: 'later' });
    expect(model.requests).toHaveLength(1);
    expect(finalSummary(attempt)).toBe('all of it');
  });

  it('fits the context also where the history hardly does', async () => {
    const { attempt, model } = await worked(says('short'), { turns: 9, output: 'x'.repeat(4000) });
    await writeFinalSummary(attempt, DONE);
    for (const request of model.requests) expect(estimateMessages(request.messages)).toBeLessThan(8192 * 0.875);
    expect(finalSummary(attempt)).toBe('short');
  });
});

function refusing(): never {
  throw new ModelError('refused', 'wrong key', { calls: 1 });
}

describe('without the model', () => {
  const silent: [string, Partial<Ending>, string, number][] = [
    ['the model was the problem', { kind: 'failed', detail: 'wrong key', askModel: false }, '', 3],
    ['the tokens of the task are spent', {}, 'limits: { max_tokens_per_task: 5 }\n', 3],
    ['the tokens of the day are spent', {}, 'limits: { max_tokens_per_day: 1 }\n', 3],
    ['there was a single turn, whose last word says it all', {}, '', 1],
  ];
  it.each(silent)('the summary is composed where %s', async (_why, change, yaml, turns) => {
    const { attempt, model } = await worked(says('asked'), { yaml, turns });
    rig.agent.store.usage.add('2026-03-01', 5);
    const ending = { ...DONE, ...change };
    await writeFinalSummary(attempt, ending);
    expect(model.requests).toHaveLength(0);
    expect(finalSummary(attempt)).toContain('Please mend the parser.');
    expect(finalSummary(attempt)).toContain(ending.detail);
  });

  it.each([
    ['refuses', refusing],
    ['says nothing', says('')],
  ] as [string, Answer][])('the summary is composed where the model %s', async (_how, answer) => {
    const { attempt } = await worked(answer);
    await writeFinalSummary(attempt, DONE);
    expect(finalSummary(attempt)).toContain('Please mend the parser.');
  });

  it('the summary is composed when the process is told to leave', async () => {
    const { attempt, model } = await worked(says('asked'));
    rig.abort.abort(new Error('SIGTERM'));
    await writeFinalSummary(attempt, { kind: 'stopped', detail: 'by a person', askModel: true });
    expect(model.requests).toHaveLength(0);
    expect(finalSummary(attempt)).toContain('Stopped:\nby a person');
  });

  it('it holds the request, the tool calls, the last comments and the error', async () => {
    const { attempt } = await worked(refusing, { language: 'ja' });
    const call = { message: 3, id: 'call_1' };
    const line = { seq: 1, tool: 'files/read', args: { path: 'src/a.ts' }, timestamp: '2026-03-01T12:00:00Z', call };
    attempt.files.appendTool({ ...line, status: 'started' });
    attempt.files.appendTool({ ...line, status: 'error', error: 'no such file' });
    rig.agent.store.entries.add(attempt.uuid, { n: 3, at: rig.clock.now(), text: 'テストを読みます' });
    await writeFinalSummary(attempt, {
      kind: 'failed',
      detail: 'ghs_verySecretToken0123456789 はだめ',
      askModel: true,
    });
    const summary = finalSummary(attempt);
    expect(summary).toMatch(
      /依頼:\nPlease mend[^]*ツール実行:\n- files\/read: 1×, 1 failed \(last: no such file\)\n- files: src\/a.ts/,
    );
    expect(summary).toMatch(/最後のコメント:\nテストを読みます[^]*エラー:\n\*\*\* はだめ/);
  });
});
