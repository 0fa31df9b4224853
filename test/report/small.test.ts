import { duration, fenced, grouped, inlineCode, localTime, shortUuid } from '../../src/report/format.js';
import { languageOf } from '../../src/report/language.js';
import { COMMENT_KINDS, lastLineMarker, marker, readMarker } from '../../src/report/marker.js';

const UUID = '0b5c1f9e-8a52-4b44-9a0e-1f2d3c4b5a69';

describe('the marker', () => {
  test.each(COMMENT_KINDS)('of kind %s is read back', (kind) => {
    const mark = { attempt: UUID, kind, n: 12 };
    expect(readMarker(`text\n\n${marker(mark)}\n`)).toEqual(mark);
    expect(lastLineMarker(`text\r\n\r\n${marker(mark)}\r\n`)).toBe(marker(mark));
  });

  test.each([
    'text',
    '',
    `<!-- agent:v1 attempt=${UUID} kind=result n=1 -->\nlater text`,
    `> <!-- agent:v1 attempt=${UUID} kind=result n=1 -->`,
    `<!-- agent:v1 attempt=${UUID} kind=other n=1 -->`,
    `<!-- agent:v2 attempt=${UUID} kind=result n=1 -->`,
  ])('%j has none', (body) => {
    expect(readMarker(body)).toBeNull();
  });
});

describe('formats', () => {
  test('times are local', () => {
    expect(localTime(new Date(2025, 0, 2, 3, 4, 5).getTime())).toBe('2025-01-02 03:04:05');
  });

  test.each([
    [0, '0秒', '0 s'],
    [59_600, '1分', '1 min'],
    [192_000, '3分12秒', '3 min 12 s'],
    [7_500_000, '2時間5分', '2 h 5 min'],
    [90_000_000, '1日1時間', '1 d 1 h'],
    [86_405_000, '1日', '1 d'],
  ])('%d ms are %s, %s', (ms, ja, en) => {
    expect([duration(ms, 'ja'), duration(ms, 'en')]).toEqual([ja, en]);
  });

  test('numbers, uuids and code', () => {
    expect([grouped(999), grouped(1000), grouped(1_234_567)]).toEqual(['999', '1,000', '1,234,567']);
    expect(shortUuid(UUID)).toBe('0b5c1f9e');
    expect(fenced('a ```` b')).toBe('`````\na ```` b\n`````');
    expect(inlineCode('a\n`b`')).toBe('`` a `b` ``');
  });
});

test.each([
  ['直して', '', 'ja'],
  ['Fix', 'テスト', 'ja'],
  ['Fix', 'ﾃｽﾄ', 'ja'],
  ['Fix the tests', 'please', 'en'],
  ['修復測試', '請', 'en'],
  ['', '', 'en'],
])('%j, %j is %s', (title, body, language) => {
  expect(languageOf(title, body)).toBe(language);
});
