import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LABEL, REPO, setStage, type Stage } from './stage.js';

let stage: Stage;
afterEach(() => stage.close());

const PROCESSING = 'coding agent processing';
const done = (comment: string) => ({ done: true as const, comment });
const note = (text: string, comment = '') => ({ text: comment, toolCalls: [{ tool: 'notes/note', args: { text } }] });

describe('while it works', () => {
  test.each([
    ['github', 'label taken off', 'label_removed'],
    ['gitlab', 'closed', 'closed'],
    ['github', 'deleted', 'item_gone'],
    ['gitlab', 'deleted', 'item_gone'],
    ['github', 'unassigned', 'unassigned'],
  ] as const)('on %s: %s in the middle means stop', async (forge, act, reason) => {
    stage = await setStage({ forge, script: [note('one'), done('Never accepted.'), { text: 'One line was noted.' }] });
    const n = stage.issue();
    if (act === 'unassigned') stage.world.assign(REPO, n, 'agent-bot', 'alice');
    stage.model.onRequest = (index, phase) => {
      if (index !== 1 || phase !== 'before') return;
      if (act === 'closed') stage.world.close(REPO, n, 'alice');
      else if (act === 'deleted') stage.world.deleteItem(REPO, n);
      else if (act === 'unassigned') stage.world.unassign(REPO, n, 'agent-bot', 'alice');
      else stage.world.unlabel(REPO, n, PROCESSING, 'alice');
    };
    expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(stage.notes).toEqual(['one']);
    expect(stage.attempt()).toMatchObject({ status: 'stopped' });
    expect(stage.conversation()).toMatchObject({ state: 'stopped', reason });
    expect(stage.lines(stage.attempt().uuid, 'summaries.jsonl')).toEqual([expect.objectContaining({ final: true })]);
    expect(JSON.stringify(stage.comments(n))).not.toContain('Never accepted.');
    if (act === 'deleted') return;
    expect(stage.labels(n)).toEqual(['coding agent stopped']);
    expect(stage.kinds(n)).toEqual(['progress', 'stopped']);
  });

  test('a stop between two turns is seen before the next model call', async () => {
    stage = await setStage({ script: [{ ...note('one'), delayMs: 1050 }, note('two'), { text: 'Summary.' }] });
    const n = stage.issue();
    stage.model.onRequest = (index, phase) =>
      void (index === 0 && phase === 'after' && stage.world.close(REPO, n, 'alice'));
    expect((await stage.tick()).code).toBe(0);
    expect(stage.notes).toEqual(['one']);
    expect(stage.model.requests).toHaveLength(1);
    expect(stage.conversation()).toMatchObject({ state: 'stopped', reason: 'closed' });
    stage.playground.journal.clear();
    expect((await stage.tick()).code).toBe(0);
    expect(stage.playground.journal.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('the pause file lets it rest, keeps new work away, and its removal lets it go on without repeating anything', async () => {
    stage = await setStage({
      script: [note('one', 'First.'), note('two', 'Second.'), done('Both noted.'), { text: 'Summary.' }],
    });
    const [n, other] = [stage.issue(), stage.issue({ title: 'Another' })];
    const signal = join(stage.dataDir, 'pause_signal');
    stage.model.onRequest = (index, phase) => void (index === 0 && phase === 'after' && writeFileSync(signal, ''));
    expect((await stage.tick()).code).toBe(0);
    expect(stage.attempt()).toMatchObject({ status: 'paused', paused_by: 'signal_file' });
    expect([stage.labels(n), stage.labels(other)]).toEqual([['coding agent paused'], [LABEL]]);
    expect(stage.kinds(n)).toEqual(['progress']);
    stage.playground.journal.clear();
    expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect([...stage.playground.journal]).toEqual([]);
    rmSync(signal);
    expect((await stage.agent('run', '--max-tasks', '1')).code).toBe(0);
    expect(stage.notes).toEqual(['one', 'two']);
    expect(stage.kinds(n)).toEqual(['progress', 'result']);
    expect(stage.labels(n)).toEqual(['awaiting-response']);
    expect(stage.query('SELECT count(*) AS n FROM tasks')).toEqual([{ n: 1 }]);
  });
});

describe('limits', () => {
  test.each([
    [true, 'awaiting-response', 'awaiting-response', 'Comment "continue" to continue.'],
    [false, 'stopped', 'coding agent stopped', `To go on, put the label \`${LABEL}\` on again.`],
  ])(
    'max_llm_process_num ends an attempt with what was done (comment_handling %s: %s)',
    async (enabled, state, label, how) => {
      stage = await setStage({
        config: { max_llm_process_num: 2, comment_handling: { enabled } },
        script: ({ n }) => (n < 2 ? note(`line ${n}`, `Step ${n}.`) : { text: 'Two lines noted; the rest is left.' }),
      });
      const n = stage.issue();
      expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
      expect(stage.attempt()).toMatchObject({ status: 'completed', outcome: 'over_budget', llm_call_count: 2 });
      expect(stage.conversation()).toMatchObject({ state, unfinished: 1 });
      expect(stage.labels(n)).toEqual([label]);
      expect(stage.kinds(n)).toEqual(['progress', 'result']);
      expect(stage.comments(n)[1]!.body).toMatch(/^## Partial result[^]*2 LLM calls[^]*Step 1\.[^]*What is left/);
      expect(stage.comments(n)[1]!.body).toContain(how);
      expect(stage.notes).toEqual(['line 0', 'line 1']);
    },
  );

  test('max_tokens_per_task ends it, too', async () => {
    stage = await setStage({ config: { limits: { max_tokens_per_task: 50 } }, script: [note('one', 'First.')] });
    const n = stage.issue();
    expect((await stage.tick()).code).toBe(0);
    expect([stage.model.requests.length, stage.attempt()['outcome']]).toEqual([1, 'over_budget']);
    expect(stage.comments(n)[1]!.body).toMatch(/50 tokens for this task[^]*First\./);
  });

  test('comment_handling off: done leads to the done label', async () => {
    stage = await setStage({ config: { comment_handling: { enabled: false } }, script: [done('Done.')] });
    const n = stage.issue();
    expect((await stage.tick()).code).toBe(0);
    expect([stage.labels(n), stage.conversation()['state']]).toEqual([['coding agent done'], 'completed']);
  });
});
