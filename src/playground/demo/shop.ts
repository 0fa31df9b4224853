/** The files of the demo's project. Two functions do not do what their tests say. */
export const SHOP = {
  'package.json': `{ "name": "shop", "private": true, "type": "module", "scripts": { "test": "node --test" } }
`,
  'discount.js': `/** The price after a discount of so many percent. */
export function discounted(price, percent) {
  return price - percent;
}
`,
  'discount.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discounted } from './discount.js';

test('ten percent off 200 is 180', () => {
  assert.equal(discounted(200, 10), 180);
});
`,
  'yen.js': `/** 金額を「￥1,234」の形にする。 */
export function formatYen(amount) {
  return '￥' + amount;
}
`,
  'yen.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatYen } from './yen.js';

test('3桁ごとにカンマが入る', () => {
  assert.equal(formatYen(1234567), '￥1,234,567');
});
`,
} as const;

/** The files as a good engineer leaves them: what the canned model writes. */
export const MENDED = {
  discount: SHOP['discount.js'].replace('price - percent', 'price - (price * percent) / 100'),
  discountInRange: `/** The price after a discount of so many percent; throws a RangeError unless it is between 0 and 100. */
export function discounted(price, percent) {
  if (!(percent >= 0 && percent <= 100)) throw new RangeError(\`percent must be between 0 and 100, not \${percent}\`);
  return price - (price * percent) / 100;
}
`,
  discountInRangeTest: `${SHOP['discount.test.js']}
test('a discount below 0 or above 100 percent is refused', () => {
  for (const percent of [-1, 101, NaN]) assert.throws(() => discounted(200, percent), RangeError);
});
`,
  yen: SHOP['yen.js'].replace("'￥' + amount", "'￥' + amount.toLocaleString('en-US')"),
};
