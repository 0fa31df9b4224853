import { estimateTokens } from '../../src/lib/tokens.js';
import type { Comment } from '../../src/ports.js';
import { tellNews } from '../../src/task/comments-prompt.js';
import { selectComments } from '../../src/task/select-comments.js';

function said(...bodies: string[]): Comment[] {
  const at = '2026-03-01T11:00:00Z';
  const common = { kind: 'comment', author: 'alice', bot: false, createdAt: at, updatedAt: at } as const;
  return bodies.map((body, index) => ({ ...common, id: String(index + 1), body }));
}

const ids = (comments: Comment[]): string[] => comments.map(({ id }) => id);

test('one new comment and several are told in exactly the form of the contract', () => {
  expect(tellNews(said('Use tabs.'), 8000).text).toBe('[New Comment from @alice]:\nUse tabs.');
  expect(tellNews(said('Use tabs.', 'Please.'), 8000).text).toBe(
    '[New Comments Detected]:\n\nComment 1 from @alice (2026-03-01T11:00:00Z):\nUse tabs.\n\n' +
      'Comment 2 from @alice (2026-03-01T11:00:00Z):\nPlease.',
  );
});

test.each([1, 2, 10, 400])('%i comments of a megabyte take a quarter of the context, the newest first', (count) => {
  const news = tellNews(said(...Array<string>(count).fill('word '.repeat(200_000 / count))), 8000);
  expect(estimateTokens(news.text)).toBeLessThanOrEqual(2030);
  expect(news.told.at(-1)?.id).toBe(String(count));
  expect(news.told.length + news.untold.length).toBe(count);
  expect(news.text.includes(`(${news.untold.length} earlier comments are left out`)).toBe(news.untold.length > 0);
});

test('a long comment weighs what is shown of it, and does not push the others out', () => {
  const comments = said('too old', 'x'.repeat(300), 'a log '.repeat(100_000), 'the last word');
  const { kept, skipped } = selectComments(comments, { all: 330, longest: 100 });
  expect([ids(kept), ids(skipped)]).toEqual([['2', '3', '4'], ['1']]);
});
