import { fitContext } from '../../src/agent/compression.js';
import { Failure, Park } from '../../src/agent/interrupts.js';
import { rowOf, type Attempt } from '../../src/agent/attempt.js';
import { estimateMessages } from '../../src/lib/tokens.js';
import { ModelError, type AskRequest, type ChatMessage } from '../../src/ports.js';
import {
  addTurn,
  attemptOf,
  isSummaryRequest,
  memoryRig,
  openedAttempt,
  scripted,
  type Answer,
  type Rig,
} from './memory-rig.js';

const LLM = 'llm: { openai: { model: some-model, context_length: 8192 } }\n';
const SUMMARY = 'What remains: the tests. Decisions: keep the old name. Changed files: src/parser.ts.';
const OUTPUT = 'a line of output\n'.repeat(200);

let rig: Rig;
afterEach(() => rig.close());

async function attemptWith(answer: Answer, options: { yaml?: string; scale?: number; contextLength?: number } = {}) {
  rig = await memoryRig(LLM + (options.yaml ?? ''));
  const model = scripted(answer, options);
  return { model, attempt: openedAttempt(rig, model) };
}

const summarising: Answer = () => ({ text: SUMMARY });

function fill(attempt: Attempt, turns: number, output = OUTPUT): void {
  for (let n = 1; n <= turns; n++) addTurn(attempt, n, `${n}\n${output}`);
}

function contents(attempt: Attempt): string[] {
  return attempt.history.messages.map((line) => line.content);
}

describe('the context of an attempt', () => {
  it('is left alone below the threshold', async () => {
    const { attempt, model } = await attemptWith(summarising);
    fill(attempt, 3);
    await fitContext(attempt, {});
    expect(model.requests).toHaveLength(0);
    expect(attempt.history.messages).toHaveLength(8);
  });

  it('is summarised above the threshold; system prompt, request and recent messages stay', async () => {
    const { attempt, model } = await attemptWith(summarising);
    fill(attempt, 8);
    const newest = contents(attempt).slice(-2);
    await fitContext(attempt, {});
    const [system, request, summary, ...recent] = contents(attempt);
    expect(system).toBe('You are a coding agent.');
    expect(request).toBe('Please mend the parser.');
    expect(summary).toContain(SUMMARY);
    expect(recent.slice(-2)).toEqual(newest);
    expect(model.requests).toHaveLength(1);
    expect(estimateMessages([...attempt.history.messages])).toBeLessThan(0.7 * 8192);
  });

  it('honours the threshold and the number of recent messages that are configured', async () => {
    const yaml = 'context_storage: { compression_threshold: 0.3, keep_recent_messages: 2 }\n';
    const { attempt, model } = await attemptWith(summarising, { yaml });
    fill(attempt, 3);
    await fitContext(attempt, {});
    expect(model.requests).toHaveLength(1);
    expect(attempt.history.messages.map((line) => line.role)).toEqual(['system', 'user', 'user', 'assistant', 'tool']);
  });

  it('keeps nothing recent where that is asked for', async () => {
    const yaml = 'context_storage: { compression_threshold: 0.3, keep_recent_messages: 0 }\n';
    const { attempt } = await attemptWith(summarising, { yaml });
    fill(attempt, 3);
    await fitContext(attempt, {});
    expect(attempt.history.messages.map((line) => line.role)).toEqual(['system', 'user', 'user']);
    attempt.history.append({ role: 'user', content: 'more' });
    expect(attempt.history.messages.at(-1)!.seq).toBe(9);
  });

  it.each([1, 2, 3, 4, 5, 6, 7])('never parts a call from its result (keeping %i messages)', async (keep) => {
    const { attempt } = await attemptWith(summarising, {
      yaml: `context_storage: { keep_recent_messages: ${keep} }\n`,
    });
    fill(attempt, 8);
    await fitContext(attempt, {});
    const lines = attempt.history.messages;
    const called = new Set(lines.flatMap((line) => line.toolCalls ?? []).map((call) => call.id));
    const answered = new Set(lines.flatMap((line) => line.toolCallId ?? []));
    expect(answered.size).toBeGreaterThan(0);
    expect(called).toEqual(answered);
  });

  it('begins its summary with the open plan', async () => {
    const { attempt } = await attemptWith(summarising);
    rig.agent.store.attempts.update(attempt.uuid, { progress: { requestEnd: 2, pinned: 'Plan:\n[ ] task_1: mend' } });
    fill(attempt, 8);
    await fitContext(attempt, {});
    expect(contents(attempt)[2]).toMatch(/^Plan:\n\[ \] task_1: mend\n\n/);
  });

  it('keeps the prompt of the planning step that is being worked on, however often it is compressed', async () => {
    const { attempt } = await attemptWith(summarising);
    attempt.history.append({ role: 'user', content: 'Phase: pre-planning.', progress: { begun: true } });
    fill(attempt, 2);
    attempt.history.append({
      role: 'user',
      content: 'Phase: verification. Answer in this shape.',
      progress: { begun: true },
    });
    for (const round of [1, 2, 3]) {
      fill(attempt, 8);
      await fitContext(attempt, {});
      expect(rowOf(attempt).compressionCount).toBe(round);
      expect(contents(attempt).filter((content) => content.startsWith('Phase:'))).toEqual([
        'Phase: verification. Answer in this shape.',
      ]);
    }
    rig.agent.store.attempts.update(attempt.uuid, { progress: { ...rowOf(attempt).progress, begun: false } });
    fill(attempt, 8);
    await fitContext(attempt, {});
    expect(contents(attempt).join()).not.toContain('Phase:');
  });

  it('takes the provider at its word: what it counts more than we estimate is heeded', async () => {
    const { attempt, model } = await attemptWith(summarising, { scale: 2 });
    fill(attempt, 4);
    addTurn(attempt, 5, 'short', { prompt: 7000, completion: 20 });
    await fitContext(attempt, {});
    expect(model.requests).toHaveLength(1);
    expect(2 * estimateMessages([...attempt.history.messages])).toBeLessThan(0.7 * 8192);
    attempt.files.close();
    const reopened = attemptOf(rig, attempt.conversation, rowOf(attempt), model);
    expect(reopened.history.nextRequestTokens()).toBeLessThan(0.7 * 8192);
  });
});

describe('the summary exchange', () => {
  it('is a separate one that carries the old messages once, as text, and demands what must survive', async () => {
    const { attempt, model } = await attemptWith(summarising);
    fill(attempt, 8);
    await fitContext(attempt, {});
    const { messages, tools } = model.requests[0]!;
    expect(messages.map((message) => message.role)).toEqual(['system', 'user']);
    expect(tools).toBeUndefined();
    expect(messages[0]!.content).toMatch(/remains[^]*Decisions[^]*Changed files[^]*Problems/);
    expect(messages[1]!.content.split('Step 1\n')).toHaveLength(2);
    expect(messages[1]!.content).not.toContain('Please mend the parser.');
  });

  it('goes in pieces where the old messages are larger than the context', async () => {
    const { attempt, model } = await attemptWith(summarising, {
      yaml: 'context_storage: { keep_recent_messages: 2 }\n',
    });
    fill(attempt, 30);
    await fitContext(attempt, {});
    expect(model.requests.length).toBeGreaterThan(2);
    for (const request of model.requests) expect(estimateMessages(request.messages)).toBeLessThan(8192 * 0.875);
    expect(model.requests[1]!.messages[1]!.content).toContain(SUMMARY);
    expect(contents(attempt)[2]).toContain(SUMMARY);
  });

  it('is counted: calls, tokens, and what compressions cost', async () => {
    const { attempt } = await attemptWith(summarising);
    fill(attempt, 8);
    const before = rowOf(attempt);
    const usedBefore = rig.agent.store.usage.of('2026-03-01');
    await fitContext(attempt, {});
    const row = rowOf(attempt);
    expect(row.compressionCount).toBe(1);
    expect(row.compressionTokens).toBeGreaterThan(1000);
    expect(row.totalTokens - before.totalTokens).toBe(row.compressionTokens);
    expect(row.llmCallCount - before.llmCallCount).toBe(1);
    expect(row.turnCount).toBe(before.turnCount);
    expect(rig.agent.store.usage.of('2026-03-01') - usedBefore).toBe(row.compressionTokens);
  });

  it('leaves a line in summaries.jsonl', async () => {
    const { attempt } = await attemptWith(summarising);
    fill(attempt, 8);
    await fitContext(attempt, {});
    const [line] = attempt.files.summaries();
    expect(line).toMatchObject({ id: 1, start_seq: 3, summary: SUMMARY, timestamp: '2026-03-01T12:00:00.000Z' });
    expect(line!.end_seq).toBe(attempt.history.messages[2]!.seq);
    expect(line!.ratio).toBeCloseTo(line!.summary_tokens / line!.original_tokens, 2);
    expect(line!.final).toBeUndefined();
  });

  it('is not repeated after a crash between summary and new context', async () => {
    const { attempt, model } = await attemptWith(summarising);
    fill(attempt, 8);
    const before = [...attempt.history.messages];
    await fitContext(attempt, {});
    attempt.files.replaceCurrent(before);
    attempt.files.close();
    const resumed = attemptOf(rig, attempt.conversation, rowOf(attempt), model);
    rig.agent.store.attempts.update(attempt.uuid, { progress: { requestEnd: 2 } });
    await fitContext(resumed, {});
    expect(model.requests).toHaveLength(1);
    expect(contents(resumed)).toEqual(contents(attempt));
    expect(resumed.files.summaries()).toHaveLength(1);
  });

  it('does not hand secrets on', async () => {
    const { attempt } = await attemptWith(() => ({ text: 'the token is ghs_verySecretToken0123456789' }));
    fill(attempt, 8);
    await fitContext(attempt, {});
    expect(contents(attempt)[2]).not.toContain('verySecret');
    expect(attempt.files.summaries()[0]!.summary).not.toContain('verySecret');
  });

  it('forgets reasoning', async () => {
    const { attempt } = await attemptWith(() => ({ text: `<think>let me see</think>${SUMMARY}` }));
    fill(attempt, 8);
    await fitContext(attempt, {});
    expect(contents(attempt)[2]).not.toContain('let me see');
  });
});

function down(): never {
  throw new ModelError('unreachable', 'no answer', { calls: 4 });
}

describe('a summary that fails', () => {
  it.each([
    ['is empty', () => ({ text: ' ' })],
    ['is reasoning only', () => ({ text: '<think>hm' })],
    ['cannot be had', down],
  ] as [string, Answer][])('(it %s) leaves everything as it was', async (_how, answer) => {
    const { attempt } = await attemptWith(answer);
    fill(attempt, 8);
    const before = contents(attempt);
    await fitContext(attempt, {});
    expect(contents(attempt)).toEqual(before);
    expect(attempt.files.summaries()).toEqual([]);
    expect(rowOf(attempt).compressionCount).toBe(0);
    expect(rig.log).toContainEqual(
      expect.objectContaining({ level: 'warning', message: 'the history could not be summarised' }),
    );
  });

  it('is tried again when the context has grown, not at every turn', async () => {
    const { attempt, model } = await attemptWith(() => ({ text: '' }));
    fill(attempt, 7, OUTPUT);
    await fitContext(attempt, {});
    expect(model.requests).toHaveLength(1);
    addTurn(attempt, 8, 'short');
    await fitContext(attempt, {});
    expect(model.requests).toHaveLength(1);
    addTurn(attempt, 9, OUTPUT + OUTPUT);
    await fitContext(attempt, {});
    expect(model.requests).toHaveLength(2);
  });

  it('gives way to cutting the largest tool outputs where there is no time to wait', async () => {
    const { attempt } = await attemptWith(() => ({ text: '' }));
    fill(attempt, 12);
    const newest = contents(attempt).at(-1);
    await fitContext(attempt, {});
    expect(estimateMessages([...attempt.history.messages])).toBeLessThan(8192 * 0.875);
    expect(attempt.history.messages).toHaveLength(26);
    expect(contents(attempt).at(-1)).toBe(newest);
    expect(contents(attempt)[3]).toContain('characters left out');
  });

  it('counts the calls it took', async () => {
    const { attempt } = await attemptWith(down);
    fill(attempt, 8);
    const before = rowOf(attempt).llmCallCount;
    await fitContext(attempt, {});
    expect(rowOf(attempt).llmCallCount - before).toBe(4);
  });

  it('lets an abort through', async () => {
    const stop = new Error('told to stop');
    const { attempt } = await attemptWith(() => {
      throw stop;
    });
    fill(attempt, 8);
    await expect(fitContext(attempt, {})).rejects.toBe(stop);
  });
});

describe('a request that the server refuses for its size', () => {
  it('is compressed whatever we had counted', async () => {
    const { attempt, model } = await attemptWith(summarising);
    fill(attempt, 4);
    const before = estimateMessages([...attempt.history.messages]);
    await fitContext(attempt, { force: true });
    for (const request of model.requests) expect(estimateMessages(request.messages)).toBeLessThan(before);
    expect(contents(attempt)[2]).toContain(SUMMARY);
    expect(estimateMessages([...attempt.history.messages])).toBeLessThan(before * 0.7);
  });

  it('fails the attempt with the reason where nothing can be left out', async () => {
    const { attempt } = await attemptWith(summarising);
    const cause = new ModelError('overflow', '8192 tokens are not enough', { calls: 1 });
    const failure: unknown = await fitContext(attempt, { force: true, cause }).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ reason: 'context', cause });
    expect((failure as Error).message).toContain('8192 tokens are not enough');
  });

  it('parks the attempt where only the model could help and it is down', async () => {
    const { attempt } = await attemptWith(down);
    attempt.history.append({ role: 'assistant', content: 'x'.repeat(40_000), finish: 'stop', calls: 1 });
    attempt.history.append({ role: 'assistant', content: 'and', finish: 'stop', calls: 1 });
    await expect(fitContext(attempt, {})).rejects.toBeInstanceOf(Park);
  });

  it('parks the attempt where the summary that the overflow asks for meets a model that is down', async () => {
    const { attempt } = await attemptWith(down);
    attempt.history.append({ role: 'assistant', content: 'x'.repeat(20_000), finish: 'stop', calls: 1 });
    attempt.history.append({ role: 'assistant', content: 'and', finish: 'stop', calls: 1 });
    const cause = new ModelError('overflow', '8192 tokens are not enough', { calls: 1 });
    await expect(fitContext(attempt, { force: true, cause })).rejects.toBeInstanceOf(Park);
  });
});

it('between two compressions each request extends the one before it, and all stay below the limit by a stricter count than ours', async () => {
  const say: Answer = (request) => ({ text: isSummaryRequest(request) ? SUMMARY.repeat(8) : 'next' });
  const { attempt, model } = await attemptWith(say, { scale: 1.3 });
  for (let n = 1; n <= 60; n++) {
    await fitContext(attempt, {});
    const { line } = await attempt.llm.getResponse();
    const output = `${n} ${OUTPUT.slice(0, (n % 10) * 320)}`;
    attempt.history.append({ role: 'user', content: `command: {"n":${n}}\nprevious_output:\n${output}` });
    expect(line.usage!.prompt + 1024).toBeLessThan(8192);
  }
  const compressions = rowOf(attempt).compressionCount;
  expect(compressions).toBeGreaterThan(1);
  expect(compressions).toBeLessThan(14);
  expect(brokenPrefixes(model.requests)).toBe(compressions);
});

/** How often a request did not extend the one before it byte for byte. */
function brokenPrefixes(requests: AskRequest[]): number {
  const own = requests.filter((request) => !isSummaryRequest(request)).map(({ messages }) => messages);
  return own.slice(1).filter((messages, at) => !extend(messages, own[at]!)).length;
}

function extend(messages: ChatMessage[], before: ChatMessage[]): boolean {
  return JSON.stringify(messages.slice(0, before.length)) === JSON.stringify(before);
}
