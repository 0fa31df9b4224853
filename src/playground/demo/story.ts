import type { Source } from '../../task/key.js';

/** The two issues of the demo and what people say about them. */
export interface Thread {
  source: Source;
  repository: string;
  person: string;
  title: string;
  body: string;
  /** What the person answers, tick after tick, once the agent has handed over. */
  replies: string[];
}

export const BOT = 'cronsmith-bot';

export const THREADS: Thread[] = [
  {
    source: 'github',
    repository: 'octo/shop',
    person: 'alice',
    title: 'discounted(200, 10) gives 190 instead of 180',
    body: 'A discount of 10 percent takes 10 off, whatever the price.\nSee `discount.js`; the test in `discount.test.js` fails because of it.',
    replies: [
      'Thanks, that works! One more thing: please refuse a percentage below 0 or above 100 with a RangeError, and add a test for it to `discount.test.js`.',
      'Perfect, thank you!',
    ],
  },
  {
    source: 'gitlab',
    repository: 'shop-team/shop',
    person: 'tanaka',
    title: '金額に3桁区切りのカンマが付きません',
    body: '`formatYen(1234567)` が `￥1234567` になります。`￥1,234,567` になるように `yen.js` を直してください。テストは `yen.test.js` にあります。',
    replies: ['ありがとうございました！'],
  },
];
