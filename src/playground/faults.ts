import type { Source } from '../task/key.js';
import { json, type Answer } from './answer.js';

/** What goes wrong, for the next `times` requests that fit (after the first `skip` of them). */
export type Fault = FaultKind & {
  forge?: Source;
  method?: string;
  /** A part of the path with its query, or a pattern for it. */
  path?: string | RegExp;
  skip?: number;
  times?: number;
  /** Added to the answer that the fault gives. */
  headers?: Record<string, string>;
};

type FaultKind =
  | { kind: 'fail_before'; status?: number }
  /** The request takes effect, its answer is lost. */
  | { kind: 'commit_then_502' | 'commit_then_422' | 'commit_then_drop' }
  | { kind: 'drop_before' | 'garbage' }
  | { kind: 'delay'; ms: number }
  | { kind: 'rate_429' | 'secondary_403'; retryAfter?: number }
  | { kind: 'primary_limit'; status?: 403 | 429; resetInSeconds?: number };

export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  /** The fault that strikes this request; counts it. */
  take(request: { forge: Source; method: string; path: string }): Fault | undefined;
}

export function createFaults(): Faults {
  let pending: { fault: Fault; skip: number; left: number }[] = [];
  return {
    add: (fault) => void pending.push({ fault, skip: fault.skip ?? 0, left: fault.times ?? 1 }),
    clear: () => void (pending = []),
    take(request) {
      const entry = pending.find(({ fault, left }) => left > 0 && fits(fault, request));
      if (!entry) return undefined;
      if (entry.skip > 0) return void entry.skip--;
      entry.left--;
      return entry.fault;
    },
  };
}

function fits(fault: Fault, request: { forge: Source; method: string; path: string }): boolean {
  if (fault.forge && fault.forge !== request.forge) return false;
  if (fault.method && fault.method.toUpperCase() !== request.method) return false;
  if (fault.path === undefined) return true;
  return typeof fault.path === 'string' ? request.path.includes(fault.path) : fault.path.test(request.path);
}

/** What a fault answers instead of the forge; undefined where it lets the request through or drops it. */
export function faultAnswer(fault: Fault, forge: Source, now: number): Answer | undefined {
  const answer = plainAnswer(fault, forge, now);
  return answer && { ...answer, headers: { ...answer.headers, ...fault.headers } };
}

function plainAnswer(fault: Fault, forge: Source, now: number): Answer | undefined {
  switch (fault.kind) {
    case 'fail_before':
      return failure(forge, fault.status ?? 500);
    case 'commit_then_502':
      return html(502, '<html><head><title>502 Bad Gateway</title></head></html>');
    case 'commit_then_422':
      return json(422, {
        message: 'Validation Failed',
        errors: [{ resource: 'IssueComment', code: 'already_exists' }],
      });
    case 'garbage':
      return html(200, '<!DOCTYPE html><html><body>Sign in to the network</body></html>');
    case 'rate_429':
      return tooMany(forge, fault.retryAfter);
    case 'secondary_403':
      return json(403, limitBody(SECONDARY, 403), retryAfter(fault.retryAfter));
    case 'primary_limit':
      return primaryLimit(forge, fault.status ?? 403, now + (fault.resetInSeconds ?? 60) * 1000);
    default:
      return undefined;
  }
}

const SECONDARY =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. ' +
  'If you reach out to GitHub Support for help, please include the request ID playground.';

function failure(forge: Source, status: number): Answer {
  if (forge === 'gitlab') return json(status, { message: `${status} Internal Server Error` });
  return json(status, {
    message: 'Server Error',
    documentation_url: 'https://docs.github.com/rest',
    status: `${status}`,
  });
}

function html(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}

function tooMany(forge: Source, seconds: number | undefined): Answer {
  if (forge === 'github') return json(429, limitBody(SECONDARY, 429), retryAfter(seconds));
  return { status: 429, headers: { 'content-type': 'text/plain', ...retryAfter(seconds) }, body: 'Retry later\n' };
}

function primaryLimit(forge: Source, status: number, resetAt: number): Answer {
  const reset = String(Math.ceil(resetAt / 1000));
  if (forge === 'gitlab') {
    const headers = { 'ratelimit-limit': '2000', 'ratelimit-remaining': '0', 'ratelimit-reset': reset };
    return { status: 429, headers: { 'content-type': 'text/plain', ...headers }, body: 'Retry later\n' };
  }
  const headers = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '0', 'x-ratelimit-used': '5000' };
  const body = limitBody('API rate limit exceeded for user ID 1001.', status);
  return json(status, body, { ...headers, 'x-ratelimit-reset': reset, 'x-ratelimit-resource': 'core' });
}

function limitBody(message: string, status: number): object {
  const page = 'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api';
  return { message, documentation_url: page, status: String(status) };
}

function retryAfter(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}
