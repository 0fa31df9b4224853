import { cutMiddle } from '../../src/lib/cut.js';
import { estimateMessages, estimateTokens } from '../../src/lib/tokens.js';

describe('estimating tokens', () => {
  test('four ASCII characters are about one token', () => {
    expect(estimateTokens('a'.repeat(400))).toBe(100);
  });

  test('a CJK character is about one token', () => {
    expect(estimateTokens('完了しました')).toBe(6);
  });

  test('nothing costs nothing, and a single character one', () => {
    expect([estimateTokens(''), estimateTokens('a')]).toEqual([0, 1]);
  });

  test('mixed text is the sum of its parts', () => {
    expect(estimateTokens('abcd完了')).toBe(3);
  });

  test('a message costs more than its text, and its calls are counted', () => {
    const plain = estimateMessages([{ role: 'user', content: 'a'.repeat(40) }]);
    const call = { id: '1', tool: 'fs/read', args: { path: 'a'.repeat(40) } };
    const calling = estimateMessages([{ role: 'assistant', content: 'a'.repeat(40), toolCalls: [call] }]);
    expect(plain).toBeGreaterThan(10);
    expect(calling).toBeGreaterThan(plain + 10);
  });

  test('arguments that were no JSON are counted as they came', () => {
    const call = { id: '1', tool: 'fs/read', args: null, raw: 'x'.repeat(400) };
    expect(estimateMessages([{ role: 'assistant', content: '', toolCalls: [call] }])).toBeGreaterThan(100);
  });

  test('ten million characters take well under a second', () => {
    const text = 'あa'.repeat(5_000_000);
    const started = performance.now();
    estimateTokens(text);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

test('a text that is cut stays within its tokens, wherever the heavy characters are', () => {
  const texts = ['漢'.repeat(6000) + 'a'.repeat(60_000) + '漢'.repeat(6000), 'a'.repeat(80_000), '漢'.repeat(20_000)];
  for (const text of texts) {
    const cut = cutMiddle(text, 8000);
    expect(estimateTokens(cut)).toBeLessThanOrEqual(8000);
    expect(estimateTokens(cut)).toBeGreaterThan(7800);
    expect(cut).toMatch(/\[… \d+ characters left out …\]/);
  }
});

test('a text that is cut twice says how much of the first one is missing', () => {
  const text = 'a'.repeat(500_000) + 'z'.repeat(500_000);
  const cut = cutMiddle(cutMiddle(text, 8000), 1000);
  const [, head, missing, tail] = /^(a+)\n\[… (\d+) characters left out …\]\n(z+)$/.exec(cut)!;
  expect(head!.length + Number(missing) + tail!.length).toBe(text.length);
  expect(head!.length / (head!.length + tail!.length)).toBeCloseTo(0.6, 1);
});

test.each([200, 201, 202, 203])('a cut never parts the halves of a character (limit %d)', (limit) => {
  const cut = cutMiddle('😀'.repeat(500), limit);
  expect(Buffer.from(cut).toString()).toBe(cut);
});
