import { json, Refusal, type Answer, type ForgeRequest } from '../answer.js';
import { accessOf, mayAtLeast } from '../world/people.js';
import { findItem, findRepository } from '../world/repositories.js';
import type { AccessLevel, Item, Note, Person, Repository, State, Token } from '../world/state.js';

/** One authenticated request to the playground's GitLab. */
export interface Call {
  state: State;
  request: ForgeRequest;
  params: Record<string, string>;
  user: Person;
  token: Token;
}

export type Reply = (call: Call) => Answer;

export function problem(status: number, message: unknown): Answer {
  return json(status, { message });
}

export function refuse(status: number, message: unknown): Refusal {
  return new Refusal(problem(status, message));
}

/** The project of the path, by number or by full path, if the caller may see it. */
export function projectOf(call: Call): Repository {
  const id = call.params.id ?? '';
  const project = /^\d+$/.test(id) ? projectNumbered(call.state, Number(id)) : findRepository(call.state, id);
  if (!project || accessOf(project, call.user.login) === 'none') throw refuse(404, '404 Project Not Found');
  return project;
}

function projectNumbered(state: State, id: number): Repository | undefined {
  return [...state.repositories.values()].find((project) => project.id === id);
}

/** Which of the two lists a path such as `/projects/:id/:items/:iid` means. */
export function kindOf(call: Call): Item['kind'] {
  return call.params.items === 'issues' ? 'issue' : 'change';
}

export function itemOf(call: Call): Item {
  const item = findItem(projectOf(call), kindOf(call), Number(call.params.iid));
  if (!item || item.deleted) throw refuse(404, '404 Not found');
  return item;
}

export function noteOf(call: Call): Note {
  const item = itemOf(call);
  const note = call.state.notes.get(Number(call.params.note));
  if (!note || note.item !== item) throw refuse(404, '404 Not found');
  return note;
}

export function demand(call: Call, project: Repository, level: AccessLevel): void {
  if (!mayAtLeast(project, call.user.login, level)) throw refuse(403, '403 Forbidden');
}

/** One page of the list, with `X-Next-Page` and its family, and the Link header. */
export function page<T>(call: Call, list: T[], render: (one: T) => unknown): Answer {
  const { url } = call.request;
  const perPage = Math.min(100, positive(url.searchParams.get('per_page'), 20));
  const number = positive(url.searchParams.get('page'), 1);
  const last = Math.max(1, Math.ceil(list.length / perPage));
  const shown = list.slice((number - 1) * perPage, number * perPage);
  return json(200, shown.map(render), {
    ...{ 'x-page': String(number), 'x-per-page': String(perPage) },
    ...{ 'x-next-page': number < last ? String(number + 1) : '', 'x-prev-page': number > 1 ? String(number - 1) : '' },
    ...(list.length <= MOST_COUNTED && { 'x-total': String(list.length), 'x-total-pages': String(last) }),
    link: linkHeader(url, number, perPage, { last, told: list.length <= MOST_COUNTED }),
  });
}

/** Longer lists are not counted by GitLab: no totals, and no link to the last page. */
const MOST_COUNTED = 10_000;

function linkHeader(url: URL, number: number, perPage: number, end: { last: number; told: boolean }): string {
  const to = (page: number, rel: string) => {
    const target = new URL(url);
    target.searchParams.set('page', String(page));
    target.searchParams.set('per_page', String(perPage));
    return `<${target.href}>; rel="${rel}"`;
  };
  const back = number > 1 ? [to(number - 1, 'prev')] : [];
  const on = number < end.last ? [to(number + 1, 'next')] : [];
  return [...back, ...on, to(1, 'first'), ...(end.told ? [to(end.last, 'last')] : [])].join(', ');
}

function positive(text: string | null, otherwise: number): number {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : otherwise;
}

/** A field of the body, else of the query: GitLab takes either. */
export function field(call: Call, name: string): unknown {
  return call.request.body[name] ?? call.request.url.searchParams.get(name) ?? undefined;
}

export function textField(call: Call, name: string): string | undefined {
  const value = field(call, name);
  return typeof value === 'string' ? value : undefined;
}

/** Names given as `a,b` or as a list. */
export function namesField(call: Call, name: string): string[] | undefined {
  const value = field(call, name);
  if (value === undefined) return undefined;
  const names = Array.isArray(value) ? value.map(String) : (value as string).split(',');
  return names.map((one) => one.trim()).filter((one) => one !== '');
}
