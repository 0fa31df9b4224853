import { existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../lib/exit.js';
import { createFolder } from '../lib/folder.js';
import { localTime } from '../report/format.js';
import type { CommandIo, PauseOptions } from './io.js';
import { openSetting } from './setting.js';
import { leaveWish, SEEN_BY, senseless, type Decision, type Standing } from './wish.js';

/** Pauses one task by a wish in the database, or all of them by the signal file. */
export async function pauseCommand(options: PauseOptions, io: CommandIo): Promise<number> {
  const { task } = options;
  return task === undefined ? pauseAll(options, io) : leaveWish({ ...options, task }, io, decidePause);
}

async function pauseAll(options: PauseOptions, io: CommandIo): Promise<number> {
  const { enabled, signalFile } = (await openSetting(options, io)).config.pauseResume;
  if (!enabled) {
    throw new OperatorError('The signal file is switched off, so it would pause nothing.', {
      fix: 'Set pause_resume.enabled to true, or pause one task: `agent pause <task>`.',
    });
  }
  const already = existsSync(signalFile);
  if (!already) createSignal(signalFile, io);
  if (options.quiet) return 0;
  const what = already ? 'Everything is paused already' : 'Everything is paused';
  const then = 'A running tick stops before its next model call, and no tick starts anything.';
  io.stdout.write(`${what}: ${signalFile}\n${then} \`agent resume\` ends it.\n`);
  return 0;
}

function createSignal(file: string, { clock }: CommandIo): void {
  try {
    createFolder(dirname(file));
    writeFileSync(file, `paused by \`agent pause\` at ${new Date(clock.now()).toISOString()}\n`, { mode: 0o600 });
  } catch (cause) {
    throw new OperatorError(`The signal file cannot be written: ${(cause as Error).message}`, {
      fix: 'Check pause_resume.signal_file, and that its folder belongs to you.',
      cause,
    });
  }
}

function decidePause(standing: Standing): Decision {
  const { task, unsettled, wishes } = standing;
  const undo = `\`agent resume ${task}\` lets it go on.`;
  if (unsettled === null)
    throw senseless(standing, 'is not being worked on, so there is nothing to pause', stopHint(standing));
  switch (unsettled.pausedBy) {
    case 'person':
      throw senseless(standing, 'is paused already', undo);
    case 'question':
      throw senseless(standing, 'does nothing until its question is answered', stopHint(standing));
    case 'parked': {
      const until = localTime(unsettled.notBefore ?? 0);
      return {
        leave: 'pause',
        say: `${task} rests until ${until} anyway, and is paused when it is taken up then. ${undo}`,
      };
    }
    case 'signal_file':
      return { leave: 'pause', say: `${task} stays paused when the pause of everything ends. ${undo}` };
    case null: {
      const again = wishes.includes('pause') ? 'is to be paused already' : 'will be paused';
      return { leave: 'pause', say: `${task} ${again}: ${SEEN_BY}. ${undo}` };
    }
  }
}

function stopHint({ task, conversation }: Standing): string {
  return conversation.state === 'awaiting-response'
    ? `\`agent stop ${task}\` ends it, so that it answers no more comments.`
    : '`agent status` shows what every task is doing.';
}
