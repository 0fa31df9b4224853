import type { Config } from '../config/config.js';
import type { AttemptRow, Conversation, Wish } from '../records.js';
import { labelOfState } from '../task/labels.js';
import { taskName } from '../task/key.js';
import type { Surroundings } from './status-task.js';

/** The next thing that will happen to a task; `at`: not before then, null: with the next tick or never. */
export interface NextStep {
  what: string;
  at: string | null;
}

interface Position {
  conversation: Conversation;
  newest: AttemptRow | null;
  wishes: Wish[];
  config: Config;
  around: Surroundings;
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

export function nextStep(position: Position): NextStep {
  const { conversation, newest, wishes, around } = position;
  if (around.allPaused) return next(`nothing: everything is paused by ${around.signalFile} (\`agent resume\` ends it)`);
  const wish = wishes.at(-1);
  if (wish) return afterWish(wish, newest);
  if (newest?.status === 'running') return running(around);
  if (newest?.status === 'paused') return rested(position, newest);
  if (conversation.state === 'awaiting-response') return awaited(position);
  const { botLabel } = labelsOf(position);
  return next(
    `nothing, until the label \`${botLabel}\` is put on again or \`agent retry ${taskName(conversation.key)}\``,
  );
}

function afterWish(wish: Wish, newest: AttemptRow | null): NextStep {
  if (wish === 'resume') return next('the next tick goes on with it');
  if (wish === 'retry') return next('the next tick works on it once more');
  const verb = wish === 'stop' ? 'stopped' : 'paused';
  const running = newest?.status === 'running';
  return next(
    running
      ? `it is ${verb} before its next model call, or by the next tick`
      : `it is ${verb} by the next tick that takes it up`,
  );
}

function running({ tickPid }: Surroundings): NextStep {
  if (tickPid === null) return next('no tick is running: it was interrupted, and the next tick goes on where it stood');
  if (tickPid === undefined) return next('it is being worked on, or the next tick goes on where it stood');
  return next(`a tick is at work${tickPid > 0 ? ` (process ${tickPid})` : ''}`);
}

function rested(position: Position, row: AttemptRow): NextStep {
  switch (row.pausedBy) {
    case 'parked':
      return next('the next tick after its parking time goes on with it', row.notBefore);
    case 'signal_file':
      return next('the pause of everything is over: the next tick goes on with it');
    case 'question':
      return awaited(position);
    default:
      return waitsForPerson(position, row);
  }
}

function waitsForPerson(position: Position, { pausedAt, createdAt }: AttemptRow): NextStep {
  const days = position.config.pauseResume.pausedTaskExpiryDays;
  const { pausedLabel } = labelsOf(position);
  const ways = `\`agent resume\`, \`/agent resume\` in the thread, or the label \`${pausedLabel}\` taken off lets it go on`;
  return next(`${ways}; else it is stopped`, (pausedAt ?? createdAt) + days * DAY_MS);
}

function awaited({ conversation, config }: Position): NextStep {
  const { enabled, timeoutHours } = config.commentHandling;
  if (!enabled) return next('comment_handling is off: the next tick settles it as completed');
  const since = Math.max(conversation.lastProcessedAt, conversation.lastCommentAt ?? 0);
  const end = conversation.unfinished ? 'stopped' : 'completed';
  return next(
    `a comment in the thread is answered by the next tick; without one it is ${end}`,
    since + timeoutHours * HOUR_MS,
  );
}

function labelsOf({ conversation, config }: Position): { botLabel: string; pausedLabel: string } {
  const labels = config[conversation.key.source] ?? config.github ?? config.gitlab!;
  return { botLabel: labels.botLabel, pausedLabel: labelOfState('paused', labels) };
}

function next(what: string, at: number | null = null): NextStep {
  return { what, at: at === null ? null : new Date(at).toISOString() };
}
