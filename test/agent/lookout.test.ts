import { Lookout } from '../../src/agent/lookout.js';
import { ForgeError, type Comment, type Forge, type Item } from '../../src/ports.js';
import { conversationIn, KEY, memoryRig, NOW, type Rig } from './memory-rig.js';

let rig: Rig;
afterEach(() => rig.close());

const ITEM: Item = {
  ...{ key: KEY, title: 'A title', body: '', author: 'alice', state: 'open', labels: [], assignees: [], url: '' },
  ...{ createdAt: '2026-03-01T00:00:00Z', updatedAt: '2026-03-01T00:00:00Z' },
};

const RATE = new ForgeError('rate', 'too many requests', { source: 'github', status: 429 });

/** A forge that answers as it is told, and counts how often it is asked. */
class TinyForge {
  asked = 0;
  failure: Error | null = null;
  comments: Comment[] = [];

  getItem(): Promise<Item> {
    this.asked++;
    return this.failure ? Promise.reject(this.failure) : Promise.resolve(ITEM);
  }

  commentsSince(): Promise<Comment[]> {
    return Promise.resolve(this.comments);
  }

  promptly<T>(ask: () => Promise<T>): Promise<T> {
    return ask();
  }

  whoAmI(): Promise<string> {
    return Promise.resolve('agent-bot');
  }

  access(): Promise<string> {
    return this.failure ? Promise.reject(this.failure) : Promise.resolve('none');
  }
}

async function lookoutWith(
  yaml = '',
): Promise<{ forge: TinyForge; lookout: Lookout; lookAt: (seconds: number, always?: boolean) => Promise<boolean> }> {
  rig = await memoryRig(`llm: { openai: { model: some-model } }\n${yaml}`);
  const forge = new TinyForge();
  rig.agent.forges.set('github', forge as unknown as Forge);
  const lookout = new Lookout(rig.agent, conversationIn(rig), 'the-uuid');
  const lookAt = async (seconds: number, always = false): Promise<boolean> => {
    rig.clock.set(NOW + seconds * 1000);
    const before = forge.asked;
    await lookout.look({ always });
    return forge.asked > before;
  };
  return { forge, lookout, lookAt };
}

test('it looks at most once a second, counted from when a look began, but for the last look before done', async () => {
  const { lookAt } = await lookoutWith();
  expect(await lookAt(0)).toBe(true);
  expect(await lookAt(0.4)).toBe(false);
  expect(await lookAt(0.999)).toBe(false);
  expect(await lookAt(1)).toBe(true);
  expect(await lookAt(1.1)).toBe(false);
  expect(await lookAt(1.2, true)).toBe(true);
});

test('after 429 it waits 1, 2, 4 … 60 s, even for the last look, and success begins anew', async () => {
  const { forge, lookAt } = await lookoutWith();
  forge.failure = RATE;
  let now = 0;
  expect(await lookAt(now)).toBe(true);
  for (const wait of [1, 2, 4, 8, 16, 32, 60, 60]) {
    expect(await lookAt(now + wait - 0.01, true)).toBe(false);
    expect(await lookAt((now += wait), true)).toBe(true);
  }
  forge.failure = null;
  expect(await lookAt((now += 60))).toBe(true);
  forge.failure = RATE;
  expect(await lookAt((now += 1))).toBe(true);
  expect(await lookAt(now + 0.99)).toBe(false);
  expect(await lookAt(now + 1)).toBe(true);
});

test('a clock that is set back keeps nobody from looking', async () => {
  const { forge, lookAt } = await lookoutWith();
  expect(await lookAt(7200)).toBe(true);
  expect(await lookAt(3600)).toBe(true);
  forge.failure = RATE;
  expect(await lookAt(3700)).toBe(true);
  expect(await lookAt(100)).toBe(true);
});

test.each(['refused', 'forbidden', 'unreachable'] as const)(
  '"%s" is a warning, counted, and the next time it looks again',
  async (kind) => {
    const { forge, lookout, lookAt } = await lookoutWith();
    forge.failure = new ForgeError(kind, 'no luck', { source: 'github', status: 500 });
    expect(await lookAt(0)).toBe(true);
    expect(await lookAt(1)).toBe(true);
    expect(lookout.statistics).toMatchObject({ checks: 2, errors: 2 });
    expect(rig.log.filter(({ level }) => level === 'warning').map(({ message }) => message)).toEqual([
      'コメント取得中にエラー発生: no luck (Task: the-uuid)',
      'コメント取得中にエラー発生: no luck (Task: the-uuid)',
    ]);
  },
);

test('anything but a forge that fails is not swallowed', async () => {
  const { forge, lookAt } = await lookoutWith();
  forge.failure = new TypeError('a bug');
  await expect(lookAt(0)).rejects.toThrow('a bug');
});

test('check_interval: 3 looks every third time it is asked, and whenever it must', async () => {
  const { lookAt } = await lookoutWith('comment_detection: { check_interval: 3 }');
  const looked: boolean[] = [];
  for (let n = 0; n < 7; n++) looked.push(await lookAt(n * 10));
  expect(looked).toEqual([true, false, false, true, false, false, true]);
  expect(await lookAt(71, true)).toBe(true);
});

test('enabled: false sees the item, and no comments', async () => {
  const { forge, lookout } = await lookoutWith('comment_detection: { enabled: false }');
  forge.comments = [commentBy('alice', '1')];
  expect(await lookout.look({ always: true })).toMatchObject({ item: { title: 'A title' }, mail: { fresh: [] } });
});

test('somebody whose access cannot be asked now is left for the next look, counted and told, and holds nobody up', async () => {
  const { forge, lookout } = await lookoutWith();
  forge.comments = [commentBy('alice', '1'), commentBy('bob', '2'), commentBy('alice', '3')];
  forge.access = () => Promise.reject(new ForgeError('unreachable', 'no luck', { source: 'github' }));
  const { mail } = (await lookout.look({ always: true }))!;
  expect(mail.fresh.map(({ id }) => id)).toEqual(['1', '3']);
  expect(mail.undecided.map(({ id }) => id)).toEqual(['2']);
  expect(lookout.statistics.errors).toBe(1);
  expect(rig.log.map(({ message }) => message)).toEqual(['コメント取得中にエラー発生: no luck (Task: owner/repo#12)']);
  forge.access = () => Promise.resolve('write');
  expect((await lookout.look({ always: true }))!.mail.fresh.map(({ id }) => id)).toEqual(['1', '2', '3']);
});

test('a token that may not ask for anybody’s access: nobody else counts, with one warning', async () => {
  const { forge, lookout } = await lookoutWith();
  forge.comments = [commentBy('bob', '1'), commentBy('carol', '2'), commentBy('alice', '3')];
  forge.access = () => Promise.reject(new ForgeError('forbidden', 'no luck', { source: 'github', status: 403 }));
  const { mail } = (await lookout.look({ always: true }))!;
  expect(mail.fresh.map(({ id }) => id)).toEqual(['3']);
  expect(mail.others.map(({ id, fate }) => ({ id, fate }))).toEqual([
    { id: '1', fate: 'ignored' },
    { id: '2', fate: 'ignored' },
  ]);
  expect(rig.log.map(({ message }) => message)).toEqual([expect.stringContaining('the token may not ask')]);
});

test('a comment that an older release recorded without its body is known by its time', async () => {
  const { forge, lookout } = await lookoutWith();
  const [seen, edited] = [commentBy('alice', '1'), commentBy('alice', '2')];
  const old = { kind: 'comment', fate: 'read' } as const;
  const id = rig.agent.store.conversations.find(KEY)!.id;
  rig.agent.store.comments.record(id, [
    { ...old, id: '1', updatedAt: seen.updatedAt },
    { ...old, id: '2', updatedAt: '2026-03-01T10:00:00Z' },
  ]);
  forge.comments = [seen, edited];
  expect((await lookout.look({ always: true }))!.mail.fresh.map((comment) => comment.id)).toEqual(['2']);
});

function commentBy(author: string, id: string): Comment {
  const at = `2026-03-01T11:00:0${id}Z`;
  return { id, kind: 'comment', author, bot: false, body: `words ${id}`, createdAt: at, updatedAt: at };
}

test('a label that could not be written is tried again once a minute', async () => {
  const { lookout } = await lookoutWith();
  const times = [1, 59, 60, 61, 119, 120, 121].filter((seconds) => {
    rig.clock.set(NOW + seconds * 1000);
    return lookout.isTimeForLabels();
  });
  expect(times).toEqual([60, 120]);
});
