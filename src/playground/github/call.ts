import { json, Refusal, type Answer, type ForgeRequest } from '../answer.js';
import { mayAtLeast } from '../world/people.js';
import { findItem, findRepository } from '../world/repositories.js';
import type { AccessLevel, Item, Note, NoteKind, Person, Repository, State, Token } from '../world/state.js';

/** One authenticated request to the playground's GitHub. */
export interface Call {
  state: State;
  request: ForgeRequest;
  params: Record<string, string>;
  user: Person;
  token: Token;
}

export type Reply = (call: Call) => Answer;

const DOCS = 'https://docs.github.com/rest';

export function problem(status: number, message: string, more: object = {}): Answer {
  return json(status, { message, ...more, documentation_url: DOCS, status: String(status) });
}

export function notFound(): Refusal {
  return new Refusal(problem(404, 'Not Found'));
}

export function invalid(resource: string, field: string, code: string, message?: string): Refusal {
  const error = message === undefined ? { resource, code, field } : { resource, code, field, message };
  return new Refusal(problem(422, 'Validation Failed', { errors: [error] }));
}

/** The repository of the path, if the caller may see it. */
export function repositoryOf(call: Call): Repository {
  const { owner, repo } = call.params;
  const repository = findRepository(call.state, `${owner}/${repo}`);
  if (!repository || !mayAtLeast(repository, call.user.login, 'read')) throw notFound();
  return repository;
}

export function issueOf(call: Call): Item {
  const item = findItem(repositoryOf(call), null, Number(call.params.number));
  if (!item) throw notFound();
  if (item.deleted) throw new Refusal(problem(410, 'This issue was deleted'));
  return item;
}

export function pullOf(call: Call): Item {
  const item = findItem(repositoryOf(call), 'change', Number(call.params.number));
  if (!item || item.deleted) throw notFound();
  return item;
}

export function noteOf(call: Call, kind: NoteKind): Note {
  const repository = repositoryOf(call);
  const note = call.state.notes.get(Number(call.params.id));
  if (!note || note.kind !== kind || note.item.repository !== repository || note.item.deleted) throw notFound();
  return note;
}

export function demand(call: Call, repository: Repository, level: AccessLevel): void {
  if (mayAtLeast(repository, call.user.login, level)) return;
  throw new Refusal(problem(403, 'Resource not accessible by personal access token'));
}

/** One page of the list, with the Link header that leads to the others. */
export function page<T>(call: Call, list: T[], render: (one: T) => unknown): Answer {
  const { shown, headers } = pageOf(call, list);
  return json(200, shown.map(render), headers);
}

export function pageOf<T>(call: Call, list: T[]): { shown: T[]; headers: Record<string, string> } {
  const { url } = call.request;
  const perPage = Math.min(100, positive(url.searchParams.get('per_page'), 30));
  const number = positive(url.searchParams.get('page'), 1);
  const last = Math.max(1, Math.ceil(list.length / perPage));
  const shown = list.slice((number - 1) * perPage, number * perPage);
  const link = linkHeader(url, number, last);
  return { shown, headers: link ? { link } : {} };
}

function linkHeader(url: URL, number: number, last: number): string {
  const to = (page: number, rel: string) => {
    const target = new URL(url);
    target.searchParams.set('page', String(page));
    return `<${target.href}>; rel="${rel}"`;
  };
  const back = number > 1 ? [to(Math.min(number - 1, last), 'prev')] : [];
  const on = number < last ? [to(number + 1, 'next'), to(last, 'last')] : [];
  return [...back, ...on, ...(number > 1 ? [to(1, 'first')] : [])].join(', ');
}

function positive(text: string | null, otherwise: number): number {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : otherwise;
}
