import {
  IssueNoteAwardEmojis,
  IssueNotes,
  Issues,
  MergeRequestNoteAwardEmojis,
  MergeRequestNotes,
  MergeRequests,
  ProjectLabels,
} from '@gitbeaker/rest';
import type { GitLabConfig } from '../config/config.js';
import { openLine, type ForgeOptions, type Line } from './http.js';
import { pageOf, type Answer, type Query, type ReadPage } from './pages.js';

/** Gitbeaker on our line: its own requester would repeat a post ten times. */
export interface GitLabApi {
  line: Line;
  /** For writes. */
  issues: ItemResources;
  mergeRequests: ItemResources;
  labels: ProjectLabels;
  get(route: string): Promise<Answer>;
  /** One conditional look, not repeated here, at a thing that may have moved: 'gone' then. */
  look(route: string, etag: string | undefined): Promise<Answer>;
  pages(route: string): ReadPage;
  urlOf(route: string, query?: Query): string;
}

interface ItemResources {
  items: Issues | MergeRequests;
  notes: IssueNotes | MergeRequestNotes;
  awards: IssueNoteAwardEmojis | MergeRequestNoteAwardEmojis;
}

export function openGitLab(options: ForgeOptions<GitLabConfig>): GitLabApi {
  const line = openLine('gitlab', options);
  const host = options.config.apiUrl.replace(/(\/api\/v4)?\/*$/, '');
  const wire: Wire = { line, token: options.config.token };
  const client = {
    host,
    queryTimeout: null,
    requesterFn: requesterOn(wire),
  };
  const urlOf = (route: string, query: Query = {}): string => `${host}/api/v4/${route}${queryString(query)}`;
  const read = async (url: string, etag?: string, redirect?: 'manual'): Promise<Answer> => {
    const { body, ...answer } = await send(wire, 'GET', url, { etag, redirect });
    return { ...answer, data: body };
  };
  return {
    line,
    issues: {
      items: new Issues(client),
      notes: new IssueNotes(client),
      awards: new IssueNoteAwardEmojis(client),
    },
    mergeRequests: {
      items: new MergeRequests(client),
      notes: new MergeRequestNotes(client),
      awards: new MergeRequestNoteAwardEmojis(client),
    },
    labels: new ProjectLabels(client),
    get: (route) => line.repeat(() => read(urlOf(route))),
    look: (route, etag) => read(urlOf(route), etag, 'manual'),
    pages: (route) => (query, etag) =>
      line.repeat(async () => pageOf(await read(urlOf(route, query), etag), query, urlOf(route), line)),
    urlOf,
  };
}

interface Wire {
  line: Line;
  token: string;
}

type RequesterFn = NonNullable<ConstructorParameters<typeof Issues>[0]['requesterFn']>;

interface GitBeakerRequest {
  searchParams?: Record<string, unknown>;
  body?: unknown;
}

/** What gitbeaker asks of a requester: one function a method, with paths below the resource's own URL. */
function requesterOn(wire: Wire): RequesterFn {
  return ({ url }) => {
    const sender =
      (method: string) =>
      (path: string, request: GitBeakerRequest = {}) => {
        const { searchParams = {}, body } = request;
        const target = `${url.replace(/\/$/, '')}/${path}${queryString(snakeCased(searchParams))}`;
        return send(wire, method, target, body ? { body: snakeCased(body as Record<string, unknown>) } : {});
      };
    const [get, post, put, patch] = [sender('GET'), sender('POST'), sender('PUT'), sender('PATCH')];
    // Gitbeaker types an answer by what it is asked for; ours is whatever JSON came.
    return { get, post, put, patch, delete: sender('DELETE') } as ReturnType<RequesterFn>;
  };
}

interface Extras {
  etag?: string | undefined;
  redirect?: 'manual' | undefined;
  body?: Record<string, unknown>;
}

async function send({ line, token }: Wire, method: string, url: string, { etag, redirect, body }: Extras) {
  const headers: Record<string, string> = { 'private-token': token, 'user-agent': 'cronsmith' };
  if (etag) headers['if-none-match'] = etag;
  if (body) headers['content-type'] = 'application/json';
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }), ...(redirect && { redirect }) };
  const response = await line.fetch(url, init);
  const text = await response.text();
  const { status } = response;
  return { status, headers: Object.fromEntries(response.headers), body: text ? (JSON.parse(text) as unknown) : null };
}

/** A space is `%20`, which means the same to every server; `+` does not. */
function queryString(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text && `?${text.replaceAll('+', '%20')}`;
}

/** Gitbeaker leaves it to the requester to turn `addLabels` into `add_labels`. */
function snakeCased(record: Record<string, unknown>): Record<string, unknown> {
  const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [snake(name), value]));
}
