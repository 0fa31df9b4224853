import type { Line } from './http.js';
import { unreadable } from './failure.js';

export type Query = Record<string, string>;

/** An answer as both clients give it. */
export interface Answer {
  status: number;
  headers: Record<string, string | number | undefined>;
  data: unknown;
}

/** One page of a list, and the way to its neighbours. */
export interface Page {
  /** 304: nothing else is set. */
  unchanged: boolean;
  etag: string | null;
  items: unknown[];
  next?: Query;
  prev?: Query;
  last?: Query;
}

/** Asks for one page of a list; with an ETag the answer may be `unchanged`. */
export type ReadPage = (query: Query, etag?: string) => Promise<Page>;

export const PAGE_SIZE = 100;

export function firstPage(query: Query = {}): Query {
  return { ...query, per_page: String(PAGE_SIZE) };
}

/** Reads the answer to `query` as a page; what is no list is as good as no answer. */
export function pageOf(answer: Answer, query: Query, url: string, line: Line): Page {
  const { status, headers } = answer;
  if (status === 304) return { unchanged: true, etag: null, items: [] };
  const items = Array.isArray(answer.data) ? answer.data : (answer.data as { items?: unknown } | null)?.items;
  if (!Array.isArray(items)) throw unreadable(url, line.party, status, 'the answer is no list');
  return { unchanged: false, etag: etagOf(answer), items, ...neighbours(headers, query) };
}

export function etagOf({ headers }: Answer): string | null {
  return headers.etag ? String(headers.etag) : null;
}

/** The items of this page and of all that follow. */
export async function itemsFrom(first: Page, read: ReadPage): Promise<unknown[]> {
  const items = [...first.items];
  for (let page = first; page.next; items.push(...page.items)) page = await read(page.next);
  return items;
}

export async function allItems(read: ReadPage, query: Query): Promise<unknown[]> {
  return itemsFrom(await read(query), read);
}

/** The pages of a list that has its oldest items first, from the last page backwards. */
export async function* pagesFromTheEnd(read: ReadPage, query: Query): AsyncGenerator<Page> {
  const first = await read(query);
  if (!first.next || !first.last) return yield* await restReversed(first, read);
  let page = await read(first.last);
  while (page.prev) {
    yield page;
    page = page.prev.page === '1' ? first : await read(page.prev);
  }
  yield page;
}

/** Forges leave out the way to the last page where counting is dear: then it is found on foot. */
async function restReversed(first: Page, read: ReadPage): Promise<Page[]> {
  const pages = [first];
  for (let page = first; page.next; pages.unshift(page)) page = await read(page.next);
  return pages;
}

/** Only the query of a `Link` is taken: its host may be one that only the forge itself knows. Proxies may leave nothing but GitLab's number. */
function neighbours(headers: Answer['headers'], asked: Query): Pick<Page, 'next' | 'prev' | 'last'> {
  const { link = '', 'x-next-page': number } = headers;
  const found: Pick<Page, 'next' | 'prev' | 'last'> = number ? { next: { ...asked, page: String(number) } } : {};
  for (const [, url, name] of String(link).matchAll(/<([^>]+)>\s*;\s*rel="?(next|prev|last)\b/g)) {
    const told = Object.fromEntries(new URLSearchParams(url?.split('?')[1]));
    found[name as keyof typeof found] = { ...asked, ...told };
  }
  return found;
}
