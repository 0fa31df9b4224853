import {
  actionOf,
  cannot,
  commentOf,
  decision,
  done,
  look,
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
