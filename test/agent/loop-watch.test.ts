import { LoopWatch } from '../../src/agent/loop-watch.js';
import type { ToolLine } from '../../src/records.js';

function line(change: Partial<ToolLine> = {}): ToolLine {
  const call = { message: 1, id: 'call_1' };
  return {
    seq: 1,
    tool: 'fs/read',
    args: { path: 'a' },
    status: 'success',
    result: 'x',
    timestamp: '',
    call,
    ...change,
  };
}

const failing = (error: string, tool = 'fs/read'): ToolLine => line({ tool, status: 'error', error });

function verdicts(lines: ToolLine[], sameError = 3): string {
  const watch = new LoopWatch(sameError);
  return lines.map((each) => watch.note(each).verdict).join(' ');
}

describe('running in circles', () => {
  test('the same call with the same result is said at the third time and enough at the sixth', () => {
    expect(verdicts(Array.from({ length: 6 }, () => line()))).toBe('fine fine warn warn warn enough');
  });

  test.each([
    [1, 'warn enough'],
    [2, 'fine warn warn enough'],
  ])('limits.same_error: %d makes it %s', (sameError, expected) => {
    const times = sameError * 2;
    expect(
      verdicts(
        Array.from({ length: times }, () => line()),
        sameError,
      ),
    ).toBe(expected);
  });

  test('a resumed attempt goes on counting', () => {
    expect(LoopWatch.over([line(), line()], 3).note(line())).toEqual({ times: 3, verdict: 'warn' });
  });

  test.each([
    ['another result', line({ result: 'y' })],
    ['other arguments', line({ args: { path: 'b' } })],
    ['another tool', line({ tool: 'fs/list' })],
    ['a failure', failing('x')],
  ])('%s between begins the count anew', (_, other) => {
    expect(verdicts([line(), line(), other, line(), line(), line()])).toBe('fine fine fine fine fine warn');
  });
});

describe('failing in the same way', () => {
  test.each([
    ['digits', 'line 12: no such key', 'line 7: no such key'],
    ['paths', 'ENOENT: open /srv/a/b.txt', 'ENOENT: open ../c.d/e-f.ts'],
    ['Windows paths', 'cannot open C:\\a\\b.txt', 'cannot open C:\\c.txt'],
    ['digits in paths', 'no src/v1/a.ts at 3', 'no src/v22/b.ts at 40'],
  ])('is told without %s', (_, one, two) => {
    expect(verdicts([failing(one), failing(two), failing(one)])).toBe('fine fine warn');
  });

  test('does not ask for the same arguments, but for the same tool and the same words', () => {
    const other = { ...failing('no'), args: { path: 'z' } };
    expect(verdicts([failing('no'), other, failing('no')])).toBe('fine fine warn');
    expect(verdicts([failing('no'), failing('yes'), failing('no')])).toBe('fine fine fine');
    expect(verdicts([failing('no'), failing('no', 'fs/list'), failing('no')])).toBe('fine fine fine');
  });

  test.each([
    ['one word', 'a'.repeat(300_000)],
    ['dots', '.'.repeat(300_000)],
    ['a path', '/a'.repeat(150_000)],
  ])('a long error of %s is read at once', (_, error) => {
    const started = performance.now();
    verdicts([failing(error)]);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
