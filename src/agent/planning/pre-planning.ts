import { rowOf, type Attempt } from '../attempt.js';
import { checkpoint } from '../checkpoint.js';
import { REPLY_SCHEMA } from '../reply-schema.js';
import { converse, type Ask } from '../turn.js';
import { turnsSpent, TURNS_OF_A_STEP } from './budget.js';
import { readLine } from './shape.js';
import { begin, moveOn, stateOf } from './state.js';

const PROMPT = `Phase: pre-planning. Do not change anything yet.
Understand the request and gather with the tools what a plan needs: the files concerned, their conventions, how the work can be checked. Stop as soon as you know enough (at most ${TURNS_OF_A_STEP} calls).
Then say done, with a comment: what is asked for, what you found, what is unclear and how you decide it.`;

/** Understands the request and gathers what is needed, with tools; what it finds is in the history for the plan. */
export async function prePlan(attempt: Attempt): Promise<void> {
  const { enabled } = attempt.agent.config.planning.prePlanning;
  if (!enabled) return moveOn(attempt, 'planning');
  if (!stateOf(attempt).begun) {
    await checkpoint(attempt);
    begin(attempt, PROMPT, { step: 'pre_planning', turnsBefore: rowOf(attempt).turnCount });
  }
  const ended = await converse(attempt, askFor(attempt));
  moveOn(attempt, 'planning');
  if (ended === 'spent') attempt.history.answerOpenCalls('not carried out: this has to be enough for a plan');
}

function askFor(attempt: Attempt): Ask<'done' | 'spent'> {
  return {
    phase: 'pre_planning',
    tools: true,
    schema: { name: 'reply', schema: REPLY_SCHEMA },
    read(reply) {
      const reading = readLine(reply);
      if (reading.kind === 'done') return { kind: 'answer', value: 'done', comment: reading.comment };
      const isSpent = reading.kind === 'act' && turnsSpent(attempt);
      return isSpent ? { kind: 'answer', value: 'spent', comment: reading.comment } : reading;
    },
  };
}
