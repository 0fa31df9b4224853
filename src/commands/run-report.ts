import type { Job, JobReport, Trouble } from '../jobs.js';
import { redactStrings, type Redact } from '../lib/redact.js';
import { taskName } from '../task/key.js';
import type { TickReport } from '../tick.js';
import { runDocument } from './document.js';
import type { CommandIo, RunOptions } from './io.js';

/** Why the exit code is what it is, as one line for a person. */
export interface Cause {
  exitCode: 1 | 2 | 3 | 4;
  line: string;
}

export interface RunReport {
  job(job: Job, done: JobReport | null): void;
  close(report: TickReport): { exitCode: number; causes: Cause[] };
  plan(jobs: Job[], troubles: Trouble[]): { exitCode: number; causes: Cause[] };
  planPaused(why: string): number;
}

/** What a run shows, secrets masked: live progress for a person, one JSON document for a program, nothing for cron. */
export function runReport(options: RunOptions, io: CommandIo, redact: Redact): RunReport {
  const live = !options.json && !options.quiet && (io.isTTY || options.once);
  const say = (line: string): void => void (live && io.stderr.write(`${redact(line)}\n`));
  return {
    job: (job, done) =>
      say(done === null ? `… ${describe(job)}` : `${markOf(done)} ${taskName(job.key)}: ${resultOf(done)}`),
    close(report) {
      const causes = redactStrings(causesOf(report, options), redact);
      const exitCode = worst(causes);
      const problems = causes.map((cause) => cause.line);
      const tasks = redactStrings(report.jobs.map(jsonOf), redact);
      if (options.json) io.stdout.write(runDocument(exitCode, problems, tasks));
      else if (report.jobs.length === 0 && causes.length === 0) say('Nothing to do.');
      return { exitCode, causes };
    },
    plan(planned, troubles) {
      const jobs = planned.map((job) => ({ ...job, title: redact(job.title) }));
      const found = [...troubles.map(troubleCause), ...jobs.flatMap((job) => refusalCause(job, options))];
      const causes = redactStrings(found, redact);
      io.stdout.write(options.json ? planDocument(jobs, causes) : planText(jobs, causes));
      return { exitCode: worst(causes), causes };
    },
    planPaused(why) {
      io.stdout.write(options.json ? planDocument([], [], [why]) : `Nothing would be done. ${why}\n`);
      return 0;
    },
  };
}

function planDocument(jobs: Job[], causes: Cause[], problems = causes.map(({ line }) => line)): string {
  const planned = jobs.map(({ key, kind, title }) => ({ task: taskName(key), source: key.source, kind, title }));
  return `${JSON.stringify({ exit_code: worst(causes), would_do: planned, problems })}\n`;
}

function planText(jobs: Job[], causes: Cause[]): string {
  if (jobs.length > 0) return jobs.map((job) => `would ${describe(job)}\n`).join('');
  return causes.length > 0 ? '' : 'Nothing to do.\n';
}

function describe(job: Job): string {
  const what: Record<Job['kind'], string> = {
    resume: 'go on with',
    end: 'settle',
    first: 'work on',
    follow_up: 'answer in',
    close: 'close',
    refuse: 'take the label off',
  };
  return `${what[job.kind]} ${taskName(job.key)} (${job.title})`;
}

function markOf({ outcome }: JobReport): string {
  if (outcome.kind === 'failed') return '✗';
  return outcome.kind === 'completed' || outcome.kind === 'closed' ? '✓' : '–';
}

function resultOf({ outcome }: JobReport): string {
  switch (outcome.kind) {
    case 'failed':
      return `failed: ${outcome.error}`;
    case 'parked':
      return `parked: ${outcome.message}`;
    case 'skipped':
    case 'closed':
      return `${outcome.kind}: ${outcome.why}`;
    case 'completed':
      return outcome.verification.kind === 'not_verified' ? 'done, not verified' : 'done';
    default:
      return outcome.kind.replaceAll('_', ' ');
  }
}

function jsonOf({ job, outcome }: JobReport): object {
  const { kind } = outcome;
  return {
    task: taskName(job.key),
    source: job.key.source,
    kind: job.kind,
    outcome: kind,
    message: resultOf({ job, outcome }),
  };
}

function causesOf({ jobs, troubles }: TickReport, options: RunOptions): Cause[] {
  const ofJobs = jobs.flatMap(({ job, outcome }): Cause[] => {
    if (outcome.kind === 'failed')
      return [{ exitCode: 1, line: `agent: ${taskName(job.key)} failed: ${outcome.error}` }];
    if (outcome.kind === 'parked' && outcome.blame === 'credentials')
      return [{ exitCode: 3, line: `agent: ${outcome.message}` }];
    if (outcome.kind === 'parked' && outcome.blame === 'tools')
      return [{ exitCode: 1, line: `agent: an MCP server does not start: ${outcome.message}` }];
    return refusalCause(job, options);
  });
  return distinct([...troubles.map(troubleCause), ...ofJobs]);
}

/** A stranger's label concerns nobody, unless it is the task that this run was asked for. */
function refusalCause(job: Job, { task }: RunOptions): Cause[] {
  if (job.kind !== 'refuse' || task === undefined) return [];
  return [{ exitCode: 2, line: `agent: ${taskName(job.key)} was labelled by @${job.by}, who may not ask for work` }];
}

function troubleCause({ error }: Trouble): Cause {
  return { exitCode: error.kind === 'refused' ? 3 : 4, line: `agent: ${error.message}` };
}

function distinct(causes: Cause[]): Cause[] {
  return causes.filter((cause, at) => causes.findIndex((other) => other.line === cause.line) === at);
}

/** Several: 3 before 4 before 1; 2 is for the one task that was named. */
function worst(causes: Cause[]): number {
  return [3, 4, 2, 1].find((code) => causes.some((cause) => cause.exitCode === code)) ?? 0;
}
