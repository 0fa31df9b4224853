import { json, type Answer } from '../answer.js';

type Resource = 'core' | 'search';

/** The quota of each user: 5,000 requests an hour, 30 searches a minute. */
export interface Limits {
  /** Counts the answer (a 304 is free) and adds the headers that tell of it. */
  charge(login: string, path: string, answer: Answer): Answer;
  overview(login: string): Answer;
}

interface Quota {
  used: number;
  resetAt: number;
}

const LIMITS: Record<Resource, { limit: number; windowMs: number }> = {
  core: { limit: 5000, windowMs: 3_600_000 },
  search: { limit: 30, windowMs: 60_000 },
};

export function createLimits(now: () => number): Limits {
  const quotas = new Map<string, Quota>();
  const quotaOf = (login: string, resource: Resource): Quota => {
    const key = `${resource} ${login}`;
    const known = quotas.get(key);
    if (known && known.resetAt > now()) return known;
    const fresh = { used: 0, resetAt: now() + LIMITS[resource].windowMs };
    quotas.set(key, fresh);
    return fresh;
  };
  return {
    charge(login, path, answer) {
      const resource = path.startsWith('/search/') ? 'search' : 'core';
      const quota = quotaOf(login, resource);
      if (answer.status !== 304 && !path.startsWith('/rate_limit')) quota.used++;
      return { ...answer, headers: { ...headersOf(resource, quota), ...answer.headers } };
    },
    overview(login) {
      const core = figures('core', quotaOf(login, 'core'));
      return json(200, { resources: { core, search: figures('search', quotaOf(login, 'search')) }, rate: core });
    },
  };
}

function figures(resource: Resource, { used, resetAt }: Quota): Record<string, number> {
  const { limit } = LIMITS[resource];
  return { limit, used, remaining: Math.max(0, limit - used), reset: Math.ceil(resetAt / 1000) };
}

function headersOf(resource: Resource, quota: Quota): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [key, value] of Object.entries(figures(resource, quota))) headers[`x-ratelimit-${key}`] = String(value);
  return { ...headers, 'x-ratelimit-resource': resource };
}
