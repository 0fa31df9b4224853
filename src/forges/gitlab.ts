import type { GitLabConfig } from '../config/config.js';
import type {
  Access,
  ChangedFile,
  Comment,
  CommentCursor,
  CommentKind,
  Forge,
  Item,
  ItemHead,
  LabelEvent,
  LabelSpec,
  Place,
  TokenReport,
} from '../ports.js';
import { taskName, type TaskKey } from '../task/key.js';
import { conditionally } from './conditional.js';
import { NAMELESS, NO_ACCOUNT, unless, UNTOLD, unreadable, whereVisible } from './failure.js';
import { fieldsOf, idOf, listOf, sameName, textOf } from './fields.js';
import * as read from './gitlab-answers.js';
import { openGitLab, type GitLabApi } from './gitlab-api.js';
import { GitLabPeople } from './gitlab-people.js';
import { groupRoute, itemRoute, kindOf, pathOf, projectRoute } from './gitlab-routes.js';
import type { ForgeOptions } from './http.js';
import { createMissing, newestEvent } from './labels.js';
import { allItems, etagOf, firstPage, itemsFrom, pagesFromTheEnd } from './pages.js';
import type { Page, Query } from './pages.js';
import { remember } from './remember.js';
import { isSince, newestOf, oldestFirst, readComments, sinceOf } from './threads.js';

/** While nothing is found, the way a label is spelled is looked up again this often. */
const SPELLING_MS = 60 * 60_000;

/** GitLab, the public one or a self-hosted one, by its REST API (v4). */
export function createGitLab(options: ForgeOptions<GitLabConfig>): Forge {
  return new GitLab(options);
}

class GitLab implements Forge {
  readonly source = 'gitlab';
  readonly maxCommentLength = 1_000_000;
  private readonly api: GitLabApi;
  private readonly accounts = new Map<string, Promise<string | null>>();
  private readonly people: GitLabPeople;
  private readonly labels = new Map<string, Promise<string[]>>();
  private readonly visible = new Map<string, Promise<boolean>>();

  constructor(private readonly options: ForgeOptions<GitLabConfig>) {
    this.api = openGitLab(options);
    this.people = new GitLabPeople(this.api);
  }

  whoAmI(): Promise<string | null> {
    return remember(this.accounts, 'me', async () => {
      const user = await unless(NO_ACCOUNT, this.api.get('user'));
      const name = textOf(fieldsOf(user?.data).username) ?? null;
      if (name === null) this.options.log.write('warning', NAMELESS, { source: 'gitlab' });
      return name;
    });
  }

  async findByLabel(place: Place, label: string): Promise<ItemHead[]> {
    if (place.kind === 'owner') return (await this.itemsUnder(groupRoute(place.name), '', label)).heads;
    const spelling = { key: `spelling ${place.path} ${label}`.toLowerCase(), url: label };
    const { body: known, etag: lookedUpAt } = this.options.cache.get(spelling.key) ?? { body: label, etag: '' };
    const { heads, unchanged } = await this.itemsUnder(projectRoute(place.path), place.path, known);
    const now = this.options.clock.now();
    if (heads.length > 0 || (unchanged && now - Number(lookedUpAt) < SPELLING_MS)) return heads;
    // GitLab takes "Bug" and "bug" for two labels: nothing found may mean that people spell it otherwise.
    const spelled = await this.spelled(place.path, label);
    this.options.cache.set(spelling.key, { url: spelling.url, etag: String(now), body: spelled });
    if (spelled === known) return heads;
    return (await this.itemsUnder(projectRoute(place.path), place.path, spelled)).heads;
  }

  async getItem(key: TaskKey): Promise<Item | null> {
    return unless(['gone'], this.ofItem(key, this.look(key)));
  }

  async commentsSince(
    key: TaskKey,
    cursor: CommentCursor | null,
    { reviews }: { reviews: boolean },
  ): Promise<Comment[]> {
    const notes = await this.notesSince(key, cursor);
    return oldestFirst(notes.filter(({ kind }) => reviews || kind === 'comment'));
  }

  async changedFiles(key: TaskKey): Promise<ChangedFile[]> {
    if (key.type !== 'merge_request') return [];
    const diffs = await unless(UNTOLD, allItems(this.api.pages(`${itemRoute(key)}/diffs`), firstPage()));
    // Before 15.7 GitLab told them elsewhere.
    const older = diffs ? null : await unless(UNTOLD, this.api.get(`${itemRoute(key)}/changes`));
    return (diffs ?? listOf(fieldsOf(older?.data).changes)).flatMap((file) => read.fileOf(file) ?? []);
  }

  findComment(key: TaskKey, wanted: (comment: Comment) => boolean): Promise<Comment | null> {
    return this.ofItem(key, this.search(key, wanted));
  }

  private async search(key: TaskKey, wanted: (comment: Comment) => boolean): Promise<Comment | null> {
    const pages = this.api.pages(`${itemRoute(key)}/notes`);
    let query: Query | undefined = firstPage({ order_by: 'created_at', sort: 'desc' });
    while (query) {
      const page: Page = await pages(query);
      const comments = readComments(page.items, read.commentOf, key, this.options.log);
      const found = newestOf(comments, wanted);
      if (found) return found;
      query = page.next;
    }
    return null;
  }

  async postComment(key: TaskKey, body: string): Promise<string> {
    const posting = this.api.line.once(async () => {
      const note = await this.resources(key).notes.create(pathOf(key), Number(key.id), body);
      const id = idOf(fieldsOf(note).id);
      if (!id) throw unreadable(this.api.urlOf(`${itemRoute(key)}/notes`), this.api.line.party, 201, 'it has no id');
      return id;
    });
    return this.ofItem(key, posting);
  }

  async editComment(key: TaskKey, id: string, body: string): Promise<void> {
    const { notes } = this.resources(key);
    await this.ofItem(
      key,
      this.api.line.repeat(async () => void (await notes.edit(pathOf(key), Number(key.id), Number(id), { body }))),
    );
  }

  async react(key: TaskKey, { id }: { id: string; kind: CommentKind }, reaction: 'eyes' | '+1'): Promise<void> {
    const { awards } = this.resources(key);
    const name = reaction === '+1' ? 'thumbsup' : reaction;
    const award = this.api.line.repeat(() => awards.award(pathOf(key), Number(key.id), Number(id), name));
    // GitLab answers 404 to "has already been taken" too; and on a note that is gone there is nothing to put it on.
    await unless(['gone'], award);
  }

  async changeLabels(key: TaskKey, add: string[], remove: string[]): Promise<void> {
    if (add.length + remove.length === 0) return;
    const spelled = (names: string[]) => Promise.all(names.map((name) => this.spelled(pathOf(key), name)));
    const change = {
      ...(add.length > 0 && { addLabels: (await spelled(add)).join(',') }),
      ...(remove.length > 0 && { removeLabels: (await spelled(remove)).join(',') }),
    };
    const { items } = this.resources(key);
    await this.api.line.repeat(async () => void (await items.edit(pathOf(key), Number(key.id), change)));
  }

  async ensureLabels(path: string, labels: LabelSpec[]): Promise<string[]> {
    const created = await createMissing(labels, {
      list: () => this.listLabels(path),
      create: ({ name, color, description }) =>
        this.api.line.repeat(() => this.api.labels.create(path, name, `#${color}`, { description })),
    });
    if (created.length > 0) this.labels.delete(path);
    return created;
  }

  async listLabels(path: string): Promise<string[]> {
    const labels = await allItems(this.api.pages(`${projectRoute(path)}/labels`), firstPage());
    return labels.flatMap((label) => textOf(fieldsOf(label).name) ?? []);
  }

  async newestLabelEvent(key: TaskKey, label: string): Promise<LabelEvent | null> {
    const pages = this.api.pages(`${itemRoute(key)}/resource_label_events`);
    for await (const page of pagesFromTheEnd(pages, firstPage())) {
      this.people.meet(page.items);
      const event = newestEvent(page.items.flatMap((item) => read.labelEventOf(item, label) ?? []));
      if (event) return event;
    }
    return null;
  }

  access(path: string, login: string): Promise<Access> {
    return this.people.access(path, login);
  }

  promptly<T>(ask: () => Promise<T>): Promise<T> {
    return this.api.line.promptly(ask);
  }

  async inspectToken(): Promise<TokenReport> {
    const login = await this.whoAmI();
    // Only personal, project and group tokens can be asked about; others are no fault.
    const self = await unless(['gone', 'forbidden', 'rejected'], this.api.get('personal_access_tokens/self'));
    if (!self) return { login, scopes: null, problems: [] };
    const scopes = listOf(fieldsOf(self.data).scopes).flatMap((scope) => textOf(scope) ?? []);
    const problem = 'scope `api` is missing: create a token that has it';
    return { login, scopes, problems: scopes.includes('api') ? [] : [problem] };
  }

  private async itemsUnder(base: string, path: string, label: string) {
    const kinds = ['issues', 'merge_requests'];
    const lists = await readable(kinds.map((kind) => this.listItems(`${base}/${kind}`, `${path}/${kind}`, label)));
    return { heads: lists.flatMap(({ value }) => value), unchanged: lists.every(({ unchanged }) => unchanged) };
  }

  /** Any change moves an item to the first page, so that one conditional request tells whether there is news. */
  private listItems(route: string, name: string, label: string): Promise<{ value: ItemHead[]; unchanged: boolean }> {
    const query = firstPage({
      labels: label,
      state: 'opened',
      scope: 'all',
      order_by: 'updated_at',
      sort: 'desc',
    });
    const pages = this.api.pages(route);
    const spot = { key: `items gitlab ${route} ${label}`.toLowerCase(), url: this.api.urlOf(route, query) };
    return conditionally(this.options.cache, spot, async (etag) => {
      const first = await pages(query, etag);
      return first.unchanged ? null : { etag: first.etag, value: this.heads(await itemsFrom(first, pages), name) };
    });
  }

  private heads(items: unknown[], list: string): ItemHead[] {
    const heads = items.filter(read.isOpen).flatMap((item) => {
      const head = read.headOf(item, list);
      if (!head) this.options.log.write('warning', 'malformed item skipped', { source: 'gitlab' });
      return head ?? [];
    });
    return [...new Map(heads.map((head) => [taskName(head.key), head])).values()];
  }

  private async look(key: TaskKey): Promise<Item> {
    const url = this.api.urlOf(itemRoute(key));
    const spot = { key: `item gitlab ${itemRoute(key)}`.toLowerCase(), url };
    const { value } = await conditionally(this.options.cache, spot, (etag) =>
      this.api.line.repeat(async () => {
        const answer = await this.api.look(itemRoute(key), etag);
        if (answer.status === 304) return null;
        const item = read.itemOf(answer.data, `${pathOf(key)}/${kindOf(key)}`);
        if (!item) throw unreadable(url, this.api.line.party, answer.status, 'the answer is no item');
        return { etag: etagOf(answer), value: item };
      }),
    );
    return value;
  }

  /** The list has the newest changes first: it is left where what is known begins. */
  private async notesSince(key: TaskKey, cursor: CommentCursor | null): Promise<Comment[]> {
    const route = `${itemRoute(key)}/notes`;
    const pages = this.api.pages(route);
    const query = firstPage({ order_by: 'updated_at', sort: 'desc' });
    const since = sinceOf(cursor);
    const isNew = (note: Comment): boolean => isSince(note, since) || !cursor?.known(note);
    const spot = { key: `comments gitlab ${route}`.toLowerCase(), url: `${this.api.urlOf(route, query)}#${since}` };
    const reading = conditionally(this.options.cache, spot, async (etag) => {
      let page = await pages(query, etag);
      if (page.unchanged) return null;
      const fresh = { etag: page.etag, value: [] as Comment[] };
      for (;;) {
        this.people.meet(page.items);
        const notes = readComments(page.items, read.commentOf, key, this.options.log);
        fresh.value.push(...notes.filter(isNew));
        const reached = notes.some((note) => cursor?.known(note) || !isSince(note, since));
        if (reached || !page.next) return fresh;
        // Read once, when the thread is new to us, and too long to be kept.
        fresh.etag = null;
        page = await pages(page.next);
      }
    });
    return (await this.ofItem(key, reading)).value;
  }

  /** The way the project spells a label that we know in some spelling. */
  private async spelled(path: string, name: string): Promise<string> {
    const names = await remember(this.labels, path, () => this.listLabels(path));
    return names.find((one) => one === name) ?? names.find((one) => sameName(one, name)) ?? name;
  }

  private ofItem<T>(key: TaskKey, answer: Promise<T>): Promise<T> {
    return whereVisible(answer, () =>
      remember(this.visible, pathOf(key), async () => {
        return (await unless(['gone', 'forbidden'], this.api.get(projectRoute(pathOf(key))))) !== null;
      }),
    );
  }

  private resources(key: TaskKey): GitLabApi['issues'] {
    return key.type === 'merge_request' ? this.api.mergeRequests : this.api.issues;
  }
}

/** A project with its merge requests switched off forbids their list: the other one counts all the same. */
async function readable<T>(lists: Promise<T>[]): Promise<T[]> {
  const answers = await Promise.all(lists.map((list) => unless(['forbidden', 'gone'], list)));
  const found = answers.filter((answer) => answer !== null);
  return found.length > 0 ? found : Promise.all(lists);
}
