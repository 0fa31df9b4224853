import { OperatorError } from '../../src/lib/exit.js';
import { hostOf, parseTaskName } from '../../src/task/name.js';

const HOSTS = [hostOf('github', 'https://api.github.com'), hostOf('gitlab', 'https://git.example.org/gitlab/api/v4')];

const UUID = '0b5c1f9e-8a52-4b44-9a0e-1f2d3c4b5a69';

test.each([
  ['owner/repo#12', { kind: 'item', path: 'owner/repo', id: '12' }],
  [' owner/repo.js#12 ', { kind: 'item', path: 'owner/repo.js', id: '12' }],
  ['group/sub/project#7', { kind: 'item', source: 'gitlab', path: 'group/sub/project', id: '7', type: 'issue' }],
  [
    'group/sub/project!7',
    { kind: 'item', source: 'gitlab', path: 'group/sub/project', id: '7', type: 'merge_request' },
  ],
  ['github:owner/repo#12', { kind: 'item', source: 'github', path: 'owner/repo', id: '12' }],
  ['gitlab:owner/repo#12', { kind: 'item', source: 'gitlab', path: 'owner/repo', id: '12', type: 'issue' }],
  ['https://github.com/o/r/issues/3', { kind: 'item', source: 'github', path: 'o/r', id: '3', type: 'issue' }],
  [
    'https://github.com/o/r/pull/4/files?w=1#x',
    { kind: 'item', source: 'github', path: 'o/r', id: '4', type: 'pull_request' },
  ],
  [
    'https://git.example.org/gitlab/g/s/p/-/issues/5#note_1',
    { kind: 'item', source: 'gitlab', path: 'g/s/p', id: '5', type: 'issue' },
  ],
  [
    'https://git.example.org/gitlab/g/p/-/merge_requests/6',
    { kind: 'item', source: 'gitlab', path: 'g/p', id: '6', type: 'merge_request' },
  ],
  [
    'https://git.example.org/gitlab/g/p/-/work_items/6',
    { kind: 'item', source: 'gitlab', path: 'g/p', id: '6', type: 'issue' },
  ],
  [UUID, { kind: 'uuid', prefix: UUID }],
  ['0B5C', { kind: 'uuid', prefix: '0b5c' }],
  ['#0b5c1f9e', { kind: 'uuid', prefix: '0b5c1f9e' }],
  ['github:0b5c1f9e', { kind: 'uuid', prefix: '0b5c1f9e', source: 'github' }],
])('%j is understood', (text, expected) => {
  expect(parseTaskName(text, HOSTS)).toEqual(expected);
});

test.each([
  '',
  '#12',
  'repo#12',
  'owner/repo',
  'owner/repo#0',
  'owner/repo#x',
  'abc',
  'github:group/project!7',
  'https://github.com/o/r',
  'https://github.com/o/r/-/merge_requests/1',
  'https://github.com/o/r/issues/%zz',
])('%j is refused with what is accepted', (text) => {
  const refusal = refusalOf(text);
  expect(refusal.message).toContain(text);
  expect(refusal.fix).toContain('owner/repo#12');
  expect(refusal.exitCode).toBe(2);
});

test('a URL of another host names the hosts that are configured', () => {
  const refusal = refusalOf('https://evil.example/o/r/issues/1');
  expect(refusal.fix).toContain('https://github.com, https://git.example.org/gitlab');
});

test.each([
  ['https://api.github.com/', 'https://github.com'],
  ['https://api.octocorp.ghe.com', 'https://octocorp.ghe.com'],
  ['https://ghe.example.com/api/v3', 'https://ghe.example.com'],
  ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
])('the pages of the API at %s are at %s', (api, url) => {
  expect(hostOf('github', api)).toEqual({ source: 'github', url });
});

function refusalOf(text: string): OperatorError {
  try {
    parseTaskName(text, HOSTS);
  } catch (error) {
    if (error instanceof OperatorError) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
}
