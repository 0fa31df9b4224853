import { codeSpans } from '../../src/lib/code-spans.js';
import { scanMarkdown } from '../../src/lib/markdown.js';

function codeOf(text: string): string[] {
  return scanMarkdown(text)
    .lines.filter((line) => line.kind === 'code')
    .map((line) => line.text.trim());
}

describe('lines of code', () => {
  test.each([
    ['a fence', '```\nx\n```\ny', ['x']],
    ['a fence with a language', '```ts\nx\n```', ['x']],
    ['tildes', '~~~\nx\n```\n~~~\ny', ['x', '```']],
    ['a longer fence around a shorter one', '````\n```\n````\ny', ['```']],
    ['a fence that follows a paragraph', 'p\n```\nx\n```', ['x']],
    ['a fence in a list', '- a\n\n  ```\n  x\n  ```\n  y', ['x']],
    ['a fence right behind a bullet', '1. ```\n   x\n   ```\ny', ['x']],
    ['a fence in a nested list', '- a\n  - b\n    ```\n    x\n    ```\ny', ['x']],
    ['a fence in a quote', '> ```\n> x\n> ```\ny', ['> x']],
    ['a list that ends takes its fence along', '- ```\n  x\ny\n', ['x']],
    ['a quote that ends takes its fence along', '> ```\n> x\ny', ['> x']],
    ['a lazy line keeps the list open, so that the fence is inside it', '- a\nb\n  ```\n  x\ny', ['x']],
    ['four spaces are no fence', 'p\n\n    ```\nx', []],
    ['a fence inside an HTML comment', '<!--\n```\n-->\ny', []],
    ['a fence inside an HTML block', '<details>\n```\nx\n```\n\ny', []],
    ['a fence after the HTML block has ended', '<details>\n\n```\nx\n```\n</details>', ['x']],
    ['a fence after a paragraph that begins with a tag', '<b>a</b> b\n```\nx\n```\ny', ['x']],
    ['a number other than 1 in a paragraph begins no list', 'p\n14. q\n    ~~~\n    x', []],
    ['an empty bullet followed by a blank line', '-\n\n  ~~~\nx\n  ~~~\ny', ['x']],
    ['a rule is no list', '- - -\n~~~\nx\n~~~\ny', ['x']],
    ['tabs', '-\ta\n\n\t```\n\tx\n\t```\ny', ['x']],
    ['backticks in the info string make it no fence', '``` a`b\nx', []],
    ['Windows line ends', '```\r\nx\r\n```\r\ny', ['x']],
  ])('%s', (_, text, expected) => {
    expect(codeOf(text)).toEqual(expected);
  });

  test.each([
    ['```\nx', '```'],
    ['~~~~\nx', '~~~~'],
    ['> ```\n> x', '> ```'],
    ['- ```\n  x', '  ```'],
    ['```\nx\n```', null],
    ['text', null],
  ])('%j is closed by %j', (text, closing) => {
    expect(scanMarkdown(text).closing).toBe(closing);
  });
});

describe('inline code', () => {
  test.each([
    ['a `b` c', ['`b`']],
    ['``a ` b`` c', ['``a ` b``']],
    ['a `b` c `d`', ['`b`', '`d`']],
    ['a `b', []],
    ['a `b\nc` @x `d`', []],
    ['| `a | @x | b` |', []],
    ['\\`a` b `c`', []],
    ['<a title="`">@x`</a>', []],
  ])('%j has %j', (text, expected) => {
    expect(codeSpans(text).map(({ start, end }) => text.slice(start, end))).toEqual(expected);
  });
});
