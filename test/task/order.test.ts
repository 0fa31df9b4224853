import type { TaskKey } from '../../src/task/key.js';
import { inTurns } from '../../src/task/order.js';

function job(name: string, since: number, source: TaskKey['source'] = 'github'): { key: TaskKey; since: number } {
  const [owner = '', repo = '', id = ''] = name.split(/[/#]/);
  return { key: { source, owner, repo, type: 'issue', id }, since };
}

function names(jobs: { key: TaskKey }[]): string[] {
  return jobs.map(({ key }) => `${key.repo}#${key.id}`);
}

test('within a repository the oldest is first', () => {
  expect(names(inTurns([job('o/a#1', 3), job('o/a#2', 1), job('o/a#3', 2)]))).toEqual(['a#2', 'a#3', 'a#1']);
});

test('repositories take turns, the one with the oldest item first, so that a busy one starves nobody', () => {
  const jobs = [job('o/a#1', 2), job('o/a#2', 3), job('o/a#3', 4), job('o/b#1', 1), job('o/c#1', 9)];
  expect(names(inTurns(jobs))).toEqual(['b#1', 'a#1', 'c#1', 'a#2', 'a#3']);
});

test('the same path on two forges is two repositories', () => {
  const jobs = [job('o/a#1', 1), job('o/a#2', 2), job('o/a#9', 3, 'gitlab')];
  expect(names(inTurns(jobs))).toEqual(['a#1', 'a#9', 'a#2']);
});

test('nothing is lost, and nothing stays nothing', () => {
  expect(inTurns([])).toEqual([]);
  const many = Array.from({ length: 50 }, (_, i) => job(`o/r${i % 7}#${i}`, i));
  expect(new Set(inTurns(many))).toEqual(new Set(many));
});
