import type { CommandIo, TaskOptions } from './io.js';
import { leaveWish, senseless, type Decision, type Standing } from './wish.js';

/** Has a task worked on once more, by a wish in the database. */
export async function retryCommand(options: TaskOptions, io: CommandIo): Promise<number> {
  return leaveWish(options, io, decideRetry);
}

function decideRetry(standing: Standing): Decision {
  const { task, unsettled, allPaused } = standing;
  const held = allPaused ? ' But everything is paused: `agent resume` ends that.' : '';
  if (unsettled === null) {
    return { leave: 'retry', say: `The next tick works on ${task} once more, whatever its labels say.${held}` };
  }
  if (unsettled.status === 'running') {
    throw senseless(standing, 'is being worked on', `To begin anew: \`agent stop ${task}\`, and retry it then.`);
  }
  if (unsettled.pausedBy === 'question') {
    throw senseless(standing, 'cannot go on without an answer', 'Answer in the thread, and the next tick goes on.');
  }
  return { leave: 'retry', say: `The next tick goes on with ${task} where it stood.${held}` };
}
