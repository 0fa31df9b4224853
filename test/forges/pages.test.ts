import { openLine } from '../../src/forges/http.js';
import { pageOf, pagesFromTheEnd, type Page, type Query, type ReadPage } from '../../src/forges/pages.js';
import { freshParts, TOKEN } from './rig.js';

/** Three pages of one item each. */
function threePages(links: { last: boolean }): { read: ReadPage; asked: string[] } {
  const asked: string[] = [];
  const to = (page: number): Query => ({ page: String(page) });
  const read: ReadPage = async (query) => {
    const number = Number(query.page ?? 1);
    asked.push(String(number));
    const page: Page = { unchanged: false, etag: null, items: [number] };
    if (number < 3) page.next = to(number + 1);
    if (number > 1) page.prev = to(number - 1);
    if (number < 3 && links.last) page.last = to(3);
    return page;
  };
  return { read, asked };
}

async function itemsOf(pages: AsyncGenerator<Page>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const page of pages) items.push(...page.items);
  return items;
}

test('pages are read from the last one backwards, none twice', async () => {
  const { read, asked } = threePages({ last: true });
  expect(await itemsOf(pagesFromTheEnd(read, {}))).toEqual([3, 2, 1]);
  expect(asked).toEqual(['1', '3', '2']);
});

test('where the forge does not name the last page it is found on foot', async () => {
  const { read, asked } = threePages({ last: false });
  expect(await itemsOf(pagesFromTheEnd(read, {}))).toEqual([3, 2, 1]);
  expect(asked).toEqual(['1', '2', '3']);
});

test('a list of one page is read once', async () => {
  const read: ReadPage = async () => ({ unchanged: false, etag: null, items: ['only'], last: { page: '1' } });
  expect(await itemsOf(pagesFromTheEnd(read, {}))).toEqual(['only']);
});

describe('the way to the next page', () => {
  const asked = { labels: 'coding agent', per_page: '100' };
  const next = (headers: Record<string, string>) => {
    const line = openLine('gitlab', { ...freshParts(), config: { token: TOKEN } });
    return pageOf({ status: 200, headers, data: [] }, asked, 'http://127.0.0.1/', line).next;
  };

  test.each([
    ['a Link', { link: '<http://inside/x?page=2&labels=coding+agent&per_page=100>; rel="next"' }],
    ['a Link of another hand', { link: '</x?page=1>; rel=prev, </x?page=2>; rel=next' }],
    ['a number alone', { 'x-next-page': '2' }],
  ])('is told by %s', (_, headers) => {
    expect(next(headers)).toEqual({ ...asked, page: '2' });
  });

  test('is nowhere on the last page', () => {
    expect(next({ 'x-next-page': '', link: '<http://inside/x?page=1>; rel="first"' })).toBeUndefined();
  });
});
