import { ForgeError, type ForgeErrorKind } from '../ports.js';
import { retryAfterMs } from '../lib/retry.js';
import type { Source } from '../task/key.js';

/** Whose answer it is, for messages that say what, where and what to do. */
export interface Party {
  source: Source;
  token: string;
  now(): number;
}

/** An answer that is no success, read to its end. */
interface Refusal {
  url: string;
  status: number;
  headers: Headers;
  text: string;
}

const SHORTEST_PENALTY_MS = 60_000;

/** The `ForgeError` that an unsuccessful answer means. */
export function failureOf(refusal: Refusal, party: Party): ForgeError {
  const kind = kindOf(refusal);
  const named = namedTime(kind, refusal.headers, party.now());
  const guessed = kind === 'rate' && named === undefined;
  const retryAt = guessed ? party.now() + SHORTEST_PENALTY_MS : named;
  const reason = `${refusal.status} ${reasonOf(refusal)}`.trim();
  return forgeError(kind, `(${reason})`, refusal.url, party, { status: refusal.status, retryAt, guessed });
}

/** No answer at all: connection refused or lost, or the time was up. */
export function unreachable(url: string, party: Party, cause: unknown): ForgeError {
  return forgeError('unreachable', `(${codeOf(cause)})`, url, party, { cause });
}

/** An answer that cannot be what the forge meant to say. */
export function unreadable(url: string, party: Party, status: number, what: string): ForgeError {
  return forgeError('unreachable', `(${status}, but ${what})`, url, party, { status });
}

/** What is said instead of asking while a rate limit lasts. */
export function stillLimited(url: string, party: Party, retryAt: number): ForgeError {
  return forgeError('rate', '(not asked)', url, party, { retryAt });
}

/** An item or repository that now lives elsewhere on the same forge. */
export function moved(url: string, party: Party, status: number, target: string): ForgeError {
  return forgeError('gone', `(${status}, moved to ${target})`, url, party, { status });
}

/** The answer, or null where it failed in one of these expected ways. */
export async function unless<T>(kinds: ForgeErrorKind[], answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ForgeError && kinds.includes(error.kind)) return null;
    throw error;
  }
}

/** An item's 404 counts only while its repository can be seen: a token that lost its access must not end conversations. */
export async function whereVisible<T>(answer: Promise<T>, seesRepository: () => Promise<boolean>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ForgeError) || error.kind !== 'gone' || (await seesRepository())) throw error;
    throw new ForgeError('forbidden', `${error.message}; nor can its repository be seen`, error.details);
  }
}

interface Facts {
  status?: number;
  retryAt?: number | undefined;
  guessed?: boolean;
  cause?: unknown;
}

function forgeError(kind: ForgeErrorKind, reason: string, url: string, party: Party, facts: Facts): ForgeError {
  const { retryAt, ...rest } = facts;
  const name = party.source === 'github' ? 'GitHub' : 'GitLab';
  const place = new URL(url);
  const message = `${name} ${saying(kind, party, retryAt)} ${reason} at ${place.origin}${place.pathname}${advice(kind, party)}`;
  const details = { source: party.source, ...rest, ...(retryAt === undefined ? {} : { retryAt }) };
  return new ForgeError(kind, masked(message, party.token), details);
}

function saying(kind: ForgeErrorKind, party: Party, retryAt: number | undefined): string {
  switch (kind) {
    case 'refused':
      return 'refused the token';
    case 'forbidden':
      return 'does not let this token do that';
    case 'gone':
      return 'has nothing there, or hides it from this token';
    case 'rate':
      return `wants no request before ${new Date(retryAt ?? party.now()).toISOString()}`;
    case 'rejected':
      return 'did not take what was sent';
    default:
      return 'could not be reached';
  }
}

function advice(kind: ForgeErrorKind, { source }: Party): string {
  if (kind === 'refused') return `; check ${source}.token in the configuration`;
  return kind === 'forbidden' ? '; `agent doctor` tells which permission is missing' : '';
}

function masked(message: string, token: string): string {
  return token ? message.replaceAll(token, '***') : message;
}

function kindOf(refusal: Refusal): ForgeErrorKind {
  const { status } = refusal;
  if (status === 429 || (status === 403 && isLimit(refusal))) return 'rate';
  if (status === 401) return 'refused';
  if (status === 403) return 'forbidden';
  if (status === 404 || status === 410) return 'gone';
  if (status === 408 || status >= 500 || status < 400) return 'unreachable';
  return 'rejected';
}

function isLimit({ headers, text }: Refusal): boolean {
  if (headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0') return true;
  // A limit may come without any header: only its words tell it from a missing permission.
  return /\brate limit\b|\babuse detection\b/i.test(text);
}

function namedTime(kind: ForgeErrorKind, headers: Headers, now: number): number | undefined {
  const afterMs = retryAfterMs(headers.get('retry-after'), now);
  if (afterMs !== undefined) return now + afterMs;
  return kind === 'rate' ? resetOf(headers, now) : undefined;
}

function resetOf(headers: Headers, now: number): number | undefined {
  const field = (name: string): string | null => headers.get(`x-ratelimit-${name}`) ?? headers.get(`ratelimit-${name}`);
  // Quota left means that another limit was hit, of which this reset says nothing.
  if (Number(field('remaining') ?? 0) > 0) return undefined;
  const reset = Number(field('reset') ?? NaN) * 1000;
  return reset > now ? reset : undefined;
}

function reasonOf({ text }: Refusal): string {
  const said = spoken(text);
  return (typeof said === 'string' ? said : JSON.stringify(said)).replace(/\s+/g, ' ').trim().slice(0, 200);
}

function spoken(text: string): unknown {
  try {
    const { message, error, error_description: description } = JSON.parse(text) as Record<string, unknown>;
    return description ?? message ?? error ?? '';
  } catch {
    return /^\s*</.test(text) ? '' : text;
  }
}

function codeOf(cause: unknown): string {
  const inner = (cause as { cause?: { code?: string } } | null)?.cause?.code;
  if (inner) return inner;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

/** Logged where the forge does not say whose token it is. */
export const NAMELESS =
  'the token has no account name: own comments are told by their ids and markers alone; set username';

/** What a token of an app or a job is told that asks for its account. One that is no good hears 401 everywhere else as well. */
export const NO_ACCOUNT: ForgeErrorKind[] = ['refused', 'forbidden', 'gone'];

/** What a list that work can do without is answered where the forge does not have it, or will not make it (a change too large to compare). */
export const UNTOLD: ForgeErrorKind[] = ['gone', 'rejected'];
