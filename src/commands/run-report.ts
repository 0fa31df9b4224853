import type { Job, JobReport, Trouble } from '../jobs.js';
import { taskName } from '../task/key.js';
import type { TickReport } from '../tick.js';
import { runDocument } from './document.js';
import type { CommandIo, RunOptions } from './io.js';

/** Why the exit code is what it is, as one line for a person. */
export interface Cause {
  exitCode: 1 | 3 | 4;
  line: string;
}

export interface RunReport {
  job(job: Job, done: JobReport | null): void;
  close(report: TickReport): { exitCode: number; causes: Cause[] };
  plan(jobs: Job[], troubles: Trouble[]): { exitCode: number; causes: Cause[] };
  planPaused(why: string): number;
}

/** What a run shows: live progress for a person, one JSON document for a program, nothing for cron. */
export function runReport(options: RunOptions, io: CommandIo): RunReport {
  const live = !options.json && !options.quiet && (io.isTTY || options.once);
  const say = (line: string): void => void (live && io.stderr.write(`${line}\n`));
  return {
    job: (job, done) =>
      say(done === null ? `… ${describe(job)}` : `${markOf(done)} ${taskName(job.key)}: ${resultOf(done)}`),
    close(report) {
      const causes = causesOf(report);
      const exitCode = worst(causes);
      const problems = causes.map((cause) => cause.line);
      if (options.json) io.stdout.write(runDocument(exitCode, problems, report.jobs.map(jsonOf)));
      else if (report.jobs.length === 0 && causes.length === 0) say('Nothing to do.');
      return { exitCode, causes };
    },
    plan(jobs, troubles) {
      const causes = troubles.map(troubleCause);
      const planned = jobs.map((job) => ({
        task: taskName(job.key),
        source: job.key.source,
        kind: job.kind,
        title: job.title,
      }));
      const problems = causes.map((cause) => cause.line);
      if (options.json) io.stdout.write(planDocument(worst(causes), planned, problems));
      else if (jobs.length > 0) io.stdout.write(jobs.map((job) => `would ${describe(job)}\n`).join(''));
      else if (causes.length === 0) io.stdout.write('Nothing to do.\n');
      return { exitCode: worst(causes), causes };
    },
    planPaused(why) {
      io.stdout.write(options.json ? planDocument(0, [], [why]) : `Nothing would be done. ${why}\n`);
      return 0;
    },
  };
}

function planDocument(exitCode: number, planned: object[], problems: string[]): string {
  return `${JSON.stringify({ exit_code: exitCode, would_do: planned, problems })}\n`;
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

function causesOf({ jobs, troubles }: TickReport): Cause[] {
  const ofJobs = jobs.flatMap(({ job, outcome }): Cause[] => {
    if (outcome.kind === 'failed')
      return [{ exitCode: 1, line: `agent: ${taskName(job.key)} failed: ${outcome.error}` }];
    if (outcome.kind === 'parked' && outcome.blame === 'credentials')
      return [{ exitCode: 3, line: `agent: ${outcome.message}` }];
    if (outcome.kind === 'parked' && outcome.blame === 'tools')
      return [{ exitCode: 1, line: `agent: an MCP server does not start: ${outcome.message}` }];
    return [];
  });
  return distinct([...troubles.map(troubleCause), ...ofJobs]);
}

function troubleCause({ error }: Trouble): Cause {
  return { exitCode: error.kind === 'refused' ? 3 : 4, line: `agent: ${error.message}` };
}

function distinct(causes: Cause[]): Cause[] {
  return causes.filter((cause, at) => causes.findIndex((other) => other.line === cause.line) === at);
}

/** Several: 3 before 4 before 1. */
function worst(causes: Cause[]): number {
  return [3, 4, 1].find((code) => causes.some((cause) => cause.exitCode === code)) ?? 0;
}
