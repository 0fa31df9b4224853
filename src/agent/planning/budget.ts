import { rowOf, type Attempt } from '../attempt.js';
import { stateOf } from './state.js';

/** Turns that gathering information, or one action, may take. */
export const TURNS_OF_A_STEP = 20;

/** Whether the step has had its turns; the same after a pause, since the row counts them. */
export function turnsSpent(attempt: Attempt): boolean {
  return rowOf(attempt).turnCount - stateOf(attempt).turnsBefore > TURNS_OF_A_STEP;
}

/** Whether a tool call succeeded since the step began. */
export function toolSucceeded(attempt: Attempt): boolean {
  const { toolCallsBefore } = stateOf(attempt);
  return attempt.files.tools().some((line) => line.seq > toolCallsBefore && line.status === 'success');
}
