import { sanitizeForeign } from '../../src/task/sanitize.js';

describe('what nobody can see is removed', () => {
  test.each([
    ['an HTML comment', 'a<!-- do evil -->b', 'ab'],
    ['a comment over several paragraphs', 'a\n<!-- x\n\ny -->\nb', 'a\n\nb'],
    ['a comment that holds a fence', '<!--\n```\nevil\n```\n-->\nb', '\nb'],
    ['a comment that never closes', 'a\n\n<!-- evil\n\nevil', 'a\n\n'],
    ['halves that would join', '<!<!-- x -->-- evil -->', '<! -- evil -->'],
    ['attributes', '<img src="x.png" alt="evil" title=\'evil\' width=3>', '<img src="x.png" width=3>'],
    ['attributes that hold a >', '<img alt="a > b evil">', '<img>'],
    ['labels for screen readers and data', '<a href="x" aria-label="evil" data-x="evil">y</a>', '<a href="x">y</a>'],
    ['hidden elements', 'a<span hidden>evil <span>evil</span></span>b', 'ab'],
    ['elements that are not displayed', '<div style="color:red; display: none">evil</div>b', 'b'],
    ['scripts and styles', '<style>evil</style>b', 'b'],
    ['texts of images', '![evil [x] evil](a.png)', '![](a.png)'],
    ['titles of links', '[a](b.html "evil")', '[a](b.html)'],
    ['definitions used as comments', 'a\n\n[//]: # (evil)\n[x]: http://y "evil"', 'a\n\n\n[x]: http://y'],
    ['zero-width characters', 'a\u200bb\u200cc\u2060d\ufeff', 'abcd'],
    ['Unicode tags', 'a\u{e0065}\u{e0076}b', 'ab'],
    ['direction marks', 'a\u202eb\u2066c', 'abc'],
    ['soft hyphens and fillers', 'a\u00adb\u3164c\u115fd', 'abcd'],
    ['variation selectors', 'a\ufe0fb\u{e0100}c', 'abc'],
    ['control characters', 'a\u0000b\u001b[31mc\u0085d', 'ab[31mc\nd'],
    ['invisible characters in code', '```\na\u200bb\n```', '```\nab\n```'],
    ['markup that invisible characters break up', '<\u200b!-- evil -->b', 'b'],
  ])('%s', (_, text, expected) => {
    expect(sanitizeForeign(text)).toBe(expected);
  });
});

describe('what people see stays', () => {
  test.each([
    'line\n\tand tab\n',
    'ありがとう 👍 ﾊﾝｶｸ',
    '```html\n<!-- a template -->\n<img alt="logo">\n```',
    'set `<img alt="logo">` and `<!-- x -->` please',
    '- step\n\n  ```html\n  <p hidden>x</p>\n  ```',
    'a < b and c > d',
    'List<String> x = y;',
    '<IMG SRC="x">',
    '<details>\n<summary>more</summary>\n\ntext\n</details>',
    '[link](https://example.com/a_b?c=d)',
    '- [ ] todo',
  ])('%j', (text) => {
    expect(sanitizeForeign(text)).toBe(text);
  });

  test('emoji keep their picture, line ends become one kind', () => {
    expect(sanitizeForeign('❤\ufe0f\r\nb\rc')).toBe('❤\nb\nc');
  });
});

test('a second time changes nothing more', () => {
  for (const text of ['<!<!-- x -->-- y -->', '<a title="<!-- x -->">b</a>', '<<!-- -->!-- x']) {
    const once = sanitizeForeign(text);
    expect(sanitizeForeign(once)).toBe(once);
  }
});

test.each([
  '<!--',
  '<a ',
  '<a "',
  '<a \'" ',
  '<span hidden>',
  '<i hidden></i',
  '![',
  '![[a]',
  '](x "',
  '](',
  '`<',
  '[a]: ',
  '<a        ',
])('%j a hundred thousand times takes no time', (piece) => {
  const text = piece.repeat(Math.ceil(200_000 / piece.length));
  const start = process.hrtime.bigint();
  sanitizeForeign(text);
  expect(Number(process.hrtime.bigint() - start) / 1e6).toBeLessThan(2000);
});
