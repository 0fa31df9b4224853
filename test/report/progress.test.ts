import type { Forge } from '../../src/ports.js';
import { ProgressComment } from '../../src/report/progress.js';
import { texts } from '../../src/report/texts.js';
import { conversationIn, memoryRig, NOW, rowIn, type Rig } from '../agent/memory-rig.js';

const { jest } = import.meta;
const MINUTE_MS = 60_000;

let rig: Rig;
let edits: string[];
let progress: ProgressComment;
beforeEach(async () => {
  rig = await memoryRig('llm: { openai: { model: some-model } }\n');
  edits = [];
  const forge = {
    maxCommentLength: 65_536,
    postComment: () => Promise.resolve('1'),
    editComment: (_key: unknown, _id: string, body: string) => Promise.resolve(void edits.push(body)),
  } as unknown as Forge;
  rig.agent.forges.set('github', forge);
  const conversation = conversationIn(rig);
  const { uuid } = rowIn(rig, conversation);
  progress = new ProgressComment({ agent: rig.agent, forge, conversation, uuid, texts: texts('en'), inherited: null });
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
  rig.close();
});

/** Time passes while nothing but time happens: the model thinks. */
async function pass(minutes: number): Promise<void> {
  rig.clock.set(rig.clock.now() + minutes * MINUTE_MS);
  await jest.advanceTimersByTimeAsync(minutes * MINUTE_MS);
}

test('a working tick edits its progress comment within any ten minutes, so that no other installation takes over', async () => {
  await progress.announce();
  for (let tens = 1; tens <= 6; tens++) {
    await pass(10);
    expect(edits.length).toBeGreaterThanOrEqual(tens);
  }
  const before = edits.length;
  progress.stop();
  await pass(60);
  expect(edits.length).toBe(before);
});

test('turns edit it every 3 s in the first minute, every 15 s up to ten minutes, then every minute', async () => {
  await progress.announce();
  const edited = async (from: number, to: number): Promise<number[]> => {
    const found: number[] = [];
    for (let second = from; second <= to; second++) {
      rig.clock.set(NOW + second * 1000);
      const before = edits.length;
      await progress.turn(second, {}, `second ${second}`);
      if (edits.length > before) found.push(second);
    }
    return found;
  };
  expect(await edited(1, 9)).toEqual([3, 6, 9]);
  expect(await edited(61, 95)).toEqual([61, 76, 91]);
  expect(await edited(600, 725)).toEqual([600, 660, 720]);
  expect(edits.at(-1)).toContain('second 720');
});
