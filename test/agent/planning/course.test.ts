import { askedBefore, courseOf, refusalOf, triggerOf, type Decision } from '../../../src/agent/planning/course.js';
import { BEGINNING, type PlanningState } from '../../../src/agent/planning/state.js';

const LIMITS = { enabled: true, minConfidence: 0.5, maxActionRetries: 2, maxTotalReplans: 3, maxRevisions: 1 };
const FAILURE = { action: 'task_1', error: 'exit code 12' };
const ASKED = { n: 1, questions: ['Which one?'], comment: null, seq: 7 };

const state = (change: Partial<PlanningState> = {}): PlanningState => ({ ...BEGINNING, ...change });

function courseAfter(decision: Partial<Decision>, change: Partial<PlanningState> = {}): string {
  return courseOf({ replan_needed: true, confidence: 0.9, ...decision }, state(change), FAILURE, LIMITS).kind;
}

test.each<[Partial<Decision>, string]>([
  [{ replan_type: 'retry' }, 'retry'],
  [{ replan_type: 'RETRY_ACTION' }, 'retry'],
  [{ replan_type: 'regenerate' }, 'regenerate'],
  [{ replan_type: 'partial_replan' }, 'regenerate'],
  [{ replan_type: 'redecompose' }, 'redecompose'],
  [{ replan_type: 'full_replan' }, 'redecompose'],
  [{ target_phase: 'planning' }, 'redecompose'],
  [{ target_phase: 'revision' }, 'regenerate'],
  [{ replan_type: 'none' }, 'go_on'],
  [{ replan_needed: false, replan_type: 'retry' }, 'go_on'],
  [{ replan_type: 'retry', confidence: 0.4 }, 'go_on'],
  [{ replan_type: 'ask', clarification_questions: ['Which one?'] }, 'ask'],
  [{ replan_needed: false, clarification_needed: true, clarification_questions: ['Which one?'] }, 'ask'],
  [{ clarification_needed: true, clarification_questions: [' '] }, 'go_on'],
])('the decision %p leads to %s', (decision, course) => {
  expect(courseAfter(decision)).toBe(course);
});

test('each kind of course has its limit', () => {
  expect(courseAfter({ replan_type: 'retry' }, { retries: { task_1: 2 } })).toBe('go_on');
  expect(courseAfter({ replan_type: 'retry' }, { retries: { task_2: 2 } })).toBe('retry');
  expect(courseAfter({ replan_type: 'regenerate' }, { revisions: 1 })).toBe('go_on');
  expect(courseAfter({ replan_type: 'redecompose' }, { revisions: 1 })).toBe('go_on');
});

test('a failure is not decided upon beyond the total, twice for the same trigger, or where replanning is off', () => {
  const seen = { triggers: [triggerOf({ action: 'task_1', error: 'exit  code 99' })] };
  expect(refusalOf(state(), FAILURE, LIMITS)).toBeNull();
  expect(refusalOf(state(), FAILURE, { ...LIMITS, enabled: false })).toContain('switched off');
  expect(refusalOf(state({ replans: 3 }), FAILURE, LIMITS)).toContain('max_total_replans');
  expect(refusalOf(state(seen), FAILURE, LIMITS)).toContain('same way');
  expect(refusalOf(state(seen), { ...FAILURE, action: 'task_2' }, LIMITS)).toBeNull();
});

test('an answered question lets the same failure be decided upon again, but not be asked about again', () => {
  const answered = state({ triggers: [triggerOf(FAILURE)], question: ASKED, questions: ASKED.questions });
  const again = {
    replan_needed: true,
    confidence: 1,
    clarification_needed: true,
    clarification_questions: ['which  one?'],
  };
  expect(refusalOf(answered, FAILURE, LIMITS)).toBeNull();
  expect(askedBefore(answered, again)).toContain('the answer stands above');
  expect(askedBefore(answered, { ...again, clarification_questions: ['And what colour?'] })).toBeNull();
});
