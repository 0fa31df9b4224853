import type { CannedRequest, Saying } from '../model/steps.js';
import { MENDED } from './shop.js';

/** A piece of work that the canned model knows by heart. */
export interface Job {
  look: Saying[];
  change: Saying[];
  check: Saying[];
  goal: string;
  changing: string;
  checking: string;
  /** What it says after looking, changing and checking in planning mode. */
  found: string;
  changed: string;
  checked: string;
  end: string;
  failed: string;
  summary: string;
}

/** The job that the newest words of a person ask for. */
export function jobFor({ messages }: Pick<CannedRequest, 'messages'>): Job {
  const said = messages.map((message) => message.content).join('\n');
  if (said.includes('yen.js')) return YEN;
  return said.includes('RangeError') ? RANGE : DISCOUNT;
}

function reading(path: string, text: string): Saying {
  return { text, toolCalls: [{ tool: 'files/read_file', args: { path } }] };
}

function writing(path: string, content: string, text: string): Saying {
  return { text, toolCalls: [{ tool: 'files/write_file', args: { path, content } }] };
}

function testing(path: string, text: string): Saying {
  return { text, toolCalls: [{ tool: 'files/run_tests', args: { path } }] };
}

const DISCOUNT: Job = {
  look: [
    reading('discount.js', 'I look at the function first.'),
    testing('discount.test.js', 'I run its test to see the failure with my own eyes.'),
  ],
  change: [
    writing(
      'discount.js',
      MENDED.discount,
      '`percent` is taken off as if it were an amount. I make it a share of the price.',
    ),
  ],
  check: [testing('discount.test.js', 'Now the test again.')],
  goal: 'Make `discounted` take off a share of the price.',
  changing: 'Correct the calculation in `discount.js`',
  checking: '`discount.test.js` passes',
  found: '`discount.js` subtracts the percentage itself instead of that share of the price.',
  changed: 'The percentage is now a share of the price.',
  checked: '`node --test discount.test.js` was run: exit code 0.',
  end: '`discounted` took the percentage off as an amount. It now takes off that share of the price: `discounted(200, 10)` is 180.\n\nChanged: `discount.js`. Checked: `node --test discount.test.js`, exit code 0.',
  failed: 'I changed `discount.js`, but `discount.test.js` still fails.',
  summary:
    'Goal: discounted(price, percent) takes off a share of the price.\nChanges: discount.js – the calculation was corrected.\nChecked: node --test discount.test.js, exit code 0.\nWhat remains: nothing.',
};

const RANGE: Job = {
  look: [reading('discount.js', 'I look at what the first attempt left.')],
  change: [
    writing('discount.js', MENDED.discountInRange, 'Percentages outside of 0 to 100 are refused.'),
    writing('discount.test.js', MENDED.discountInRangeTest, 'A test for it, beside the first one.'),
  ],
  check: [testing('discount.test.js', 'Both tests together.')],
  goal: 'Refuse percentages below 0 and above 100.',
  changing: 'Throw a RangeError in `discount.js` and add a test',
  checking: 'Both tests in `discount.test.js` pass',
  found: '`discount.js` calculates correctly and takes any percentage.',
  changed: 'A RangeError is thrown, and there is a test for it.',
  checked: '`node --test discount.test.js` was run: exit code 0, both tests.',
  end: 'A percentage below 0 or above 100 (or no number at all) is now refused with a RangeError, and a test says so.\n\nChanged: `discount.js`, `discount.test.js`. Checked: `node --test discount.test.js`, exit code 0.',
  failed: 'I added the RangeError, but `discount.test.js` fails.',
  summary:
    'Goal: discounted(price, percent) takes off a share of the price and refuses a percentage outside of 0 to 100 with a RangeError.\nChanges: discount.js – both; discount.test.js – a second test.\nChecked: exit code 0.\nWhat remains: nothing.',
};

const YEN: Job = {
  look: [reading('yen.js', 'まず関数を確認します。')],
  change: [writing('yen.js', MENDED.yen, '`toLocaleString` で3桁区切りにします。')],
  check: [testing('yen.test.js', 'テストを実行します。')],
  goal: '`formatYen` で3桁ごとにカンマを入れる。',
  changing: '`yen.js` を3桁区切りに直す',
  checking: '`yen.test.js` が通る',
  found: '`yen.js` は数値をそのまま連結しています。',
  changed: '3桁区切りになりました。',
  checked: '`node --test yen.test.js` を実行しました: 終了コード 0。',
  end: '`formatYen` が3桁ごとにカンマを入れるようにしました: `formatYen(1234567)` は `￥1,234,567` です。\n\n変更: `yen.js`。確認: `node --test yen.test.js`、終了コード 0。',
  failed: '`yen.js` を変更しましたが、`yen.test.js` が失敗します。',
  summary:
    '目的: formatYen を3桁区切りにする。\n変更: yen.js。\n確認: node --test yen.test.js、終了コード 0。\n残り: なし。',
};
