import type { CannedRequest, Saying, Step } from '../model/steps.js';
import { planFor } from './canned-plan.js';
import { jobFor, type Job } from './jobs.js';

/**
 * What the canned model answers: decided by the conversation alone, so that the same history always gets the
 * same answer. It knows three jobs by heart and says that they are done only when their test passed.
 */
export function canned(request: CannedRequest): Step {
  const job = jobFor(request);
  const asked = Object.keys(request.schema?.['properties'] ?? {});
  if (asked.includes('finished')) return { text: JSON.stringify({ finished: false }) };
  if (asked.includes('goal_understanding')) return { text: JSON.stringify(planFor(job)) };
  if (asked.includes('reflection')) return { text: JSON.stringify(contentment) };
  if (!request.tools) return { text: job.summary };
  return nextStep(job, request);
}

const contentment = { reflection: { status: 'success', plan_revision_needed: false } };

/** Normal mode goes through all of the job; in planning mode every phase has its own part of it. */
function nextStep(job: Job, { messages }: CannedRequest): Step {
  const lastWord = messages.findLastIndex((message) => message.role === 'user');
  const phase = /^Phase: ([\w-]+)(?:.*?the action (\w+))?/.exec(messages[lastWord]?.content ?? '');
  const results = messages.slice(lastWord + 1).filter((message) => message.role === 'tool');
  const part = partOf(job, phase?.[1], phase?.[2]);
  const step = part[results.length];
  if (step) return step;
  const passed = results.at(-1)?.content.includes('exit code 0') ?? false;
  if (phase?.[1] === 'verification') return { text: JSON.stringify(verdict(job, passed)) };
  return { done: true, comment: ending(job, passed, phase?.[1], phase?.[2]) };
}

function partOf({ look, change, check }: Job, phase: string | undefined, action: string | undefined): Saying[] {
  if (phase === 'pre-planning') return look;
  if (phase === 'verification' || action === 'task_2') return check;
  return phase === undefined ? [...look, ...change, ...check] : change;
}

function ending(job: Job, passed: boolean, phase: string | undefined, action: string | undefined): string {
  if (phase === 'pre-planning') return job.found;
  if (action === 'task_1') return job.changed;
  if (!passed) return job.failed;
  return phase === undefined ? job.end : job.checked;
}

function verdict(job: Job, passed: boolean): object {
  return {
    verification_passed: passed,
    issues_found: passed ? [] : [job.failed],
    comment: passed ? job.checked : job.failed,
  };
}
