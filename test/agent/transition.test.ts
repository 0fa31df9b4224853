import type { Attempt } from '../../src/agent/attempt.js';
import { transitionOf } from '../../src/agent/transition.js';
import type { Forge } from '../../src/ports.js';
import { ProgressComment } from '../../src/report/progress.js';
import { attemptOf, conversationIn, memoryRig, NOW, rowIn, scripted, type Rig } from './memory-rig.js';

let rig: Rig;
let attempt: Attempt;
beforeEach(async () => {
  rig = await memoryRig('llm: { openai: { model: some-model } }\n');
  const conversation = conversationIn(rig);
  const row = rowIn(rig, conversation, { workedMs: 60_000 });
  const bare = attemptOf(
    rig,
    conversation,
    row,
    scripted(() => ({})),
  );
  const forge = { maxCommentLength: 65_536 } as Forge;
  const { agent, uuid, texts } = bare;
  const progress = new ProgressComment({ agent, forge, conversation, uuid, texts, inherited: null });
  attempt = { ...bare, progress, takenUpAt: NOW };
});
afterEach(() => rig.close());

test('what an attempt worked in its ticks is added up once, and told once', () => {
  rig.clock.set(NOW + 3 * 60_000);
  const done = { kind: 'completed', comment: 'Mended.', verification: { kind: 'unchecked' } } as const;
  const { attempt: row, posts } = transitionOf(attempt, done);
  expect(row).toMatchObject({ status: 'completed', workedMs: 240_000, lastMessage: 'Mended.' });
  expect(posts?.find(({ kind }) => kind === 'result')?.body).toContain('time: 4 min');
});

test('a clock that was set back takes no time away', () => {
  rig.clock.set(NOW - 60_000);
  expect(transitionOf(attempt, { kind: 'interrupted' }).attempt).toMatchObject({ workedMs: 60_000 });
});
