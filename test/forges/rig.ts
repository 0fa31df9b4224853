import type { GitHubConfig, GitLabConfig } from '../../src/config/config.js';
import { createGitHub } from '../../src/forges/github.js';
import { createGitLab } from '../../src/forges/gitlab.js';
import type { Clock, Forge, Log, ResponseCache } from '../../src/ports.js';
import type { Source } from '../../src/task/key.js';

export const TOKEN = 'secret-token-0123456789';

/** A clock that only moves when somebody sleeps or pushes it. */
export function fakeClock(
  start = Date.parse('2026-03-01T12:00:00Z'),
): Clock & { slept: number[]; push(ms: number): void } {
  let now = start;
  const slept: number[] = [];
  return {
    slept,
    push: (ms) => void (now += ms),
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      now += ms;
    },
  };
}

export function memoryCache(): ResponseCache & { size: number } {
  const entries = new Map<string, { url: string; etag: string; body: string }>();
  return {
    get: (key) => entries.get(key) ?? null,
    set: (key, entry) => void entries.set(key, entry),
    get size() {
      return entries.size;
    },
  };
}

export function memoryLog(): Log & { lines: { level: string; message: string; fields: unknown }[] } {
  const lines: { level: string; message: string; fields: unknown }[] = [];
  return { lines, write: (level, message, fields) => void lines.push({ level, message, fields }) };
}

export interface Parts {
  clock: ReturnType<typeof fakeClock>;
  cache: ResponseCache;
  log: ReturnType<typeof memoryLog>;
  signal: AbortSignal;
  fetch?: typeof fetch;
}

export function freshParts(): Parts {
  return { clock: fakeClock(), cache: memoryCache(), log: memoryLog(), signal: new AbortController().signal };
}

export function openForge(source: Source, apiUrl: string, parts: Parts): Forge {
  return source === 'github'
    ? createGitHub({ config: githubConfig(apiUrl), ...parts })
    : createGitLab({ config: gitlabConfig(apiUrl), ...parts });
}

const LABELS = {
  botLabel: 'coding agent',
  processingLabel: 'coding agent processing',
  awaitingLabel: 'awaiting-response',
  doneLabel: 'coding agent done',
  pausedLabel: 'coding agent paused',
  stoppedLabel: 'coding agent stopped',
  failedLabel: 'coding agent failed',
};

function githubConfig(apiUrl: string): GitHubConfig {
  return { ...LABELS, apiUrl, token: TOKEN, username: null, repositories: [], owner: null, query: '' };
}

function gitlabConfig(apiUrl: string): GitLabConfig {
  return { ...LABELS, apiUrl, token: TOKEN, username: null, projects: [], group: null };
}
