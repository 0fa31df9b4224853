import { isPausedByFile, type Agent } from './agent/agent.js';
import { writeLabels } from './agent/write-labels.js';
import { isVanished } from './collect/asking.js';
import { collect } from './collect/collect.js';
import { decideAgain } from './collect/waiting.js';
import type { Collected, Job, JobReport, Trouble, Workshop } from './jobs.js';
import { sendPosts } from './report/outbox.js';
import { sameTask, type Source } from './task/key.js';

export interface TickOptions {
  /** Keeps the jobs that were asked for; throws where the one that was named is not ours to work on. */
  narrow: (collected: Collected) => Job[];
  /** One that is skipped, or that its forge fails, is none: it must not keep the others waiting at every tick. */
  maxTasks: number;
  openWorkshop: () => Promise<Workshop>;
  onJob: (job: Job, done: JobReport | null) => void;
}

export interface TickReport {
  jobs: JobReport[];
  troubles: Trouble[];
}

/** One tick: find the work, do one thing after the other, write everything down. */
export async function tick(agent: Agent, options: TickOptions): Promise<TickReport> {
  const collected = await collect(agent);
  await finishWriting(agent, collected);
  const jobs = options.narrow(collected);
  const report: TickReport = { jobs: [], troubles: collected.troubles };
  if (jobs.length === 0) return report;
  const { perform } = await import('./perform.js');
  const shop = sharedWorkshop(options.openWorkshop);
  const outages = new Outages();
  try {
    for (const found of jobs) {
      agent.signal.throwIfAborted();
      if (isPausedByFile(agent.config) || report.jobs.filter(wasDone).length >= options.maxTasks) break;
      if (outages.concern(found)) continue;
      const job = report.jobs.length === 0 ? found : await decideAgain(agent, found);
      if (!job) continue;
      options.onJob(job, null);
      const done: JobReport = { job, outcome: await perform(agent, job, shop.open) };
      report.jobs.push(done);
      options.onJob(job, done);
      outages.note(job, done.outcome);
    }
  } finally {
    await shop.close();
  }
  const { cleanExpired } = await import('./agent/clean.js');
  cleanExpired(agent);
  return report;
}

function wasDone({ outcome }: JobReport): boolean {
  return outcome.kind !== 'skipped' && !isForgeFailure(outcome);
}

function isForgeFailure(outcome: JobReport['outcome']): boolean {
  return outcome.kind === 'parked' && 'what' in outcome.reason && outcome.reason.what === 'forge';
}

/** Comments and labels that an earlier tick could not write. */
async function finishWriting(agent: Agent, { jobs, troubles }: Collected): Promise<void> {
  for (const { id, key } of agent.store.conversations.withUnwritten()) {
    if (!agent.forges.has(key.source)) continue; // taken out of the configuration
    if (troubles.some(({ source, error }) => source === key.source && !isVanished(error))) continue;
    if (agent.store.attempts.unsettledOf(id)?.status === 'running') continue; // its own work begins with that
    await sendPosts(agent, id);
    if (jobs.some((job) => sameTask(job.key, key))) continue; // a person asked for something meanwhile: its own label follows
    await writeLabels(agent, id);
  }
}

/** Opened by the first job that needs it, once. */
function sharedWorkshop(openWorkshop: () => Promise<Workshop>): Pick<Workshop, 'close'> & {
  open: () => Promise<Workshop>;
} {
  let opening: Promise<Workshop> | null = null;
  return {
    open: () => (opening ??= openWorkshop()),
    close: async () => (await opening?.catch(() => null))?.close(),
  };
}

/** What is only ended is ended; the summary it leaves can be written without a model. */
const NEED_NO_MODEL = new Set<Job['kind']>(['close', 'refuse', 'end']);

/** An outage must not claim and park everything: who failed is not asked again in this tick. */
class Outages {
  private modelDown = false;
  private toolsDown = false;
  private failures = new Map<Source, number>();

  concern(job: Job): boolean {
    if ((this.failures.get(job.key.source) ?? 0) >= 2) return true;
    if (this.toolsDown && (job.kind === 'first' || job.kind === 'follow_up')) return true;
    return this.modelDown && !NEED_NO_MODEL.has(job.kind);
  }

  note(job: Job, outcome: JobReport['outcome']): void {
    const forgeFailed = isForgeFailure(outcome);
    this.failures.set(job.key.source, forgeFailed ? (this.failures.get(job.key.source) ?? 0) + 1 : 0);
    if (outcome.kind !== 'parked' || forgeFailed) return;
    if (outcome.blame === 'tools') this.toolsDown = true;
    else this.modelDown = true;
  }
}
