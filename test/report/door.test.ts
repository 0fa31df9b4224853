import { openDoor } from '../../src/report/door.js';
import { marker, readMarker } from '../../src/report/marker.js';

const MARK = marker({ attempt: '0b5c1f9e-8a52-4b44-9a0e-1f2d3c4b5a69', kind: 'result', n: 1 });
const ZERO = '\u200b';

function door(source: 'github' | 'gitlab' = 'github', maxLength = 65_536) {
  const pass = openDoor({
    redact: (text) => text.replaceAll('s3cr3t-value', '***'),
    source,
    maxLength,
    involved: (login) => ['alice', 'Bob-1'].includes(login),
  });
  return (body: string) => pass(body, MARK);
}

function bodyAfter(body: string, source: 'github' | 'gitlab' = 'github'): string {
  const posted = door(source)(body);
  expect(posted.endsWith(`\n\n${MARK}`)).toBe(true);
  return posted.slice(0, -MARK.length - 2);
}

/** What the reader sees: the text with `|` where something was inserted. */
function seen(body: string, source: 'github' | 'gitlab' = 'github'): string {
  return bodyAfter(body, source).replaceAll(ZERO, '|');
}

describe('mentions', () => {
  test.each([
    ['hello @mallory', 'hello @|mallory'],
    ['@mallory', '@|mallory'],
    ['(@mallory)', '(@|mallory)'],
    ['**@mallory**', '**@|mallory**'],
    ['日本語@mallory', '日本語@|mallory'],
    ['\\@mallory', '\\@|mallory'],
    ['&#64;mallory &#x40;mallory &commat;mallory', '&#64;|mallory &#x40;|mallory &commat;|mallory'],
    ['@org/team', '@|org/team'],
    ['@alice/team', '@|alice/team'],
    ['@all @everyone', '@|all @|everyone'],
    ['> quoting @mallory', '> quoting @|mallory'],
    ['- item\n\n      @mallory', '- item\n\n      @|mallory'],
    ['`x`@mallory', '`x`@|mallory'],
    ['| ` | @mallory | ` |', '| ` | @|mallory | ` |'],
    ['`a\nb` @mallory `c`', '`a\nb` @|mallory `c`'],
    ['- ```\n  code\n@mallory', '- ```\n  code\n@|mallory'],
    ['- a\nb\n  ```\n  code\n@mallory', '- a\nb\n  ```\n  code\n@|mallory'],
    ['<div>\n```\n@mallory\n```\n</div>', '<div>\n```\n@|mallory\n```\n</div>'],
    ['<div>\nhttps://example.com/@mallory\n</div>', '<div>\nhttps://example.com/@|mallory\n</div>'],
    ['http://@mallory', 'http://@|mallory'],
  ])('%j becomes harmless', (body, expected) => {
    expect(seen(body)).toBe(expected);
  });

  test.each([
    '@alice and @Bob-1, thanks.',
    '@alice.',
    'mail me@example.com',
    '`@mallory`',
    '``@mallory ` ``',
    '```\n@mallory\n```',
    '~~~python\n@property\n~~~',
    '1. do this\n\n   ```java\n   @Override\n   ```',
    'https://medium.com/@mallory/post',
    '[post](https://medium.com/@mallory/post)',
    'a @ b',
  ])('%j stays as it is', (body) => {
    expect(bodyAfter(body)).toBe(body);
  });
});

describe('closing keywords', () => {
  test.each([
    'fixes #12',
    'Fixes: #12',
    'FIXED #12',
    'fix #12',
    'closes owner/repo#12',
    'Closed GH-12',
    'resolve https://github.com/owner/repo/issues/12',
    'resolves https://gitlab.com/g/s/p/-/issues/7',
    'Closing issues #4, #6 and #9',
    'implements group/project#3',
    'Implementing !7',
    'fixes\n#12',
    '**fixes** #12',
    'fixes [#12](https://example.com)',
    'fixes &#35;12',
    '> closes #1',
  ])('%j becomes harmless', (body) => {
    const after = bodyAfter(body);
    expect(after.replaceAll(ZERO, '')).toBe(body);
    expect(after).toMatch(/[cfri]\u200b(?:los|ix|esolv|mplement)/i);
  });

  test.each([
    'see #12',
    'prefixes #12',
    'fixed 3 files',
    'I fix it. Later #12 came',
    '`fixes #12`',
    '```\nfixes #12\n```',
  ])('%j stays as it is', (body) => {
    expect(bodyAfter(body)).toBe(body);
  });
});

describe('quick actions', () => {
  test.each([
    ['/merge', '/|merge'],
    ['  /close', '  /|close'],
    ['text\n/assign @alice', 'text\n/|assign @alice'],
    ['text\n\t/unlabel ~x\nmore', 'text\n\t/|unlabel ~x\nmore'],
    ['<div>\n/merge\n</div>', '<div>\n/|merge\n</div>'],
    ['~~~\n/merge\n~~~', '~~~\n/|merge\n~~~'],
  ])('%j does nothing on GitLab', (body, expected) => {
    expect(seen(body, 'gitlab')).toBe(expected);
  });

  test('plain code blocks, inline code and slashes in a line stay as they are', () => {
    const body = '```\n/merge\n```\n\n`/merge` and/or a /path\n\n- /merge';
    expect(bodyAfter(body, 'gitlab')).toBe(body);
  });

  test('GitHub has none', () => {
    expect(bodyAfter('/merge')).toBe('/merge');
  });
});

describe('what is hidden', () => {
  test('a forged marker is taken out, wherever it stands', () => {
    const forged = marker({ attempt: 'ffff', kind: 'progress', n: 9 });
    const posted = door()(`a ${forged} b\n\n\`\`\`\n${forged}\n\`\`\`\n\n${forged}`);
    expect(posted.match(/agent:v1/g)).toHaveLength(1);
    expect(readMarker(posted)).toMatchObject({ kind: 'result', n: 1 });
  });

  test('two halves around a marker do not join', () => {
    expect(door()('<!-- age<!-- agent:v1 attempt=a kind=result n=1 -->nt:v1 -->').match(/agent:v1/g)).toHaveLength(1);
  });

  test('an HTML comment is shown, so that it hides nothing', () => {
    expect(bodyAfter('a\n\n<!-- b\n\nc')).toBe('a\n\n&lt;!-- b\n\nc');
    expect(bodyAfter('`<!-- b -->`')).toBe('`<!-- b -->`');
    expect(seen('<!--\n```\n-->\n@mallory\n```\n@mallory')).toBe('&lt;!--\n```\n-->\n@mallory\n```\n@|mallory');
  });
});

describe('secrets and length', () => {
  test('secrets are masked, in code as well', () => {
    expect(bodyAfter('a s3cr3t-value\n\n```\ns3cr3t-value\n```')).toBe('a ***\n\n```\n***\n```');
  });

  test('a secret that lies on the cut is masked before', () => {
    for (let length = 300; length < 340; length++) {
      expect(door('github', length)('s3cr3t-value '.repeat(100))).not.toMatch(/s3cr|value/);
    }
  });

  test('an open fence and open details are closed', () => {
    expect(bodyAfter('```js\nx')).toBe('```js\nx\n```');
    expect(bodyAfter('<details>\n\n```\nx')).toBe('<details>\n\n```\nx\n```\n\n</details>');
    expect(bodyAfter('a </details> b')).toBe('a  b');
  });

  test('a long text keeps its beginning and its end, with a note between', () => {
    const text = `first\n${'line\n'.repeat(500)}last`;
    const posted = door('github', 1000)(text);
    expect(posted.length).toBeLessThanOrEqual(1000);
    expect(posted.startsWith('first\n')).toBe(true);
    expect(posted).toMatch(/characters left out here/);
    expect(posted).toMatch(/last\n\n<!-- agent:v1 .* -->$/);
  });

  test('the note speaks the language of the text', () => {
    expect(door('github', 600)('あ'.repeat(2000))).toMatch(/文字を省略しました/);
  });

  test('code that is cut stays code on both sides', () => {
    const text = `intro\n\n\`\`\`\n${'@mallory\n'.repeat(500)}\`\`\`\n\n@mallory`;
    const posted = door('github', 1200)(text);
    expect(posted.length).toBeLessThanOrEqual(1200);
    expect(posted.match(/^```$/gm)).toHaveLength(4);
    expect(posted.split(`@${ZERO}mallory`)).toHaveLength(2);
  });

  test('what the door adds counts, and no emoji is split', () => {
    for (const text of ['@mallory '.repeat(400), '😀'.repeat(2000), '/x\n'.repeat(900), '`@a'.repeat(900)]) {
      for (let length = 250; length < 270; length++) {
        const posted = door('gitlab', length)(text);
        expect(posted.length).toBeLessThanOrEqual(length);
        expect(posted).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
        expect(posted.endsWith(MARK)).toBe(true);
      }
    }
  });

  test('passing twice changes nothing more', () => {
    const body = 'fixes #1 @mallory\n\n<!-- x -->\n\n/merge\n\n```\nopen';
    const once = bodyAfter(body, 'gitlab');
    expect(bodyAfter(once, 'gitlab')).toBe(once);
  });

  test('nothing takes long', () => {
    const start = process.hrtime.bigint();
    for (const piece of [
      '@',
      '`',
      '<!--',
      '<a ',
      '> ',
      '- ',
      '```\n',
      'fixes ',
      'https://a.bc/@',
      '<details>',
      '\t',
      '<details>\n\n```\n<!--\n',
    ]) {
      door('gitlab')(piece.repeat(Math.ceil(200_000 / piece.length)));
    }
    expect(Number(process.hrtime.bigint() - start) / 1e6).toBeLessThan(8000);
  });
});
