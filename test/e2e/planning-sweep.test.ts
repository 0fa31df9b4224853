import type { Step } from '../../src/playground/model/steps.js';
import {
  actionOf,
  cannot,
  decision,
  done,
  fail,
  inTurn,
  look,
  missing,
  note,
  passed,
  plan,
  PLANNING,
  reflection,
  revision,
} from './planning-script.js';
import { LABEL, REPO, type Stage } from './stage.js';
import { sweep, type KillPoint, type Story } from './sweep.js';

const spelled = {
  plan_revision: { reason: 'shorter', updated_action_plan: { actions: [{ id: 'b' }, { id: 'c' }].map(actionOf) } },
};

/** Every phase once: pre-planning, plan, reflection with revision, failure, question, answer, revision, verification, more work. */
const STEPS: Step[] = [
  look,
  done('I have read it.'),
  plan({ id: 'a' }, { id: 'b' }),
  note('one'),
  done('One.'),
  reflection(true, spelled),
  fail,
  cannot,
  decision({ clarification_needed: true, clarification_questions: ['Where is the key?'] }),
  decision({ replan_type: 'regenerate' }),
  revision({ id: 'd' }),
  note('two'),
  done('Two.'),
  look,
  missing,
  note('comma'),
  done('Comma.'),
  look,
  passed,
];

const stageIt: Story['stage'] = () => ({
  script: inTurn(STEPS),
  config: {
    planning: {
      ...PLANNING,
      pre_planning: { enabled: true },
      reflection: { enabled: true, trigger_interval: 1, max_count: 1 },
    },
  },
});
const label = (stage: Stage, n: number): void => stage.world.label(REPO, n, LABEL, 'alice');
const answer = (stage: Stage, n: number): void => {
  stage.world.comment(REPO, n, { author: 'alice', body: 'Under the mat.' });
};

describe('killed at any time, a planned attempt carries on: nothing is planned, announced or executed twice', () => {
  const asked = ({ at, phase }: KillPoint): boolean => at === 'model' && phase === 'before';
  const askedOrWritten = ({ at, phase }: KillPoint): boolean => (at === 'model') === (phase === 'before');

  test.each<[string, Story, (point: KillPoint) => boolean]>([
    ['up to its question', { stage: stageIt, before: [], act: label }, askedOrWritten],
    ['from the answer to the result', { stage: stageIt, before: [label], act: answer }, asked],
  ])(
    '%s',
    async (_, story, wanted) => {
      const { kills, differences } = await sweep(story, wanted);
      expect(differences).toEqual([]);
      expect(kills).toBeGreaterThan(8);
    },
    240_000,
  );
});
