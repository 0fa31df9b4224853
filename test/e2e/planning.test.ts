import {
  actionOf,
  cannot,
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
  reflection,
  revision,
  say,
  setPlanningStage,
} from './planning-script.js';
import { REPO, type Stage } from './stage.js';

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

describe('an action that fails', () => {
  test('may be tried again, but not for the same error twice', async () => {
    const retry = decision({ replan_type: 'retry' });
    const steps = [plan({ id: 'task_1' }, { id: 'task_2' }), cannot, retry, cannot, note('two'), done('Two.'), look];
    const n = await perform([...steps, say({ verification_passed: false, issues_found: ['task_1 is missing'] })]);
    expect(promptAt(stage, 3)).toContain('It failed before: The door is locked.');
    expect(promptAt(stage, 4)).toContain('Now carry out the action task_2');
    const result = commentOf(stage, n, 'result');
    expect(result).toContain('## Result (not verified)');
    expect(result).toContain('- task_1 is missing');
    expect(commentOf(stage, n, 'checklist')).toContain('- [ ] **task_1**');
  });

  test('leaves what depends on it undone, where nothing is decided', async () => {
    const steps = [plan({ id: 'task_1' }, { id: 'task_2', needs: ['task_1'] }, { id: 'task_3' }), cannot];
    const n = await perform(
      [...steps, decision({ confidence: 0.2, replan_type: 'retry' }), note('three'), done('Three.')],
      {
        verification: { enabled: false },
      },
    );
    expect(stage.notes).toEqual(['three']);
    const result = commentOf(stage, n, 'result');
    expect(result).toContain('## Result (not verified)');
    expect(result).toContain('**task_2**: work on task_2');
  });

  test('may have the rest of the plan regenerated, while what is finished stays finished', async () => {
    const steps = [
      plan({ id: 'task_1' }, { id: 'task_2' }),
      note('one'),
      done('One.'),
      cannot,
      decision({ replan_type: 'regenerate' }),
    ];
    const n = await perform([
      ...steps,
      revision({ id: 'task_1' }, { id: 'task_9' }),
      note('nine'),
      done('Nine.'),
      look,
      passed,
    ]);
    expect(stage.notes).toEqual(['one', 'nine']);
    expect(commentOf(stage, n, 'checklist')).toContain(
      '## 📋 Execution Plan (Revised #1)\n\n- [x] **task_1**: work on task_1\n- [x] **task_9**',
    );
    expect(planningLines(stage).map((line) => line.type)).toEqual([
      'plan',
      'replan_decision',
      'revision',
      'verification',
    ]);
  });

  test('may have what is left decomposed anew', async () => {
    const steps = [
      plan({ id: 'task_1' }, { id: 'task_2' }),
      note('one'),
      done('One.'),
      cannot,
      decision({ replan_type: 'redecompose' }),
    ];
    const n = await perform([
      ...steps,
      plan({ id: 'part_1' }, { id: 'part_2' }),
      note('a'),
      done('A.'),
      note('b'),
      done('B.'),
      look,
      passed,
    ]);
    expect(stage.notes).toEqual(['one', 'a', 'b']);
    expect(commentOf(stage, n, 'checklist')).toContain(
      '(Revised #1)\n\n- [x] **task_1**: work on task_1\n- [x] **part_1**',
    );
  });

  test('may need an answer, which resumes the same attempt and plan', async () => {
    const ask = decision({ clarification_needed: true, clarification_questions: ['Where is the key?'] });
    const steps = [
      plan({ id: 'task_1' }),
      cannot,
      ask,
      ask,
      decision({ replan_type: 'retry' }),
      note('open'),
      done('Open.'),
      look,
      passed,
    ];
    const n = await perform(steps);
    expect(commentOf(stage, n, 'question')).toContain('1. Where is the key?');
    expect(stage.labels(n)).toEqual(['awaiting-response']);
    expect(stage.query('SELECT status, paused_by FROM tasks')).toEqual([{ status: 'paused', paused_by: 'question' }]);
    await stage.tick();
    expect(stage.model.requests).toHaveLength(3);
    stage.world.comment(REPO, n, { author: 'alice', body: 'Under the mat.' });
    await stage.tick();
    expect(promptAt(stage, 3)).toContain('their answer stands above');
    expect(promptAt(stage, 4)).toContain('You asked exactly this before');
    expect(stage.query('SELECT status FROM tasks')).toEqual([{ status: 'completed' }]);
    expect(stage.comments(n).filter(({ body }) => body.includes('kind=question '))).toHaveLength(1);
    expect(commentOf(stage, n, 'result')).toContain('Open.');
  });

  test('is a failure of the attempt, where nothing at all got done', async () => {
    const n = await perform([plan({ id: 'task_1' }), cannot], {
      verification: { enabled: false },
      replanning: { enabled: false },
    });
    expect(stage.labels(n)).toEqual(['coding agent failed']);
    expect(commentOf(stage, n, 'failure')).toContain('The door is locked.');
  });
});

describe('reflection', () => {
  const REFLECTION = { reflection: { enabled: true, trigger_interval: 1, max_count: 1 } };

  test('comes after so many actions, and not more often than allowed', async () => {
    const work = [
      note('one'),
      done('One.'),
      reflection(false),
      note('two'),
      done('Two.'),
      note('three'),
      done('Three.'),
      look,
      passed,
    ];
    await perform([plan({ id: 'a' }, { id: 'b' }, { id: 'c' }), ...work], REFLECTION);
    expect(stage.notes).toEqual(['one', 'two', 'three']);
    expect(planningLines(stage).map((line) => line.type)).toEqual(['plan', 'reflection', 'verification']);
  });

  test('leads to a revision, which it may spell out itself', async () => {
    const spelled = { plan_revision: { reason: 'shorter', updated_action_plan: { actions: [actionOf({ id: 'c' })] } } };
    const n = await perform(
      [
        plan({ id: 'a' }, { id: 'b' }),
        note('one'),
        done('One.'),
        reflection(true, spelled),
        note('c'),
        done('C.'),
        look,
        passed,
      ],
      REFLECTION,
    );
    expect(stage.notes).toEqual(['one', 'c']);
    expect(commentOf(stage, n, 'checklist')).toContain('(Revised #1)');
  });

  test('leads to a revision that is asked for', async () => {
    const work = [
      note('one'),
      done('One.'),
      reflection(true),
      revision({ id: 'c' }),
      note('c'),
      done('C.'),
      look,
      passed,
    ];
    const n = await perform([plan({ id: 'a' }, { id: 'b' }), ...work], REFLECTION);
    expect(promptAt(stage, 4)).toContain('Phase: revision.\nThe plan is to be revised: a hunch');
    expect(commentOf(stage, n, 'checklist')).toContain('**c**');
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
