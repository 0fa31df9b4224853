import type { CommandIo, TaskOptions } from './io.js';
import { leaveWish, SEEN_BY, senseless, type Decision, type Standing } from './wish.js';

/** Ends the work on a task by a wish in the database. */
export async function stopCommand(options: TaskOptions, io: CommandIo): Promise<number> {
  return leaveWish(options, io, decideStop);
}

function decideStop(standing: Standing): Decision {
  const { task, conversation, unsettled } = standing;
  const undo = `\`agent retry ${task}\` works on it once more.`;
  if (unsettled?.status === 'running') return { leave: 'stop', say: `${task} will be stopped: ${SEEN_BY}.` };
  if (unsettled || conversation.state === 'awaiting-response') {
    return { leave: 'stop', say: `The next tick stops ${task} and says so in its thread. ${undo}` };
  }
  throw senseless(standing, 'is settled, so there is nothing to stop', undo);
}
