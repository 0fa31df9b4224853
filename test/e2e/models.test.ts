import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from '../../src/playground/model/steps.js';
import { setStage, type Stage, type StageOptions } from './stage.js';

let stage: Stage;
afterEach(() => stage.close());

const done = (comment: string) => ({ done: true as const, comment });
const note = (text: string, comment = 'Noting.') => ({
  text: comment,
  toolCalls: [{ tool: 'notes/note', args: { text } }],
});

async function oneIssue(options: StageOptions): Promise<number> {
  stage = await setStage(options);
  return stage.issue();
}

describe.each(['openai', 'lmstudio', 'ollama'] as const)('%s', (provider) => {
  test.each([true, false])('works through an issue with function_calling %s', async (native) => {
    const dialect = provider === 'lmstudio' ? 'lmstudio' : 'openai';
    const n = await oneIssue({
      provider,
      dialect,
      strictRoles: provider === 'lmstudio',
      script: [note('hello', 'I will write it down.'), done('All is well.'), { text: 'Summary.' }],
    });
    stage.configure({ llm: { function_calling: native } });
    expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(stage.notes).toEqual(['hello']);
    expect(stage.comments(n)[0]!.body).toContain('I will write it down.');
    expect(stage.comments(n)[1]!.body).toMatch(/^## Completed\n\nAll is well\./);
    const [first, second] = stage.model.requests;
    expect(first!.provider).toBe(provider);
    if (native) {
      expect(first!.tools).toEqual(expect.arrayContaining(['notes/note', 'notes/echo', 'notes/fail', 'done']));
      expect(stage.shown(0)).not.toContain('Tools:');
      expect(second!.messages.at(-1)).toMatchObject({ role: 'tool', content: 'noted' });
    } else {
      expect([first!.tools, first!.schema]).toEqual([null, expect.anything()]);
      expect(stage.shown(0)).toContain('- notes/note(text: string): Writes a line into the notebook.');
      expect(second!.messages.at(-1)).toMatchObject({ role: 'user' });
      expect(second!.messages.at(-1)!.content).toMatch(/notes\/note[^]*"text":"hello"[^]*previous_output:\s*noted/);
    }
    expect(stage.attempt()).toMatchObject({
      llm_provider: provider,
      status: 'completed',
      llm_call_count: 2,
      tool_call_count: 1,
    });
    expect(stage.attempt()['total_tokens']).toBeGreaterThan(300);
    if (provider === 'ollama') expect(first!.body).toMatchObject({ options: { num_ctx: 32_768 } });
  });
});

describe('replies that cannot be read', () => {
  test('five in a row settle the attempt as failed, and each was answered with the complaint', async () => {
    const n = await oneIssue({
      script: [
        { text: 'I think I should look around first.' },
        { text: '{"comment": "only words"}' },
        { text: '' },
        { text: '{"command": {"args": {}}}' },
        { text: '{"done": true, "comment": "never clo', finish: 'length' },
        done('Too late.'),
      ],
    });
    const { code, stdout, stderr } = await stage.tick();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^agent: octo\/hello#1 failed: 5 replies in a row could not be read[^\n]+\n$/);
    expect(stage.model.requests).toHaveLength(5);
    const complaints = stage.model.requests.slice(1).map(({ messages }) => messages.at(-1)!.content);
    expect(complaints).toEqual([
      expect.stringContaining('neither a tool call nor a JSON object'),
      expect.stringContaining('neither "command" nor "done"'),
      expect.stringContaining('empty'),
      expect.stringContaining('does not fit'),
    ]);
    expect(stage.labels(n)).toEqual(['coding agent failed']);
    expect(stage.kinds(n)).toEqual(['progress', 'failure']);
    expect(stage.comments(n)[1]!.body).toMatch(
      /^## Something went wrong\n\nThe model's reply could not be understood 5 times in a row\.[^]*### How to try again/,
    );
    expect(stage.attempt()).toMatchObject({
      status: 'failed',
      llm_call_count: 5,
      error_message: expect.stringContaining('cut short'),
    });
    expect(stage.comments(n)[1]!.body).not.toContain(stage.dir);
    expect(stage.conversation()).toMatchObject({ state: 'failed' });
    expect(stage.log().match(/a reply could not be read/g)).toHaveLength(5);
  });

  test('one that was understood resets the count; what was cut short is never carried out', async () => {
    const cut = { ...note('half'), finish: 'length' as const };
    const n = await oneIssue({
      script: [cut, cut, cut, cut, note('whole'), cut, cut, cut, cut, done('Done.'), { text: 'Summary.' }],
    });
    expect((await stage.tick()).code).toBe(0);
    expect(stage.notes).toEqual(['whole']);
    expect(stage.model.requests[1]!.messages.at(-1)!.content).toContain('cut short');
    expect(stage.labels(n)).toEqual(['awaiting-response']);
  });

  test('JSON between prose, fences and reasoning is understood; nothing inside reasoning counts', async () => {
    const command = (text: string) =>
      JSON.stringify({ comment: 'why', command: { tool: 'notes/note', args: { text } } });
    await oneIssue({
      config: { llm: { function_calling: false } },
      script: [
        { text: `<think>${command('thought')}</think>Sure:\n\`\`\`json\n${command('fenced')}\n\`\`\`\nThat is all.` },
        { text: `Let me see. ${command('in prose')} Good.` },
        { text: `<think>{"done": true}</think>${command('and done').replace(/}$/, ', "done": true}')}` },
        { text: '{"done": true, "comment": "Three lines."}' },
        { text: 'Summary.' },
      ],
    });
    expect((await stage.tick()).code).toBe(0);
    expect(stage.notes).toEqual(['fenced', 'in prose', 'and done']);
    expect(stage.model.requests[3]!.messages.at(-1)!.content).toContain('"done" came together with a call');
  });
});

test('broken arguments are repaired or complained about, and no server is shown any that are no JSON', async () => {
  const called = (id: string, args: string) => {
    const tool_calls = [{ id, type: 'function', function: { name: 'notes__note', arguments: args } }];
    return {
      status: 200,
      body: { choices: [{ message: { content: null, tool_calls }, finish_reason: 'tool_calls' }] },
    };
  };
  await oneIssue({
    script: [
      called('c1', "{'text': 'mended',}"),
      called('c2', 'text=nothing'),
      called('c3', '{"text": "never clo'),
      { text: '{"done": true}', toolCalls: [{ tool: 'notes/note', args: { text: 'last' } }] },
      done('Done.'),
      { text: 'Summary.' },
    ],
  });
  expect((await stage.tick()).code).toBe(0);
  expect(stage.notes).toEqual(['mended', 'last']);
  const { messages } = stage.model.requests[3]!;
  expect(messages.flatMap(({ toolCalls = [] }) => toolCalls).map(({ args }) => args)).toEqual([
    { text: 'mended' },
    { not_json: 'text=nothing' },
    { not_json: '{"text": "never clo' },
  ]);
  expect(messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []))).toEqual([
    'noted',
    'error: the arguments are no JSON object: text=nothing',
    'not carried out',
  ]);
  expect(messages.at(-1)!.content).toContain('cut short');
  expect(stage.model.requests[4]!.messages.at(-1)!.content).toMatch(/^noted\n\n"done" came together with a call/);
});

test('an output above a fifth of the context is cut in its middle, and what is missing is told', async () => {
  await oneIssue({
    script: [
      { toolCalls: [{ tool: 'notes/echo', args: { text: 'x', times: 1_000_000 } }] },
      done('Done.'),
      { text: 'Summary.' },
    ],
  });
  expect((await stage.tick()).code).toBe(0);
  const shown = stage.model.requests[1]!.messages.at(-1)!.content;
  const [, head, missing, tail] = /^(x+)\n\[… (\d+) characters left out …\]\n(x+)$/.exec(shown)!;
  expect(head!.length + Number(missing) + tail!.length).toBe(1_000_000);
  expect(shown.length).toBeLessThanOrEqual((128_000 / 5) * 4);
});

describe('loops', () => {
  test('the same call with the same result is said at the third time and ends the attempt at the sixth', async () => {
    const n = await oneIssue({ script: () => ({ text: 'Trying.', toolCalls: [{ tool: 'notes/fail', args: {} }] }) });
    const { code, stderr } = await stage.tick();
    expect([code, stderr]).toEqual([1, expect.stringContaining('notes/fail was called 6 times running')]);
    expect(stage.model.requests).toHaveLength(6);
    const warned = stage.model.requests
      .slice(1)
      .map(({ messages }) => messages.at(-1)!.content.includes('times running'));
    expect(warned).toEqual([false, false, true, true, true]);
    expect(stage.kinds(n)).toEqual(['progress', 'failure']);
    expect(stage.comments(n)[1]!.body).toMatch(
      /notes\/fail gave the same result 6 times running[^]*### What was tried\n\n- Trying\.[^]*it cannot be done/,
    );
    expect(stage.labels(n)).toEqual(['coding agent failed']);
  });
});

test('a server that refuses tools is talked to in the JSON protocol, and that is remembered', async () => {
  await oneIssue({
    takesTools: false,
    script: ({ messages }) =>
      messages.some(({ content }) => content.includes('previous_output')) ? done('Done.') : note('hello'),
  });
  expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(stage.notes).toEqual(['hello']);
  expect(stage.model.requests[0]!.tools).not.toBeNull();
  expect(stage.model.requests.slice(1).every(({ tools }) => tools === null)).toBe(true);
  expect(stage.shown(1)).toContain('- notes/note(text: string)');
  const before = stage.model.requests.length;
  stage.issue({ title: 'Another' });
  expect((await stage.tick()).code).toBe(0);
  expect(stage.model.requests.slice(before).every(({ tools }) => tools === null)).toBe(true);
});

describe('a request that does not fit', () => {
  let turns: number;
  const small = () => {
    const { openai } = stage.settings()['llm'] as { openai: object };
    stage.configure({ llm: { openai: { ...openai, context_length: 32_000 } } });
  };

  /** Eight wordy turns, then what the script says for those after them; summaries as told. */
  async function afterEightTurns(steps: Step[], summary: Step = { text: 'Summary.' }): Promise<number> {
    turns = 0;
    const n = await oneIssue({
      script: ({ messages }) => {
        if (messages[0]!.content.includes('summar')) return summary;
        turns++;
        return turns <= 8 ? note(`line ${turns}`, 'words '.repeat(500)) : steps[Math.min(turns - 9, steps.length - 1)]!;
      },
    });
    small();
    return n;
  }

  test('is compressed and asked once more', async () => {
    const n = await afterEightTurns([{ overflow: true }, done('Fits.')]);
    expect((await stage.tick()).code).toBe(0);
    expect(stage.labels(n)).toEqual(['awaiting-response']);
    expect([turns, stage.attempt()['compression_count']]).toEqual([10, 1]);
  });

  test('fails when it does not fit after that either, without a third try', async () => {
    const n = await afterEightTurns([{ overflow: true }]);
    expect((await stage.tick()).code).toBe(1);
    expect(stage.labels(n)).toEqual(['coding agent failed']);
    expect([turns, stage.attempt()['compression_count']]).toEqual([10, 1]);
  });

  test('is compressed also where the same turn had to do without tools first', async () => {
    const refusal = { status: 400, body: { error: { message: 'tools are not supported', param: 'tools' } } };
    const n = await afterEightTurns([refusal, { overflow: true }, done('Both mended.')]);
    expect((await stage.tick()).code).toBe(0);
    expect(stage.labels(n)).toEqual(['awaiting-response']);
    expect(stage.attempt()).toMatchObject({ compression_count: 1 });
    expect(stage.model.requests.at(-2)!.tools).toBeNull();
  });
});

describe('an attempt that rested while its model ceased to take tools', () => {
  async function rested(): Promise<void> {
    let down = false;
    await oneIssue({
      script: ({ messages }) => {
        if (messages[0]!.content.includes('summar')) return { text: 'Summary.' };
        if (messages.some(({ content }) => content.includes('Second'))) return done('Done.');
        const turns = messages.filter(({ role }) => role === 'assistant').length;
        down = turns === 1 && !down;
        if (down) return { status: 429, headers: { 'retry-after': '90' } };
        return turns < 2 ? note(`line ${turns}`) : done('Done.');
      },
    });
    await stage.tick();
    expect(stage.attempt()).toMatchObject({ status: 'paused' });
  }

  async function goesOn(): Promise<number> {
    stage.query('UPDATE tasks SET not_before = ?', new Date(Date.now() - 1000).toISOString());
    const before = stage.model.requests.length;
    expect((await stage.tick()).code).toBe(0);
    return before;
  }

  test('is shown the tools in its prompt once function_calling is off', async () => {
    await rested();
    stage.configure({ llm: { function_calling: false } });
    const next = await goesOn();
    expect(stage.model.requests[next]!.tools).toBeNull();
    expect(stage.shown(next)).toContain('- notes/note(text: string)');
    expect(stage.shown(next).match(/^\[system\]/gm)).toHaveLength(1);
  });

  test('is shown them once another task has learnt it, too', async () => {
    await rested();
    stage.model.behaviour.takesTools = false;
    stage.issue({ title: 'Second' });
    expect((await stage.tick()).code).toBe(0);
    const next = await goesOn();
    expect(stage.shown(next)).toContain('- notes/note(text: string)');
  });

  test('has its prompt written anew only once where the template has no place for the tools', async () => {
    await rested();
    writeFileSync(join(stage.dir, 'plain.txt'), 'You are a coding agent.');
    stage.configure({ llm: { function_calling: false }, system_prompt: 'plain.txt' });
    await goesOn();
    expect(stage.notes).toEqual(['line 0', 'line 1']);
    const roles = stage.lines<{ role: string }>(stage.attempt().uuid, 'messages.jsonl').map(({ role }) => role);
    expect(roles.filter((role) => role === 'system')).toHaveLength(2);
  });
});

test('where the server counts no tokens the prompt is estimated, for the limits of the task and of the day', async () => {
  await oneIssue({
    config: { limits: { max_tokens_per_task: 20_000 } },
    script: ({ n }) => ({ ...note(`line ${n}`), usage: null }),
  });
  stage.world.editItem('octo/hello', 1, { body: 'word '.repeat(5000) }, 'alice');
  expect((await stage.tick()).code).toBe(0);
  expect(stage.attempt()).toMatchObject({ status: 'completed', outcome: 'over_budget' });
  expect(stage.model.requests.length).toBeLessThan(5);
  expect(stage.attempt()['total_tokens']).toBeGreaterThanOrEqual(20_000);
  expect(stage.query<{ tokens: number }>('SELECT tokens FROM usage')[0]!.tokens).toBe(stage.attempt()['total_tokens']);
});

test('two tasks: one fails, the other is worked on all the same', async () => {
  const n = await oneIssue({
    script: ({ messages }) =>
      messages.some(({ content }) => content.includes('Impossible')) ? { text: 'No idea.' } : done('Easy.'),
  });
  stage.world.editItem('octo/hello', n, { title: 'Impossible' }, 'alice');
  const other = stage.issue({ title: 'Possible' });
  const { code, stderr } = await stage.tick();
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^agent: octo\/hello#1 failed: [^\n]+\n$/)]);
  expect([stage.labels(n), stage.labels(other)]).toEqual([['coding agent failed'], ['awaiting-response']]);
  expect(stage.query('SELECT task_id, status FROM tasks ORDER BY rowid')).toEqual([
    { task_id: '1', status: 'failed' },
    { task_id: '2', status: 'completed' },
  ]);
});
