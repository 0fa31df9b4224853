import { isDiskTrouble } from '../lib/disk.js';
import type { AttemptRow } from '../records.js';
import type { Attempt } from './attempt.js';
import { writeLabels } from './write-labels.js';
import { Failure } from './interrupts.js';
import { workNormally } from './normal.js';
import { openAttempt, writeOpening, type Bench } from './open.js';
import { outcomeOf, type Outcome } from './outcome.js';
import { failUnopened } from './park.js';
import { settle } from './settle.js';

const TAKE_UPS_IN_VAIN = 3;

/** One attempt from where it stands to where it rests: open, work, settle. `end`: it is only to be settled. */
export async function workOn(bench: Bench, row: AttemptRow, end: Error | null = null): Promise<Outcome> {
  if (row.takeUps > TAKE_UPS_IN_VAIN + 1) return failUnopened(bench.agent, row, vanished(row)); // even settling it ended without a trace
  const conversation = bench.agent.store.conversations.get(row.conversationId);
  const attempt = openAttempt(bench, conversation, row);
  try {
    const outcome = await carryThrough(attempt, end ?? vanished(row));
    await settle(attempt, outcome);
    return outcome;
  } finally {
    attempt.progress.stop();
    await attempt.progress.acknowledged();
    attempt.files.close();
  }
}

async function carryThrough(attempt: Attempt, end: Error | null): Promise<Outcome> {
  try {
    if (end) throw end;
    await writeLabels(attempt.agent, attempt.conversation.id, { claiming: true });
    await attempt.progress.announce();
    await writeOpening(attempt);
    return await result(attempt);
  } catch (thrown) {
    if (isDiskTrouble(thrown)) throw thrown; // nothing can be written down: the attempt stays as it is for the next tick
    return outcomeOf(thrown, attempt.agent.config);
  }
}

/** The two modes, chosen once and joined again at once. */
async function result(attempt: Attempt): Promise<Outcome> {
  if (!attempt.agent.config.planning.enabled) {
    return { kind: 'completed', comment: await workNormally(attempt), verification: { kind: 'unchecked' } };
  }
  const { workWithPlan } = await import('./planning/work.js');
  return { kind: 'completed', ...(await workWithPlan(attempt)) };
}

/** Taken up three times and gone each time without a trace: it must not block the others for ever. */
function vanished(row: AttemptRow): Failure | null {
  if (row.takeUps <= TAKE_UPS_IN_VAIN) return null;
  return new Failure(
    'vanished',
    `the process ended ${TAKE_UPS_IN_VAIN} times while it worked on this, without a trace`,
  );
}
