import { inherit } from '../../src/agent/inheritance.js';
import type { AttemptRow, Conversation, PlanningLine } from '../../src/records.js';
import { conversationIn, DAY_MS, memoryRig, NOW, rowIn, type Rig } from './memory-rig.js';

let rig: Rig;
let conversation: Conversation;
afterEach(() => rig.close());

async function setUp(options = ''): Promise<void> {
  rig = await memoryRig(`llm: { openai: { model: some-model } }\ncontext_inheritance: { planning: { ${options} } }\n`);
  conversation = conversationIn(rig);
}

function planOf(goal: string): object {
  const action = (id: string, more = {}) => ({ id, task_id: id, tool: null, purpose: `do ${id}`, ...more });
  return {
    goal_understanding: { main_objective: goal, success_criteria: ['tests pass'], constraints: [] },
    task_decomposition: {
      subtasks: [
        { id: 'task_1', description: 'read the code', dependencies: [] },
        { id: 'task_2', description: 'mend the parser', dependencies: ['task_1'] },
      ],
    },
    action_plan: {
      execution_order: [],
      actions: [action('task_1'), action('task_2', { fallback_strategy: 'ask the author' })],
    },
  };
}

type Line = Partial<PlanningLine> & { type: PlanningLine['type'] };

const COURSE: Line[] = [
  { type: 'plan', plan: planOf('mend the parser') },
  {
    type: 'reflection',
    reflection: { action_evaluated: 'task_1', evaluation: 'went well', issues_identified: ['slow tests'] },
  },
  { type: 'revision', revision: 1, reason: 'the grammar is generated', plan: planOf('mend the grammar') },
  { type: 'replan_decision', decision: { replan_needed: true, reasoning: 'the file is read-only' } },
  {
    type: 'verification',
    round: 1,
    verification: { verification_passed: false, issues_found: ['no test', 'a placeholder'] },
  },
  { type: 'verification', round: 2, verification: { verification_passed: false, issues_found: ['a placeholder'] } },
];

function ended(daysAgo: number, lines: Line[]): AttemptRow {
  const progress = { actions: { task_1: 'done', task_2: 'failed' }, outcomes: { task_2: 'EACCES' } };
  const row = rowIn(rig, conversation, { status: 'completed', completedAt: NOW - daysAgo * DAY_MS, progress });
  const files = rig.agent.store.createFiles(row.uuid, {});
  const numbers = { id: 1, start_seq: 1, end_seq: 2, original_tokens: 9, summary_tokens: 3, ratio: 0.3 };
  files.appendSummary({ ...numbers, summary: 'The summary.', timestamp: 'then', final: true });
  for (const line of lines) files.appendPlanning({ timestamp: 'then', task_uuid: row.uuid, ...line });
  const call = { args: { path: 'a.ts', text: '' }, timestamp: 'then', call: { message: 3, id: 'x' } };
  files.appendTool({ seq: 1, tool: 'files/edit', status: 'success', result: 'ok', ...call });
  files.appendTool({ seq: 2, tool: 'files/write', status: 'error', error: 'permission denied', ...call });
  files.close();
  return row;
}

function inherited(planning = true): string {
  return inherit(rig.agent, conversation, { planning })!.text;
}

function part(heading: string): string {
  return (
    inherited()
      .split('\n\n')
      .find((each) => each.startsWith(`## ${heading}`)) ?? ''
  );
}

describe('a planned attempt inherits from planned ones', () => {
  it('all four parts after the summary, in their order', async () => {
    await setUp();
    ended(1, COURSE);
    expect(inherited()).toMatch(
      /^The summary\.[^]*## Previous Plan Summary\n[^]*## Execution History\n[^]*## Verification History\n[^]*## Recommendations for Current Processing\n/,
    );
  });

  it('the plan: goal, subtasks and completion, revisions and decisions to plan again', async () => {
    await setUp();
    ended(1, COURSE);
    expect(part('Previous Plan Summary').split('\n').slice(1)).toEqual([
      '- Goal: mend the grammar (1 of 2 actions completed)',
      '  - task_1: read the code — completed',
      '  - task_2: mend the parser (after task_1) — failed',
      '  - revised: the grammar is generated',
      '  - planned again: the file is read-only',
    ]);
  });

  it('what worked, what failed and why, and what was thought about it', async () => {
    await setUp();
    ended(1, COURSE);
    expect(part('Execution History').split('\n').slice(1)).toEqual([
      '- Successful actions: task_1 (do task_1)',
      '- Failed actions: task_2 (do task_2: EACCES)',
      '- Key failure: files/write: permission denied',
      '- Reflection: task_1; went well; slow tests',
    ]);
  });

  it('rounds of verification with what was found and resolved', async () => {
    await setUp();
    ended(1, COURSE);
    expect(part('Verification History').split('\n').slice(1)).toEqual([
      '- Round 1: not passed, 2 found, 1 resolved: no test; a placeholder',
      '- Round 2: not passed, 1 found, 0 resolved: a placeholder',
    ]);
  });

  it('recommendations', async () => {
    await setUp();
    ended(1, COURSE);
    expect(part('Recommendations').split('\n').slice(1)).toEqual([
      '- Not completed before: task_2',
      '- Avoid or replace what failed: task_2 (instead: ask the author)',
      '- Found by the last verification: a placeholder',
      '- Worked before: files/edit(path, text), 1×',
    ]);
  });
});

describe('each option can be switched off', () => {
  it('inherit_plans', async () => {
    await setUp('inherit_plans: false');
    ended(1, COURSE);
    expect(inherited()).not.toMatch(/Previous Plan Summary|Not completed before|planned again/);
    expect(inherited()).toMatch(/Execution History[^]*Verification History/);
  });

  it('inherit_verifications', async () => {
    await setUp('inherit_verifications: false');
    ended(1, COURSE);
    expect(inherited()).not.toMatch(/Verification History|placeholder/);
    expect(inherited()).toContain('Previous Plan Summary');
  });

  it('inherit_reflections', async () => {
    await setUp('inherit_reflections: false');
    ended(1, COURSE);
    expect(inherited()).not.toContain('Reflection');
    expect(inherited()).toContain('Execution History');
  });

  it('reuse_successful_patterns', async () => {
    await setUp('reuse_successful_patterns: false');
    ended(1, COURSE);
    expect(inherited()).not.toContain('Worked before');
    expect(inherited()).toContain('Recommendations');
  });

  it.each([
    [1, ['the newest']],
    [2, ['the newest', 'the second']],
    [3, ['the newest', 'the second', 'the first']],
  ])('max_previous_plans: %i counts plans over several attempts', async (limit, goals) => {
    await setUp(`max_previous_plans: ${limit}`);
    ended(5, [
      { type: 'plan', plan: planOf('the oldest') },
      { type: 'plan', plan: planOf('the first') },
    ]);
    ended(1, [
      { type: 'plan', plan: planOf('the second') },
      { type: 'plan', plan: planOf('the newest') },
    ]);
    const found = [...inherited().matchAll(/Goal: (.*) \(/g)].map((match) => match[1]);
    expect(found).toEqual(goals);
  });
});

it('in normal mode only the plan is handed on, as reference', async () => {
  await setUp();
  ended(1, COURSE);
  expect(inherited(false)).toContain('Previous Plan Summary');
  expect(inherited(false)).not.toMatch(/Execution History|Verification History|Recommendations/);
});

it('lines of another shape count as not there', async () => {
  await setUp();
  ended(1, [
    { type: 'verification', verification: 'x' },
    { type: 'plan', plan: { action_plan: {} } },
    { type: 'reflection' },
  ]);
  expect(inherited()).toMatch(/^The summary\./);
  expect(inherited()).not.toContain('Plan Summary');
});
