import type { Comment, CommentCursor, Forge } from '../../src/ports.js';
import { startPlayground, type Playground } from '../../src/playground/start.js';
import type { TaskKey } from '../../src/task/key.js';
import { freshParts, openForge, TOKEN, type Parts } from '../forges/rig.js';

const LABEL = 'coding agent';
const PATHS = { github: 'octo/hello', gitlab: 'octo/team/hello' };
const ALL = { reviews: false };

describe.each(['github', 'gitlab'] as const)('a forge: %s', (source) => {
  const path = PATHS[source];
  const [owner, repo] = [path.slice(0, path.lastIndexOf('/')), 'hello'];
  const change = source === 'github' ? 'pull_request' : 'merge_request';
  const place = { kind: 'repository' as const, path };
  let playground: Playground;
  let world: Playground['world']['github'];
  let parts: Parts;
  let forge: Forge;

  beforeEach(async () => {
    parts = freshParts();
    playground = await startPlayground({ now: parts.clock.now });
    world = playground.world[source];
    world.addRepository(path);
    world.addToken(TOKEN, 'agent-bot');
    world.setAccess(path, 'agent-bot', 'write');
    forge = again();
  });
  afterEach(() => playground.close());

  const again = (): Forge => openForge(source, playground[source].apiUrl, parts);
  const statuses = () => playground.journal.map(({ status }) => status);
  const key = (id: number, type: TaskKey['type'] = 'issue'): TaskKey => ({ source, owner, repo, type, id: String(id) });
  const issue = (title = 'Fix it', labels = [LABEL]) =>
    world.addIssue(path, { title, body: 'Please', author: 'ann', labels });
  const pull = () =>
    world.addPullRequest(path, { title: 'Change', author: 'ann', labels: [LABEL], head: 'fix', base: 'main' });
  const say = (id: number, body: string, author = 'ann') => String(world.comment(path, id, { author, body }));
  const ref = (id: number) => (source === 'gitlab' ? (`!${id}` as const) : id);
  const cursorAt = (comments: Comment[]): CommentCursor => {
    const seen = new Set(comments.map(({ id, updatedAt }) => `${id}@${updatedAt}`));
    const updatedAt =
      comments
        .map((one) => one.updatedAt)
        .sort()
        .at(-1) ?? '';
    return { updatedAt, known: (one) => seen.has(`${one.id}@${one.updatedAt}`) };
  };
  const bodies = (comments: Comment[]) => comments.map(({ body }) => body);

  describe('finding work', () => {
    test('finds open issues and changes that carry the label, and tells them apart', async () => {
      const [first, second] = [issue(), pull()];
      issue('without label', []);
      world.close(path, issue('closed'), 'ann');
      const heads = await forge.findByLabel(place, LABEL);
      expect(heads.map((head) => head.key)).toEqual(expect.arrayContaining([key(first), key(second, change)]));
      expect(heads).toHaveLength(2);
      expect(heads[0]?.labels).toEqual([LABEL]);
    });

    test('finds a label that people spell with other capitals', async () => {
      const id = issue('Fix it', ['Coding Agent']);
      expect((await forge.findByLabel(place, LABEL)).map((head) => head.key.id)).toEqual([String(id)]);
      expect((await again().findByLabel(place, LABEL)).map((head) => head.key.id)).toEqual([String(id)]);
    });

    test('reads every page', async () => {
      for (let n = 0; n < 101; n++) issue(`Issue ${n}`);
      expect(await forge.findByLabel(place, LABEL)).toHaveLength(101);
    });

    test('asks again at the price of a 304, in a later tick too, and sees what is new', async () => {
      issue();
      const before = await forge.findByLabel(place, LABEL);
      playground.journal.clear();
      expect(await again().findByLabel(place, LABEL)).toEqual(before);
      expect(new Set(statuses())).toEqual(new Set([304]));
      parts.clock.push(1000);
      issue('another');
      expect(await forge.findByLabel(place, LABEL)).toHaveLength(2);
    });

    test('an idle place costs nothing but 304s', async () => {
      await forge.findByLabel(place, LABEL);
      playground.journal.clear();
      expect(await again().findByLabel(place, LABEL)).toEqual([]);
      expect(new Set(statuses())).toEqual(new Set([304]));
    });

    test('finds work in everything an owner has', async () => {
      const [first, second] = [issue(), pull()];
      const heads = await forge.findByLabel({ kind: 'owner', name: 'octo', query: '' }, LABEL);
      expect(heads.map((head) => head.key)).toEqual(expect.arrayContaining([key(first), key(second, change)]));
    });
  });

  describe('an item', () => {
    test('is told with text, author, state, assignees and address', async () => {
      const id = issue();
      world.assign(path, id, 'agent-bot', 'ann');
      const item = await forge.getItem(key(id));
      expect(item).toMatchObject({ key: key(id), title: 'Fix it', body: 'Please', author: 'ann', state: 'open' });
      expect(item?.assignees).toEqual(['agent-bot']);
      expect(item?.url).toContain(path);
    });

    test('has branches where it is a change, and is merged in the end', async () => {
      const id = pull();
      expect((await forge.getItem(key(id, change)))?.branches).toEqual({ source: 'fix', target: 'main' });
      world.merge(path, ref(id), 'ann');
      expect((await forge.getItem(key(id, change)))?.state).toBe('merged');
    });

    test('costs a 304 while nothing changes', async () => {
      const id = issue();
      const before = await forge.getItem(key(id));
      playground.journal.clear();
      expect(await again().getItem(key(id))).toEqual(before);
      expect(statuses()).toEqual([304]);
    });

    test('that was deleted is null', async () => {
      const id = issue();
      await forge.getItem(key(id));
      world.deleteItem(path, id);
      expect(await forge.getItem(key(id))).toBeNull();
      expect(await forge.getItem(key(99))).toBeNull();
    });

    test('names the files that a change touches, and none for an issue', async () => {
      const file = {
        path: 'a.ts',
        status: 'modified' as const,
        additions: 1,
        deletions: 1,
        patch: '@@ -1 +1 @@\n-a\n+b',
      };
      const input = { title: 'C', author: 'ann', head: 'fix', base: 'main', files: [file] };
      const id = world.addPullRequest(path, input);
      const expected = { path: 'a.ts', status: 'modified', additions: 1, deletions: 1 };
      expect(await forge.changedFiles(key(id, change))).toEqual([expected]);
      expect(await forge.changedFiles(key(issue()))).toEqual([]);
    });
  });

  describe('comments', () => {
    test('are all reported, oldest first, of every page, without system notes and empty ones', async () => {
      const id = issue();
      for (let n = 0; n < 120; n++) {
        say(id, `comment ${n}`);
        parts.clock.push(1000);
      }
      say(id, '  ');
      world.assign(path, id, 'agent-bot', 'ann');
      const comments = await forge.commentsSince(key(id), null, ALL);
      expect(bodies(comments)).toEqual(Array.from({ length: 120 }, (_, n) => `comment ${n}`));
      expect(comments[0]).toMatchObject({ kind: 'comment', author: 'ann', bot: false });
    });

    test('since a cursor are the new and the edited ones, not the old', async () => {
      const id = issue();
      const [old] = [say(id, 'old'), say(id, 'older')];
      parts.clock.push(3_600_000);
      say(id, 'recent');
      const seen = await forge.commentsSince(key(id), null, ALL);
      parts.clock.push(3_600_000);
      say(id, 'new');
      world.editComment(Number(old), 'edited');
      const since = await forge.commentsSince(key(id), cursorAt(seen), ALL);
      expect(bodies(since)).toEqual(expect.arrayContaining(['edited', 'new']));
      expect(bodies(since)).not.toContain('older');
    });

    test('of a long thread are read from one page once the rest is known', async () => {
      const id = issue();
      for (let n = 0; n < 250; n++) {
        say(id, `comment ${n}`);
        parts.clock.push(60_000);
      }
      const seen = await forge.commentsSince(key(id), null, ALL);
      say(id, 'new');
      playground.journal.clear();
      expect(bodies(await forge.commentsSince(key(id), cursorAt(seen), ALL))).toContain('new');
      expect(playground.journal).toHaveLength(1);
    });

    test('cost a 304 while nothing is new, and a new one is not hidden by it', async () => {
      const id = issue();
      say(id, 'first');
      const cursor = cursorAt(await forge.commentsSince(key(id), null, ALL));
      const before = await forge.commentsSince(key(id), cursor, ALL);
      playground.journal.clear();
      expect(await again().commentsSince(key(id), cursor, ALL)).toEqual(before);
      expect(statuses()).toEqual([304]);
      parts.clock.push(1000);
      say(id, 'second');
      expect(bodies(await forge.commentsSince(key(id), cursor, ALL))).toContain('second');
    });

    test('that fill a page exactly do not hide the next one', async () => {
      const id = issue();
      for (let n = 0; n < 100; n++) say(id, `comment ${n}`);
      await forge.commentsSince(key(id), null, ALL);
      parts.clock.push(1000);
      say(id, 'the next');
      expect(bodies(await forge.commentsSince(key(id), null, ALL))).toContain('the next');
    });

    test('in the code are read only where asked for, with file and line', async () => {
      const id = pull();
      world.addReviewComment(path, ref(id), { author: 'ann', body: 'here', file: 'a.ts', line: 7 });
      expect(await forge.commentsSince(key(id, change), null, ALL)).toEqual([]);
      const [comment] = await forge.commentsSince(key(id, change), null, { reviews: true });
      expect(comment).toMatchObject({ kind: 'review_comment', body: 'here', path: 'a.ts', line: 7 });
    });

    test('are found by a text they contain, the newest first, however long the thread', async () => {
      const id = issue();
      const [, newer] = [say(id, 'marker one'), say(id, 'marker two')];
      for (let n = 0; n < 110; n++) say(id, `comment ${n}`);
      expect((await forge.findComment(key(id), ({ body }) => body.includes('marker')))?.id).toBe(newer);
      expect(await forge.findComment(key(id), () => false)).toBeNull();
    });
  });

  describe('posting', () => {
    test('gives the id, which can be edited', async () => {
      const id = issue();
      const comment = await forge.postComment(key(id), 'hello');
      await forge.editComment(key(id), comment, 'hello again');
      expect(world.comments(path, id)).toMatchObject([
        { id: Number(comment), author: 'agent-bot', body: 'hello again' },
      ]);
    });

    test.each(['commit_then_502', 'commit_then_drop', 'drop_before', 'garbage'] as const)(
      'is open after %s, and sent once',
      async (kind) => {
        const id = issue();
        playground.faults.add({ kind, method: 'POST', times: 9 });
        await expect(forge.postComment(key(id), 'hello')).rejects.toMatchObject({ name: 'ForgeError', kind: 'open' });
        expect(playground.journal.filter(({ method }) => method === 'POST')).toHaveLength(1);
        expect(parts.clock.slept).toEqual([]);
      },
    );

    test('is refused, not open, while a limit lasts', async () => {
      const id = issue();
      playground.faults.add({ kind: 'rate_429', retryAfter: 5, method: 'POST' });
      const retryAt = parts.clock.now() + 5000;
      await expect(forge.postComment(key(id), 'hello')).rejects.toMatchObject({ kind: 'rate', details: { retryAt } });
      expect(world.comments(path, id)).toEqual([]);
    });

    test('an edit is tried again, and one of a deleted comment is gone', async () => {
      const id = issue();
      const comment = await forge.postComment(key(id), 'hello');
      playground.faults.add({ kind: 'commit_then_502', times: 2 });
      await forge.editComment(key(id), comment, 'edited');
      expect(bodies(world.comments(path, id) as never)).toEqual(['edited']);
      world.deleteComment(Number(comment));
      await expect(forge.editComment(key(id), comment, 'x')).rejects.toMatchObject({ kind: 'gone' });
    });

    test('a reaction that is already there is success', async () => {
      const id = issue();
      const comment = { id: say(id, 'hi'), kind: 'comment' as const };
      await forge.react(key(id), comment, 'eyes');
      await forge.react(key(id), comment, 'eyes');
      expect(world.comments(path, id)[0]?.reactions).toEqual([{ content: 'eyes', author: 'agent-bot' }]);
    });
  });

  describe('labels', () => {
    test('are added before they are removed: the item is never without', async () => {
      const id = issue();
      await forge.changeLabels(key(id), ['coding agent processing'], [LABEL]);
      expect(world.labels(path, id)).toEqual(['coding agent processing']);
      expect(
        world
          .labelHistory(path, id)
          .slice(1)
          .every(({ labels }) => labels.length > 0),
      ).toBe(true);
    });

    test('that are already so are success, and nothing is sent for nothing', async () => {
      const id = issue();
      await forge.changeLabels(key(id), [LABEL], ['awaiting-response']);
      expect(world.labels(path, id)).toEqual([LABEL]);
      playground.journal.clear();
      await forge.changeLabels(key(id), [], []);
      expect(playground.journal).toHaveLength(0);
    });

    test('are compared without case when removed', async () => {
      const id = issue('Fix it', ['Coding Agent']);
      await forge.changeLabels(key(id), ['done'], [LABEL]);
      expect(world.labels(path, id)).toEqual(['done']);
    });

    test('are created where they are missing, whatever their capitals', async () => {
      world.addLabel(path, 'Coding Agent');
      const spec = (name: string) => ({ name, color: 'aabbcc', description: 'what it means' });
      expect(await forge.ensureLabels(path, [spec(LABEL), spec('done')])).toEqual(['done']);
      expect((await forge.listLabels(path)).sort()).toEqual(['Coding Agent', 'done']);
      expect(await forge.ensureLabels(path, [spec('done')])).toEqual([]);
    });

    test('created by a request whose answer was lost are no error', async () => {
      playground.faults.add({ kind: 'commit_then_drop', method: 'POST' });
      await forge.ensureLabels(path, [{ name: 'done', color: 'aabbcc', description: '' }]);
      expect(await forge.listLabels(path)).toEqual(['done']);
    });

    test('tell who put them on last, from the last page of events', async () => {
      const id = issue('Fix it', []);
      expect(await forge.newestLabelEvent(key(id), LABEL)).toBeNull();
      for (let n = 0; n < 60; n++) {
        world.label(path, id, 'noise', 'ann');
        world.unlabel(path, id, 'noise', 'ann');
      }
      world.label(path, id, LABEL, 'ben');
      world.unlabel(path, id, LABEL, 'ann');
      expect(await forge.newestLabelEvent(key(id), 'Coding Agent')).toMatchObject({ actor: 'ben' });
    });

    test('tell who put them on even where the last pages tell of others', async () => {
      const id = issue('Fix it', [LABEL]);
      for (let n = 0; n < 130; n++) {
        world.label(path, id, 'noise', 'ben');
        world.unlabel(path, id, 'noise', 'ben');
      }
      expect(await forge.newestLabelEvent(key(id), LABEL)).toMatchObject({ actor: 'ann' });
    });
  });

  describe('people', () => {
    test.each([
      ['admin', 'write'],
      ['write', 'write'],
      ['triage', 'triage'],
      ['read', 'read'],
    ] as const)('who were given %s may %s', async (level, access) => {
      world.setAccess(path, 'ben', level);
      expect(await forge.access(path, 'ben')).toBe(access);
      playground.journal.clear();
      expect(await forge.access(path, 'Ben')).toBe(access);
      expect(playground.journal).toHaveLength(0);
    });

    test('whom nobody knows may nothing', async () => {
      expect(await forge.access(path, 'nobody')).toBe('none');
    });

    test('cannot be judged while the forge fails', async () => {
      playground.faults.add({ kind: 'fail_before', status: 403 });
      await expect(forge.access(path, 'ann')).rejects.toMatchObject({ kind: 'forbidden' });
      expect(['read', 'none']).toContain(await forge.access(path, 'ann'));
    });

    test('the token knows its own account, asked once', async () => {
      expect([await forge.whoAmI(), await forge.whoAmI()]).toEqual(['agent-bot', 'agent-bot']);
      expect(playground.journal).toHaveLength(1);
    });

    test('the token is inspected for its scopes', async () => {
      expect(await forge.inspectToken()).toMatchObject({ login: 'agent-bot', problems: [] });
      world.addToken(TOKEN, 'agent-bot', { scopes: ['read_user'] });
      const report = await forge.inspectToken();
      expect(report).toMatchObject({ scopes: ['read_user'] });
      expect(report.problems).toHaveLength(1);
    });

    test('a token nobody was given is refused, and the message does not show it', async () => {
      world.removeToken(TOKEN);
      const error = await forge.findByLabel(place, LABEL).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'ForgeError', kind: 'refused', details: { source, status: 401 } });
      expect(String(error)).toMatch(/401/);
      expect(String(error)).not.toContain(TOKEN);
    });
  });

  describe('failures', () => {
    test.each(['fail_before', 'drop_before', 'garbage'] as const)('a read survives %s', async (kind) => {
      const id = issue();
      playground.faults.add({ kind, times: 2 });
      expect(await forge.getItem(key(id))).toMatchObject({ title: 'Fix it' });
      expect(parts.clock.slept).toHaveLength(2);
    });

    test('a read gives up after three more tries', async () => {
      const id = issue();
      playground.faults.add({ kind: 'garbage', times: 9 });
      await expect(forge.getItem(key(id))).rejects.toMatchObject({ kind: 'unreachable' });
      expect(playground.journal).toHaveLength(4);
    });

    test('a short limit is waited for', async () => {
      const id = issue();
      playground.faults.add({ kind: 'rate_429', retryAfter: 7 });
      expect(await forge.getItem(key(id))).not.toBeNull();
      expect(parts.clock.slept).toEqual([7000]);
    });

    test('a limit without a time is at least a minute', async () => {
      const id = issue();
      playground.faults.add({ kind: 'rate_429' });
      expect(await forge.getItem(key(id))).not.toBeNull();
      expect(parts.clock.slept).toEqual([60_000]);
    });

    test('a long limit is not waited for, and nothing is sent before it ends', async () => {
      const id = issue();
      playground.faults.add({ kind: 'primary_limit', resetInSeconds: 600 });
      const limited = { kind: 'rate', details: { retryAt: parts.clock.now() + 600_000 } };
      await expect(forge.getItem(key(id))).rejects.toMatchObject(limited);
      await expect(forge.postComment(key(id), 'hi')).rejects.toMatchObject(limited);
      await expect(forge.findByLabel(place, LABEL)).rejects.toMatchObject(limited);
      expect(playground.journal).toHaveLength(1);
      expect(parts.clock.slept).toEqual([]);
      parts.clock.push(600_000);
      expect(await forge.getItem(key(id))).not.toBeNull();
    });

    test('an abort throws its own reason', async () => {
      const stop = new AbortController();
      parts.signal = stop.signal;
      const reason = new Error('SIGTERM');
      playground.onRequest = () => {
        stop.abort(reason);
        return 'hang';
      };
      await expect(again().getItem(key(1))).rejects.toBe(reason);
      await expect(again().postComment(key(1), 'x')).rejects.toBe(reason);
    });
  });
});
