import sequencer from '@jest/test-sequencer';

const SLOWEST = ['kill-sweep', 'planning-sweep', 'comments', 'demo', 'steering'];

/** Without a record of earlier runs jest begins with the longest files; ours that take longest are short, and would be left to one worker. */
export default class SlowestFirst extends sequencer.default {
  sort(tests) {
    const slowest = SLOWEST.map((name) => tests.find(({ path }) => path.endsWith(`${name}.test.ts`))).filter(Boolean);
    return [...slowest, ...super.sort(tests.filter((test) => !slowest.includes(test)))];
  }
}
