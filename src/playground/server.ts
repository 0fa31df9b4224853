import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Source } from '../task/key.js';
import { json, type Answer, type ForgeRequest } from './answer.js';
import { faultAnswer, type Fault, type Faults } from './faults.js';
import type { Journal, JournalEntry } from './journal.js';

/** A forge's way of speaking: state changes happen inside `answer`, at once. */
export interface Dialect {
  forge: Source;
  answer(request: ForgeRequest): Answer;
  /** Whose token the request carries. */
  userOf(request: ForgeRequest): string | null;
}

/** Awaited before a request takes effect, and after it did but before the answer is sent. `'hang'`: never answer. */
export type OnRequest = (
  request: { forge: Source; method: string; path: string; index: number },
  phase: 'before' | 'after',
) => Promise<void | 'hang'> | void | 'hang';

/** What surrounds the dialects: shared by both forges of a playground. */
export interface Surroundings {
  journal: Journal;
  faults: Faults;
  now: () => number;
  onRequest(): OnRequest | null;
  /** The number of this request, counted over both forges from 0. */
  nextIndex(): number;
}

/** Serves a dialect on a free port of 127.0.0.1. */
export async function serve(
  dialect: Dialect,
  around: Surroundings,
): Promise<{ origin: string; close(): Promise<void> }> {
  const closing = new AbortController();
  const server = createServer((message, response) => {
    exchange(dialect, around, message, response, closing.signal).catch((error: unknown) => {
      if (closing.signal.aborted || response.destroyed) return void response.destroy();
      send(response, json(500, { message: `The playground failed: ${String(error)}` }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => shut(server, closing) };
}

function shut(server: Server, closing: AbortController): Promise<void> {
  closing.abort();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function exchange(
  dialect: Dialect,
  around: Surroundings,
  message: IncomingMessage,
  response: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  const request = await readRequest(message);
  const { forge } = dialect;
  const { method, path } = request;
  const entry = journalEntry(dialect, request, around.now());
  around.journal.push(entry);
  const seen = { forge, method, path, index: around.nextIndex() };
  const fault = around.faults.take(seen);

  if ((await around.onRequest()?.(seen, 'before')) === 'hang') return;
  if (fault?.kind === 'delay') await wait(fault.ms, undefined, { signal: closing });
  if (fault?.kind === 'drop_before') return drop(response);
  const refused = fault && !isAfterEffect(fault) ? faultAnswer(fault, forge, around.now()) : undefined;
  const answer = refused ?? dialect.answer(request);
  if ((await around.onRequest()?.(seen, 'after')) === 'hang') return;
  if (fault?.kind === 'commit_then_drop') return drop(response);

  const sent = fault && isAfterEffect(fault) ? (faultAnswer(fault, forge, around.now()) ?? answer) : answer;
  entry.status = sent.status;
  send(response, sent);
}

function isAfterEffect(fault: Fault): boolean {
  return fault.kind.startsWith('commit_then_');
}

function journalEntry(dialect: Dialect, request: ForgeRequest, at: number): JournalEntry {
  const { method, path, headers, body } = request;
  const entry = { forge: dialect.forge, method, path, status: null, user: dialect.userOf(request), at };
  const conditional = headers['if-none-match'] !== undefined;
  return Object.keys(body).length > 0 ? { ...entry, conditional, body } : { ...entry, conditional };
}

async function readRequest(message: IncomingMessage): Promise<ForgeRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const path = message.url ?? '/';
  const url = new URL(path, `http://${message.headers.host ?? '127.0.0.1'}`);
  const body = readBody(Buffer.concat(chunks).toString('utf8'), message.headers['content-type'] ?? '');
  return { method: message.method ?? 'GET', path, url, headers: message.headers, body };
}

function readBody(text: string, type: string): Record<string, unknown> {
  if (text === '') return {};
  if (type.includes('form-urlencoded')) return Object.fromEntries(new URLSearchParams(text));
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // Both forges say what field is missing, whatever was sent instead of JSON.
    return {};
  }
}

function drop(response: ServerResponse): void {
  response.destroy();
}

function send(response: ServerResponse, answer: Answer): void {
  const hasBody = answer.status !== 204 && answer.status !== 304;
  const length = hasBody ? { 'content-length': String(Buffer.byteLength(answer.body)) } : {};
  response.writeHead(answer.status, { ...answer.headers, ...length });
  response.end(hasBody ? answer.body : undefined);
}
