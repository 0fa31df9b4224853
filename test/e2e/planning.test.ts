import {
  commentOf,
  decision,
  done,
  fail,
  look,
  missing,
  note,
  passed,
  plan,
  planningLines,
  promptAt,
  say,
  setPlanningStage,
} from './planning-script.js';
import type { Stage } from './stage.js';

let stage: Stage;
afterEach(() => stage.close());

async function perform(...script: Parameters<typeof setPlanningStage>): Promise<number> {
  stage = await setPlanningStage(...script);
  const n = stage.issue();
  await stage.tick();
  return n;
}

describe.each([
  ['openai', true],
  ['openai', false],
  ['lmstudio', true],
  ['lmstudio', false],
  ['ollama', true],
  ['ollama', false],
] as const)('with %s (native tools: %p)', (provider, takesTools) => {
  test('a plan is made, worked on in the order of its dependencies, verified and reported', async () => {
    const steps = [
      look,
      done('I have read it.'),
      plan({ id: 'task_2', needs: ['task_1'] }, { id: 'task_1' }),
      note('first'),
      done('The first part.'),
      note('second'),
      done('The second part.'),
      look,
      passed,
    ];
    const n = await perform(steps, { pre_planning: { enabled: true } }, { provider, takesTools });
    expect(stage.notes).toEqual(['first', 'second']);
    expect(commentOf(stage, n, 'checklist')).toContain(
      '## 📋 Execution Plan\n\n- [x] **task_1**: work on task_1\n- [x] **task_2**: work on task_2\n\n*Progress: 2/2 (100%)*',
    );
    const result = commentOf(stage, n, 'result');
    expect(result).toContain('## Completed');
    expect(result).toContain('**task_1**: The first part.');
    expect(result).toContain('All there.');
    expect(stage.labels(n)).toEqual(['awaiting-response']);
    expect(planningLines(stage).map((line) => line.type)).toEqual(['plan', 'verification']);
  });
});

describe('no box is ticked without work', () => {
  test('an action that names a tool is not done before a call has succeeded', async () => {
    const n = await perform([
      plan({ id: 'task_1' }),
      done('Done!'),
      fail,
      done('Done!'),
      note('really'),
      done('Really.'),
      look,
      passed,
    ]);
    expect(promptAt(stage, 2)).toContain('task_1 is not done: it names the tool notes/note');
    expect(promptAt(stage, 4)).toContain('task_1 is not done');
    expect(stage.notes).toEqual(['really']);
    expect(commentOf(stage, n, 'result')).toContain('Really.');
  });

  test('an analysis is done when the model says so', async () => {
    const n = await perform([plan({ id: 'task_1', tool: null }), done('Thought about it.'), passed]);
    expect(commentOf(stage, n, 'result')).toContain('Thought about it.');
  });

  test('a verification that looks at nothing does not verify', async () => {
    const n = await perform([plan({ id: 'task_1' }), note('x'), done('Done.'), passed, passed, passed]);
    expect(promptAt(stage, 4)).toContain('You have looked at nothing');
    expect(commentOf(stage, n, 'result')).toContain('## Result (not verified)');
  });

  test('an action that takes too many turns has failed', async () => {
    const endless = Array.from({ length: 21 }, (_, at) => note(`note ${at}`));
    const n = await perform([
      plan({ id: 'task_1' }),
      ...endless,
      decision({ replan_needed: false }),
      look,
      say({ verification_passed: false }),
    ]);
    expect(stage.notes).toHaveLength(20);
    expect(commentOf(stage, n, 'failure')).toContain('not finished within 20 turns');
  });
});

describe('a plan that cannot be followed', () => {
  const circle = plan({ id: 'a', needs: ['b'] }, { id: 'b', needs: ['a'] });

  test('is handed back with the reason', async () => {
    const n = await perform([
      circle,
      plan({ id: 'a', tool: 'notes/burn' }),
      plan(),
      plan({ id: 'a' }),
      note('x'),
      done('Done.'),
      look,
      passed,
    ]);
    expect(promptAt(stage, 1)).toContain('the dependencies run in a circle: a → b → a');
    expect(promptAt(stage, 2)).toContain('names the tool notes/burn, which there is not');
    expect(promptAt(stage, 3)).toContain('the plan has no actions');
    expect(commentOf(stage, n, 'result')).toContain('## Completed');
  });

  test('is handed back four times, and the fifth one fails the attempt', async () => {
    const n = await perform([circle, circle, circle, circle, circle]);
    expect(stage.labels(n)).toEqual(['coding agent failed']);
    expect(commentOf(stage, n, 'failure')).toContain('circle');
  });
});

describe('verification', () => {
  test('that finds something missing adds work, and looks again', async () => {
    const n = await perform([
      plan({ id: 'a' }),
      note('one'),
      done('One.'),
      look,
      missing,
      note('comma'),
      done('Comma.'),
      look,
      passed,
    ]);
    expect(stage.notes).toEqual(['one', 'comma']);
    expect(commentOf(stage, n, 'checklist')).toContain(
      '### Original Plan (Completed)\n\n- [x] **a**: work on a\n\n### Additional Work (From Verification)\n\n- [x] **verify_1**: add the comma',
    );
    expect(commentOf(stage, n, 'result')).toContain('## Completed');
  });

  test('that still fails after its rounds is reported as not verified', async () => {
    const steps = [
      plan({ id: 'a' }),
      note('one'),
      done('One.'),
      look,
      missing,
      note('comma'),
      done('Comma.'),
      look,
      missing,
    ];
    const n = await perform(steps, { verification: { max_rounds: 1 } });
    const result = commentOf(stage, n, 'result');
    expect(result).toContain('## Result (not verified)');
    expect(result).toContain('- no comma');
  });

  test('that finds placeholders has not passed, whatever it says', async () => {
    const claimed = say({ verification_passed: true, placeholder_detected: { count: 1, locations: ['main.py:3'] } });
    const n = await perform([plan({ id: 'a' }), note('one'), done('One.'), look, claimed]);
    expect(commentOf(stage, n, 'result')).toContain('- main.py:3');
  });
});
