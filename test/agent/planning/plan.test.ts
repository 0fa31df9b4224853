import { addActions, drawUp, revise, type DrawnUp, type Proposal } from '../../../src/agent/planning/draw-up.js';
import {
  nextAction,
  outlineOf,
  planOf,
  planView,
  unfinishedActions,
  type Plan,
  type Statuses,
} from '../../../src/agent/planning/plan.js';
import type { PlanningLine } from '../../../src/records.js';

const RULES = { tools: ['files/read', 'files/write', 'shell/run'], maxSubtasks: 5 };

interface Task {
  id: string;
  needs?: string[];
  tool?: string | null;
  purpose?: string;
}

function proposal(...tasks: Task[]): Proposal {
  return {
    goal_understanding: { main_objective: 'Greet' },
    task_decomposition: {
      subtasks: unique(tasks).map(({ id, needs = [] }) => ({ id, description: id, dependencies: needs })),
    },
    action_plan: {
      actions: tasks.map(({ id, tool = null, purpose = `work on ${id}` }) => ({ task_id: id, purpose, tool })),
    },
  };
}

function unique(tasks: Task[]): Task[] {
  return tasks.filter(({ id }, at) => tasks.findIndex((task) => task.id === id) === at);
}

function planFrom(drawn: DrawnUp): Plan {
  if (!drawn.ok) throw new Error(drawn.problems.join('; '));
  return drawn.plan;
}

const planned = (...tasks: Task[]): Plan => planFrom(drawUp(proposal(...tasks), RULES));
const idsOf = (plan: Plan): string[] => plan.action_plan.actions.map((action) => action.id);
const problemsOf = (drawn: DrawnUp): string[] => (drawn.ok ? [] : drawn.problems);

describe('a plan is drawn up', () => {
  test('its actions are named after their subtask, then with a number', () => {
    expect(idsOf(planned({ id: 'a' }, { id: 'a' }, { id: 'b' }, { id: 'a' }))).toEqual(['a', 'a.2', 'b', 'a.3']);
  });

  test('its actions are ordered by their dependencies, and otherwise as the model wants it', () => {
    const wish = proposal({ id: 'c', needs: ['b'] }, { id: 'b', needs: ['a'] }, { id: 'a' }, { id: 'd' });
    wish.action_plan.execution_order = ['d', 'c', 'b', 'a'];
    expect(idsOf(planFrom(drawUp(wish, RULES)))).toEqual(['d', 'a', 'b', 'c']);
  });

  test('a subtask without actions still stands between those it connects', () => {
    const wish = proposal({ id: 'c', needs: ['b'] }, { id: 'b', needs: ['a'] }, { id: 'a' });
    wish.action_plan.actions = wish.action_plan.actions.filter((action) => action.task_id !== 'b');
    expect(idsOf(planFrom(drawUp(wish, RULES)))).toEqual(['a', 'c']);
  });

  test.each([
    ['files/write', 'files/write'],
    ['files__write', 'files/write'],
    ['write', 'files/write'],
    ['none', null],
    ['', null],
  ])('the tool %p is understood as %p', (tool, understood) => {
    expect(planned({ id: 'a', tool }).action_plan.actions[0]?.tool).toBe(understood);
  });

  test('everything that is wrong with it is said at once', () => {
    const bad = proposal(
      { id: 'a', needs: ['b'] },
      { id: 'b', needs: ['a'] },
      { id: 'c', needs: ['x'], tool: 'files/burn' },
    );
    expect(problemsOf(drawUp(bad, RULES))).toEqual([
      'the dependencies run in a circle: a → b → a',
      'c depends on x, which is no subtask',
      'the action of c names the tool files/burn, which there is not (tools: files/read, files/write, shell/run)',
    ]);
  });

  test('a subtask that depends on itself is a circle', () => {
    expect(problemsOf(drawUp(proposal({ id: 'a', needs: ['a'] }), RULES))).toEqual([
      'the dependencies run in a circle: a → a',
    ]);
  });

  test('no actions, and too many subtasks, are refused', () => {
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id }));
    expect(problemsOf(drawUp(proposal(), RULES))).toEqual(['the plan has no actions']);
    expect(problemsOf(drawUp(proposal(...many), RULES))).toEqual([
      'the plan has 6 subtasks, and at most 5 are allowed',
    ]);
  });
});

describe('the next action', () => {
  const plan = planned({ id: 'a' }, { id: 'b', needs: ['a'] }, { id: 'c' });

  test.each<[Statuses, string | undefined]>([
    [{}, 'a'],
    [{ a: 'running' }, 'a'],
    [{ a: 'done' }, 'b'],
    [{ a: 'failed' }, 'c'],
    [{ a: 'failed', c: 'done' }, undefined],
    [{ a: 'done', b: 'done', c: 'done' }, undefined],
  ])('with %p it is %p', (statuses, id) => {
    expect(nextAction(plan, statuses)?.id).toBe(id);
  });

  test('what failed and what waits for it is unfinished', () => {
    expect(unfinishedActions(plan, { a: 'failed', c: 'done' }).map(({ id }) => id)).toEqual(['a', 'b']);
  });
});

describe('a plan is revised', () => {
  const plan = planned({ id: 'a' }, { id: 'b', needs: ['a'] });

  test('finished actions stay, whether or not they are listed again', () => {
    const change = { action_plan: proposal({ id: 'a' }, { id: 'c' }).action_plan };
    expect(idsOf(planFrom(revise(plan, { a: 'done' }, change, RULES)))).toEqual(['a', 'c']);
    const without = { action_plan: proposal({ id: 'c' }).action_plan };
    expect(idsOf(planFrom(revise(plan, { a: 'done' }, without, RULES)))).toEqual(['a', 'c']);
  });

  test('more work on a finished subtask is an action of its own', () => {
    const change = { action_plan: proposal({ id: 'a', purpose: 'something else' }).action_plan };
    expect(idsOf(planFrom(revise(plan, { a: 'done' }, change, RULES)))).toEqual(['a', 'a.2']);
  });

  test('nothing may be left to do, but only if something was done', () => {
    const nothing = { action_plan: { actions: [] } };
    expect(idsOf(planFrom(revise(plan, { a: 'done' }, nothing, RULES)))).toEqual(['a']);
    expect(problemsOf(revise(plan, {}, nothing, RULES))).toEqual(['the plan has no actions']);
  });

  test('a new goal and new subtasks are taken over, and what is not named stays', () => {
    const wish = proposal({ id: 'd', needs: ['a'] });
    const change = { ...wish, goal_understanding: { success_criteria: ['louder'] } };
    const revised = planFrom(revise(plan, { a: 'done' }, change, RULES));
    expect(revised.goal_understanding).toEqual({
      main_objective: 'Greet',
      success_criteria: ['louder'],
      constraints: [],
    });
    expect(revised.task_decomposition.subtasks.map(({ id }) => id)).toEqual(['a', 'd']);
  });

  test('the blanks of a form change nothing', () => {
    const blanks = {
      goal_understanding: { main_objective: '', success_criteria: [] },
      task_decomposition: { subtasks: [] },
    };
    const change = { ...blanks, action_plan: proposal({ id: 'b' }).action_plan };
    expect(planFrom(revise(plan, { a: 'done' }, change, RULES))).toEqual(plan);
  });

  test('doing the same revision again changes nothing', () => {
    const change = { action_plan: proposal({ id: 'c' }, { id: 'c' }).action_plan };
    const once = planFrom(revise(plan, { a: 'done' }, change, RULES));
    expect(planFrom(revise(once, { a: 'done' }, change, RULES))).toEqual(once);
  });
});

test('verification adds its actions at the end, counted over its rounds', () => {
  const first = planFrom(addActions(planned({ id: 'a' }), [{ purpose: 'x', tool: 'shell/run' }], 1, RULES));
  const second = planFrom(addActions(first, [{ purpose: 'y' }], 2, RULES));
  expect(idsOf(second)).toEqual(['a', 'verify_1', 'verify_2']);
  expect(problemsOf(addActions(first, [{ purpose: 'x', tool: 'shell/burn' }], 2, RULES))[0]).toContain('shell/burn');
});

describe('what is stored of a plan', () => {
  const line = (type: PlanningLine['type'], plan?: Plan): PlanningLine => ({
    type,
    timestamp: '',
    task_uuid: 'u',
    ...(plan && { plan }),
  });
  const lines = [
    line('plan', planned({ id: 'a' })),
    line('reflection'),
    line('revision', planned({ id: 'a' }, { id: 'b' })),
    line('reflection'),
  ];

  test('the newest plan counts', () => {
    expect(planOf(lines)?.action_plan.actions).toHaveLength(2);
    expect(planOf([])).toBeNull();
  });

  test('it is shown with its ticks', () => {
    expect(planView(lines, { actions: { a: 'done' } })).toEqual({
      goal: 'Greet',
      revision: 1,
      actions: [
        { id: 'a', purpose: 'work on a', status: 'done', additional: false },
        { id: 'b', purpose: 'work on b', status: 'open', additional: false },
      ],
    });
    expect(planView([], {})).toBeNull();
  });

  test('its outline has the goal and every action with its mark', () => {
    const outline = outlineOf(planned({ id: 'a' }, { id: 'b' }, { id: 'c' }), { a: 'done', b: 'failed' });
    expect(outline).toBe('Goal: Greet\nSuccess criteria:\nPlan:\n[x] a: work on a\n[!] b: work on b\n[ ] c: work on c');
  });
});
