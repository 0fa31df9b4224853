import type { Agent } from './agent/agent.js';
import { writeLabels } from './agent/claim.js';
import { Park } from './agent/interrupts.js';
import { isVanished } from './collect/asking.js';
import { collect } from './collect/collect.js';
import type { Collected, Job, JobReport, Trouble, Workshop } from './jobs.js';
import { sendPosts } from './report/outbox.js';
import { sameTask, type Source } from './task/key.js';

export interface TickOptions {
  /** Keeps the jobs that were asked for; throws where the one that was named is not ours to work on. */
  narrow: (collected: Collected) => Job[];
  /** Throws `Park` where a tool server does not start. */
  openWorkshop: () => Promise<Workshop>;
  onJob: (job: Job, done: JobReport | null) => void;
}

export interface TickReport {
  jobs: JobReport[];
  troubles: Trouble[];
  /** Why no work could be done at all, where that is so. */
  workshopDown: Park | null;
}

/** One tick: find the work, do one thing after the other, write everything down. */
export async function tick(agent: Agent, options: TickOptions): Promise<TickReport> {
  const collected = await collect(agent);
  await finishWriting(agent, collected);
  const jobs = options.narrow(collected);
  const report: TickReport = { jobs: [], troubles: collected.troubles, workshopDown: null };
  if (jobs.length === 0) return report;
  const { perform } = await import('./perform.js');
  const shop = sharedWorkshop(options.openWorkshop);
  const outages = new Outages();
  try {
    for (const job of jobs) {
      agent.signal.throwIfAborted();
      if (outages.concern(job)) continue;
      options.onJob(job, null);
      const done: JobReport = { job, outcome: await perform(agent, job, shop.open) };
      report.jobs.push(done);
      options.onJob(job, done);
      outages.note(job, done.outcome);
    }
  } finally {
    await shop.close();
    report.workshopDown = shop.failure();
  }
  const { cleanExpired } = await import('./agent/clean.js');
  cleanExpired(agent);
  return report;
}

/** Comments and labels that an earlier tick could not write. */
async function finishWriting(agent: Agent, { jobs, troubles }: Collected): Promise<void> {
  for (const { id, key } of agent.store.conversations.withUnwritten()) {
    if (troubles.some(({ source, error }) => source === key.source && !isVanished(error))) continue;
    if (agent.store.attempts.unsettledOf(id)?.status === 'running') continue; // its own work begins with that
    await sendPosts(agent, id);
    if (jobs.some((job) => sameTask(job.key, key))) continue; // a person asked for something meanwhile: its own label follows
    await writeLabels(agent, id);
  }
}

/** Opened by the first job that needs it, once; a failure to open is remembered for the others. */
function sharedWorkshop(openWorkshop: () => Promise<Workshop>): {
  open: () => Promise<Workshop>;
  close: () => Promise<void>;
  failure: () => Park | null;
} {
  let opening: Promise<Workshop> | null = null;
  let failure: Park | null = null;
  return {
    async open() {
      opening ??= openWorkshop();
      return opening.catch((error: unknown) => {
        if (error instanceof Park) failure = error;
        throw error;
      });
    },
    async close() {
      const shop = await opening?.catch(() => null);
      await shop?.close();
    },
    failure: () => failure,
  };
}

/** An outage must not claim and park everything: who failed is not asked again in this tick, and nobody once all work is paused. */
class Outages {
  private modelDown = false;
  private paused = false;
  private failures = new Map<Source, number>();

  concern(job: Job): boolean {
    if (this.paused) return true;
    if ((this.failures.get(job.key.source) ?? 0) >= 2) return true;
    return this.modelDown && job.kind !== 'close' && job.kind !== 'refuse';
  }

  note(job: Job, outcome: JobReport['outcome']): void {
    const forgeFailed = outcome.kind === 'parked' && 'what' in outcome.reason && outcome.reason.what === 'forge';
    this.failures.set(job.key.source, forgeFailed ? (this.failures.get(job.key.source) ?? 0) + 1 : 0);
    if (outcome.kind === 'paused') this.paused = outcome.by === 'signal_file';
    if (outcome.kind === 'parked' && !forgeFailed) this.modelDown = outcome.blame !== 'tools';
  }
}
