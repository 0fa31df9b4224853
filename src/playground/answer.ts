import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A request as the dialects see it. */
export interface ForgeRequest {
  method: string;
  /** As it was sent, with the query. */
  path: string;
  url: URL;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Ends a request early; thrown by look-ups, caught where the dialect answers. */
export class Refusal extends Error {
  constructor(readonly answer: Answer) {
    super(`${answer.status} ${answer.body}`);
    this.name = 'Refusal';
  }
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(value) };
}

export function noContent(): Answer {
  return { status: 204, headers: {}, body: '' };
}

/** Gives a good answer to a GET its ETag, and makes it a 304 where the client has it already. */
export function withEtag(request: ForgeRequest, answer: Answer): Answer {
  if (request.method !== 'GET' || answer.status !== 200) return answer;
  const etag = `W/"${createHash('sha256').update(answer.body).digest('hex')}"`;
  const headers: Record<string, string> = { ...answer.headers, etag };
  if (!matches(request.headers['if-none-match'], etag)) return { ...answer, headers };
  const { 'content-type': _type, ...kept } = headers;
  return { status: 304, headers: kept, body: '' };
}

function matches(header: string | undefined, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return (header ?? '').split(',').some((tag) => opaque(tag) === opaque(etag));
}
