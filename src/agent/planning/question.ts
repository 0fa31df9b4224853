import type { Attempt } from '../attempt.js';
import { checkpoint } from '../checkpoint.js';
import { Question } from '../interrupts.js';
import { moveOn, stateOf } from './state.js';

/** Puts a question to the people in the thread and waits; with their answer in the history the work goes on. */
export async function waitForAnswer(attempt: Attempt): Promise<void> {
  const { question } = stateOf(attempt);
  if (!question) return moveOn(attempt, 'replan_decision');
  if (!isAnswered(attempt, question.seq)) await attempt.lookout.forAnswer(() => checkpoint(attempt, { always: true }));
  if (!isAnswered(attempt, question.seq)) throw new Question(question.questions, question.comment, question.n);
  moveOn(attempt, 'replan_decision');
}

function isAnswered({ history }: Attempt, seq: number): boolean {
  return history.messages.some((line) => line.role === 'user' && line.seq > seq);
}
