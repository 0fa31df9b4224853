import { newestEvent } from '../../src/forges/labels.js';

test('the newest label event is found in any order', () => {
  const event = (id: string, at: string) => ({ id, at, actor: 'alice' });
  const noon = '2026-03-01T12:00:00Z';
  const events = [event('9', noon), event('10', noon), event('4', '2026-03-01T11:00:00Z')];
  expect(newestEvent(events)).toBe(events[1]);
  expect(newestEvent(events.toReversed())).toBe(events[1]);
  expect(newestEvent([])).toBeNull();
});
