import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from '../../src/playground/model/steps.js';
import {
  cannot,
  commentOf,
  decision,
  done,
  fail,
  inTurn,
  look,
  note,
  passed,
  plan,
  PLANNING,
  promptAt,
  revision,
  say,
  setPlanningStage,
} from './planning-script.js';
import { REPO, setStage, type Stage } from './stage.js';
import { ago } from './talk.js';

let stage: Stage;
afterEach(() => stage.close());

async function perform(...script: Parameters<typeof setPlanningStage>): Promise<number> {
  stage = await setPlanningStage(...script);
  const n = stage.issue();
  await stage.tick();
  return n;
}

describe('people who speak up', () => {
  test('while an action runs change the plan before the next one', async () => {
    const slow: Step = { ...note('one'), delayMs: 1100 };
    const steps = [
      plan({ id: 'a' }, { id: 'b' }),
      slow,
      done('One.'),
      revision({ id: 'c' }),
      note('c'),
      done('C.'),
      look,
      passed,
    ];
    stage = await setPlanningStage(steps);
    const n = stage.issue();
    stage.model.onRequest = (index, phase) => {
      if (index === 1 && phase === 'before') stage.world.comment(REPO, n, { author: 'alice', body: 'Rather do c.' });
    };
    await stage.tick();
    expect(promptAt(stage, 2)).toBe('[New Comment from @alice]:\nRather do c.');
    expect(promptAt(stage, 3)).toContain('Phase: revision.');
    expect(stage.notes).toEqual(['one', 'c']);
    expect(commentOf(stage, n, 'checklist')).toContain('(Revised #1)');
  });

  test('at the very end are heard before the result is reported, and may leave the plan as it is', async () => {
    const steps = [
      plan({ id: 'a' }),
      note('one'),
      done('One.'),
      look,
      passed,
      say({ plan_revision: { updated_action_plan: null } }),
    ];
    stage = await setPlanningStage(steps);
    const n = stage.issue();
    stage.model.onRequest = (index, phase) => {
      if (index === 4 && phase === 'before')
        stage.world.comment(REPO, n, { author: 'alice', body: 'Looks good so far.' });
    };
    await stage.tick();
    expect(promptAt(stage, 5)).toContain('Phase: revision.');
    expect(commentOf(stage, n, 'result')).toContain('## Completed');
  });
});

describe('a question', () => {
  const ask = decision({ clarification_needed: true, clarification_questions: ['May I break the lock?'] });
  const retry = decision({ replan_type: 'retry' });
  const steps = [plan({ id: 'a' }), cannot, ask, retry, note('open'), done('Open.'), look, passed];

  test.each<[string, Record<string, unknown>]>([
    ['usual', {}],
    ['with comment_handling off', { comment_handling: { enabled: false } }],
    ['with comment_detection off', { comment_detection: { enabled: false } }],
  ])('is answered by a plain OK: %s', async (_, config) => {
    const n = await perform(steps, {}, { config });
    stage.world.comment(REPO, n, { author: 'alice', body: 'OK' });
    await stage.tick();
    expect(stage.query('SELECT status FROM tasks')).toEqual([{ status: 'completed' }]);
    expect(stage.notes).toEqual(['open']);
    expect(stage.shown(3)).toContain('[New Comment from @alice]:\nOK');
  });

  test.each<[string, (n: number) => unknown]>([
    ['/agent stop', (n) => stage.world.comment(REPO, n, { author: 'alice', body: '/agent stop' })],
    ['agent stop', () => stage.agent('stop', `${REPO}#1`)],
    ['the time-out', () => stage.query('UPDATE conversations SET last_processed_at = ?', ago(25))],
  ])('that nobody answers is ended by %s', async (_, end) => {
    const n = await perform(steps);
    await end(n);
    await stage.tick();
    expect(stage.query('SELECT status FROM tasks')).toEqual([{ status: 'stopped' }]);
    expect(stage.labels(n)).toEqual(['coding agent stopped']);
    expect(stage.notes).toEqual([]);
  });
});

describe('what the thread is told', () => {
  const steps = [look, done('I have read it.'), plan({ id: 'task_1' }), fail, note('one'), done('One.'), look, passed];

  test('every call is told in its form, numbered over the attempt, in the one progress comment', async () => {
    const n = await perform(steps, { pre_planning: { enabled: true } });
    const progress = commentOf(stage, n, 'progress');
    for (const form of [
      '## ✅ Pre-Planning - LLM call #1 completed',
      '## ✅ Pre-Planning - LLM call #2\n\nI have read it.',
      '## ✅ Planning - LLM call #3 completed\n\nThe execution plan was made',
      '## ✅ Execution - LLM call #4 completed\n\nAction "task_1" was carried out',
      '## ❌ Error - notes/fail\n\n**Error**: it cannot be done\n\n**Action**: task_1',
      '## ✅ Verification - LLM call #8\n\nAll there.',
    ]) {
      expect(progress).toContain(form);
    }
    expect(stage.comments(n).map(({ body }) => /kind=(\w+) /.exec(body)?.[1])).toEqual([
      'progress',
      'checklist',
      'result',
    ]);
  });

  test('nothing of it where llm_call_comments is off', async () => {
    const n = await perform(steps, { pre_planning: { enabled: true }, llm_call_comments: { enabled: false } });
    expect(commentOf(stage, n, 'progress')).not.toContain('LLM call #');
  });

  test('one comment for each phase with progress_comments: append', async () => {
    const n = await perform(steps, { pre_planning: { enabled: true } }, { config: { progress_comments: 'append' } });
    const phases = stage.comments(n).filter(({ body }) => body.includes('kind=phase '));
    expect(phases.map(({ body }) => /## ✅ ([\w-]+)/.exec(body)?.[1])).toEqual([
      'Pre-Planning',
      'Planning',
      'Execution',
      'Verification',
    ]);
  });

  test('in Japanese where the issue is Japanese', async () => {
    stage = await setPlanningStage(steps, { pre_planning: { enabled: true } });
    const n = stage.issue({ title: '挨拶を直す', body: 'よろしくお願いします。' });
    await stage.tick();
    expect(commentOf(stage, n, 'progress')).toContain(
      '## ✅ 計画作成 - LLM呼び出し #3 完了\n\n実行計画の作成が完了しました',
    );
    expect(commentOf(stage, n, 'checklist')).toContain('## 📋 Execution Plan');
  });
});

test('a pause in the middle of a plan keeps plan, ticks and numbers', async () => {
  const steps = [plan({ id: 'a' }, { id: 'b' }), note('one'), done('One.'), note('two'), done('Two.'), look, passed];
  stage = await setPlanningStage(steps);
  const n = stage.issue();
  const signal = join(stage.dataDir, 'pause_signal');
  stage.model.onRequest = (index, phase) => {
    if (index === 3 && phase === 'before') writeFileSync(signal, '');
  };
  await stage.tick();
  expect(commentOf(stage, n, 'checklist')).toContain('- [x] **a**: work on a\n- [ ] **b**');
  rmSync(signal);
  await stage.tick();
  expect(stage.notes).toEqual(['one', 'two']);
  expect(
    stage.model.requests.filter(({ messages }) => messages.at(-1)?.content.startsWith('Phase: planning')),
  ).toHaveLength(1);
  expect(commentOf(stage, n, 'progress')).toContain('## ✅ Verification - LLM call #7');
});

test('a later attempt is told what was planned, used and found before', async () => {
  const first = [
    plan({ id: 'a' }),
    note('one'),
    done('One.'),
    look,
    say({ verification_passed: false, issues_found: ['no comma'] }),
  ];
  const second = [plan({ id: 'b' }), note('two'), done('Two.'), look, passed];
  stage = await setStage({
    script: (request) =>
      inTurn(request.messages.some(({ content }) => content.includes('Mind the comma')) ? second : first)(request),
    config: { planning: PLANNING },
  });
  const n = stage.issue();
  await stage.tick();
  stage.world.comment(REPO, n, { author: 'alice', body: 'Mind the comma, please.' });
  await stage.tick();
  const prompts = stage.model.requests.map(({ messages }) => messages.at(-1)?.content ?? '');
  const [planned] = prompts.filter((prompt) => prompt.startsWith('Phase: planning')).slice(-1);
  const [action] = prompts.filter((prompt) => prompt.includes('carry out the action b'));
  const [verified] = prompts.filter((prompt) => prompt.startsWith('Phase: verification')).slice(-1);
  expect(planned).toContain('"previous_plan": "continue"');
  expect(action).toContain('Earlier attempts at this task used notes/note:\n- worked: {"text":"one"} → noted');
  expect(verified).toContain(
    'Success criteria of earlier attempts at this task:\n- it says hello\nWhat earlier verifications found:\n- no comma',
  );
});
