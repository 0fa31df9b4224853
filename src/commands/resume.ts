import { existsSync, rmSync } from 'node:fs';
import { OperatorError } from '../lib/exit.js';
import type { CommandIo, PauseOptions } from './io.js';
import { openSetting } from './setting.js';
import { leaveWish, senseless, type Decision, type Standing } from './wish.js';

/** Lets one task go on by a wish in the database, or all of them by removing the signal file. */
export async function resumeCommand(options: PauseOptions, io: CommandIo): Promise<number> {
  const { task } = options;
  return task === undefined ? resumeAll(options, io) : leaveWish({ ...options, task }, io, decideResume);
}

async function resumeAll(options: PauseOptions, io: CommandIo): Promise<number> {
  const { signalFile } = (await openSetting(options, io)).config.pauseResume;
  const wasPaused = existsSync(signalFile);
  if (wasPaused) removeSignal(signalFile);
  if (options.quiet) return 0;
  const alone = 'Tasks that were paused one by one stay so: `agent status` lists them.';
  const then = `The pause is over: ${signalFile} is gone. The next tick goes on. ${alone}`;
  io.stdout.write(`${wasPaused ? then : `No pause is in force: there is no ${signalFile}. ${alone}`}\n`);
  return 0;
}

function removeSignal(file: string): void {
  try {
    rmSync(file);
  } catch (cause) {
    throw new OperatorError(`The signal file cannot be removed: ${(cause as Error).message}`, {
      fix: `Remove ${file} by hand.`,
      cause,
    });
  }
}

function decideResume(standing: Standing): Decision {
  const { task, unsettled, wishes, allPaused } = standing;
  if (unsettled === null) throw senseless(standing, 'is not paused', `\`agent retry ${task}\` works on it once more.`);
  if (unsettled.pausedBy === 'question') {
    throw senseless(standing, 'cannot go on without an answer', 'Answer in the thread, and the next tick goes on.');
  }
  if (unsettled.pausedBy === null) return takeBack(standing, wishes.includes('pause'));
  if (allPaused)
    throw senseless(standing, 'cannot go on while everything is paused', '`agent resume` ends that pause.');
  const sooner = unsettled.pausedBy === 'parked' ? ', without waiting for its time' : '';
  return { leave: 'resume', say: `The next tick goes on with ${task}${sooner}.` };
}

function takeBack(standing: Standing, pauseWished: boolean): Decision {
  if (!pauseWished) throw senseless(standing, 'is not paused', '`agent status` shows what every task is doing.');
  return { leave: null, say: `The pause of ${standing.task} is taken back; nothing had happened yet.` };
}
