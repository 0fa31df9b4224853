import { isPutOnAnew } from '../../src/task/label-event.js';

const event = (id: string, at: string): { id: string; at: string; actor: string } => ({ id, at, actor: 'alice' });
const NOON = '2026-03-01T12:00:00Z';

test.each([
  ['the first one ever', event('5', NOON), null, true],
  ['the very one that started the last attempt', event('5', NOON), { id: '5', at: NOON }, false],
  ['a later one', event('9', '2026-03-01T12:00:01Z'), { id: '5', at: NOON }, true],
  ['an earlier one', event('4', '2026-03-01T11:59:59Z'), { id: '5', at: NOON }, false],
  ['another one within the same second', event('6', NOON), { id: '5', at: NOON }, true],
  ['an older one within the same second', event('4', NOON), { id: '5', at: NOON }, false],
  ['ids compared as numbers', event('10', NOON), { id: '9', at: NOON }, true],
  ['the same moment written otherwise', event('5', '2026-03-01T12:00:00.000+00:00'), { id: '5', at: NOON }, false],
])('%s', (_, newest, stored, expected) => expect(isPutOnAnew(newest, stored)).toBe(expected));
