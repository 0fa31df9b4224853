import type { GitHubConfig } from '../config/config.js';
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
import type { TaskKey } from '../task/key.js';
import { conditionally } from './conditional.js';
import { NAMELESS, NO_ACCOUNT, unless, UNTOLD, unreadable, whereVisible } from './failure.js';
import { fieldsOf, idOf, textOf } from './fields.js';
import * as read from './github-answers.js';
import { openGitHub, type GitHubApi } from './github-api.js';
import { issueRoute, numbered, pathOf, pullRoute, repositoryRoute, split } from './github-routes.js';
import type { ForgeOptions } from './http.js';
import { createMissing, newestEvent } from './labels.js';
import { allItems, etagOf, firstPage, itemsFrom, PAGE_SIZE, pagesFromTheEnd, type Query } from './pages.js';
import { remember } from './remember.js';
import { newestOf, oldestFirst, readComments, sinceOf, type ReadComment } from './threads.js';

/** GitHub and GitHub Enterprise, by their REST API. */
export function createGitHub(options: ForgeOptions<GitHubConfig>): Forge {
  return new GitHub(options);
}

const LONGEST_DESCRIPTION = 100;

class GitHub implements Forge {
  readonly source = 'github';
  readonly maxCommentLength = 65_536;
  private readonly api: GitHubApi;
  private readonly accounts = new Map<string, Promise<string | null>>();
  private readonly accesses = new Map<string, Promise<Access>>();
  private readonly branches = new Map<string, Promise<Item['branches']>>();
  private readonly visible = new Map<string, Promise<boolean>>();
  private readonly lastPages = new Map<string, number>();

  constructor(private readonly options: ForgeOptions<GitHubConfig>) {
    this.api = openGitHub(options);
  }

  whoAmI(): Promise<string | null> {
    return remember(this.accounts, 'me', async () => {
      const user = await unless(NO_ACCOUNT, this.api.get('/user'));
      const name = textOf(fieldsOf(user?.data).login) ?? null;
      if (name === null) this.options.log.write('warning', NAMELESS, { source: 'github' });
      return name;
    });
  }

  async findByLabel(place: Place, label: string): Promise<ItemHead[]> {
    return place.kind === 'repository' ? this.itemsIn(place.path, label) : this.itemsOf(place, label);
  }

  async getItem(key: TaskKey): Promise<Item | null> {
    return unless(['gone'], this.ofItem(key, this.look(key)));
  }

  async commentsSince(
    key: TaskKey,
    cursor: CommentCursor | null,
    { reviews }: { reviews: boolean },
  ): Promise<Comment[]> {
    const since = sinceOf(cursor);
    const query = since ? { since } : {};
    const comments = await this.comments(key, `${issueRoute(key)}/comments`, query, read.commentOf);
    if (!reviews || key.type !== 'pull_request') return oldestFirst(comments);
    const ofLines = await unless(UNTOLD, this.comments(key, `${pullRoute(key)}/comments`, query, read.reviewCommentOf));
    const said = await unless(UNTOLD, this.reviews(key, since));
    return oldestFirst([...comments, ...(ofLines ?? []), ...(said ?? [])]);
  }

  /** They cannot be asked for by time, nor do they tell when they were edited: once read, the last page is read again. */
  private reviews(key: TaskKey, since: string | null): Promise<Comment[]> {
    const route = `${pullRoute(key)}/reviews`;
    const page = since === null ? 1 : (this.lastPages.get(route) ?? 1);
    return this.comments(key, route, page > 1 ? { page: String(page) } : {}, read.reviewOf);
  }

  async changedFiles(key: TaskKey): Promise<ChangedFile[]> {
    if (key.type !== 'pull_request') return [];
    const files = await unless(UNTOLD, allItems(this.api.pages(`${pullRoute(key)}/files`), firstPage()));
    return (files ?? []).flatMap((file) => read.fileOf(file) ?? []);
  }

  findComment(key: TaskKey, wanted: (comment: Comment) => boolean): Promise<Comment | null> {
    return this.ofItem(key, this.search(key, wanted));
  }

  private async search(key: TaskKey, wanted: (comment: Comment) => boolean): Promise<Comment | null> {
    for await (const page of pagesFromTheEnd(this.api.pages(`${issueRoute(key)}/comments`), firstPage())) {
      const comments = readComments(page.items, read.commentOf, key, this.options.log);
      const found = newestOf(comments, wanted);
      if (found) return found;
    }
    return null;
  }

  async postComment(key: TaskKey, body: string): Promise<string> {
    const posting = this.api.line.once(async () => {
      const { data } = await this.api.rest.issues.createComment({ ...numbered(key), body });
      const id = idOf(fieldsOf(data).id);
      if (!id)
        throw unreadable(
          this.api.urlOf(`${issueRoute(key)}/comments`),
          this.api.line.party,
          201,
          'the comment has no id',
        );
      return id;
    });
    return this.ofItem(key, posting);
  }

  async editComment(key: TaskKey, id: string, body: string): Promise<void> {
    const { owner, repo } = key;
    const edit = { owner, repo, comment_id: Number(id), body };
    await this.ofItem(
      key,
      this.api.line.repeat(() => this.api.rest.issues.updateComment(edit)),
    );
  }

  async react({ owner, repo }: TaskKey, { id, kind }: { id: string; kind: CommentKind }, content: 'eyes' | '+1') {
    // GitHub has no route for reactions to a review's own text.
    if (kind === 'review') return;
    const { reactions } = this.api.rest;
    const comment = { owner, repo, comment_id: Number(id), content };
    await this.api.line.repeat(() =>
      kind === 'comment'
        ? reactions.createForIssueComment(comment)
        : reactions.createForPullRequestReviewComment(comment),
    );
  }

  async changeLabels(key: TaskKey, add: string[], remove: string[]): Promise<void> {
    const { issues } = this.api.rest;
    if (add.length > 0) await this.api.line.repeat(() => issues.addLabels({ ...numbered(key), labels: add }));
    for (const name of remove) {
      await unless(
        ['gone'],
        this.api.line.repeat(() => issues.removeLabel({ ...numbered(key), name })),
      );
    }
  }

  ensureLabels(path: string, labels: LabelSpec[]): Promise<string[]> {
    const { rest, line } = this.api;
    return createMissing(labels, {
      list: () => this.listLabels(path),
      create: ({ name, color, description }) => {
        const label = { ...split(path), name, color, description: description.slice(0, LONGEST_DESCRIPTION) };
        return line.repeat(() => rest.issues.createLabel(label));
      },
    });
  }

  async listLabels(path: string): Promise<string[]> {
    const labels = await allItems(this.api.pages(`${repositoryRoute(path)}/labels`), firstPage());
    return labels.flatMap((label) => textOf(fieldsOf(label).name) ?? []);
  }

  async newestLabelEvent(key: TaskKey, label: string): Promise<LabelEvent | null> {
    for await (const page of pagesFromTheEnd(this.api.pages(`${issueRoute(key)}/events`), firstPage())) {
      const event = newestEvent(page.items.flatMap((item) => read.labelEventOf(item, label) ?? []));
      if (event) return event;
    }
    return null;
  }

  access(path: string, login: string): Promise<Access> {
    return remember(this.accesses, `${path} ${login}`.toLowerCase(), async () => {
      const route = `${repositoryRoute(path)}/collaborators/${encodeURIComponent(login)}/permission`;
      const answer = await unless(['gone'], this.api.get(route));
      return answer ? read.accessOf(answer.data) : 'none';
    });
  }

  promptly<T>(ask: () => Promise<T>): Promise<T> {
    return this.api.line.promptly(ask);
  }

  async inspectToken(): Promise<TokenReport> {
    const { data, headers } = await this.api.get('/user');
    const scopes = read.scopesOf(headers['x-oauth-scopes']);
    const enough = scopes === null || scopes.includes('repo') || scopes.includes('public_repo');
    const problem = 'scope `repo` is missing: give it to the token, or `public_repo` where all repositories are public';
    return { login: textOf(fieldsOf(data).login) ?? null, scopes, problems: enough ? [] : [problem] };
  }

  /** Any change moves an item to the first page, so that one conditional request tells whether there is news. */
  private async itemsIn(path: string, label: string): Promise<ItemHead[]> {
    const route = `${repositoryRoute(path)}/issues`;
    const query = firstPage({ labels: label, state: 'open', sort: 'updated', direction: 'desc' });
    const pages = this.api.pages(route);
    const spot = { key: `items github ${path} ${label}`.toLowerCase(), url: this.api.urlOf(route, query) };
    const { value } = await conditionally(this.options.cache, spot, async (etag) => {
      const first = await pages(query, etag);
      return first.unchanged ? null : { etag: first.etag, value: this.heads(await itemsFrom(first, pages), path) };
    });
    return value;
  }

  private async itemsOf(owner: { name: string; query: string }, label: string): Promise<ItemHead[]> {
    const found: unknown[] = [];
    for (const type of ['is:issue', 'is:pr']) {
      const q = `${type} label:"${label}" state:open user:${owner.name} ${owner.query}`.trim();
      found.push(...(await allItems(this.api.pages('/search/issues'), firstPage({ q }))));
    }
    return this.heads(found);
  }

  private heads(items: unknown[], path?: string): ItemHead[] {
    const heads = items.filter(read.isOpen).flatMap((item) => {
      const head = read.headOf(item, path);
      if (!head) this.options.log.write('warning', 'malformed item skipped', { source: 'github' });
      return head ?? [];
    });
    return [...new Map(heads.map((head) => [JSON.stringify(head.key), head])).values()];
  }

  private async look(key: TaskKey): Promise<Item> {
    const url = this.api.urlOf(issueRoute(key));
    const spot = { key: `item ${issueRoute(key)}`.toLowerCase(), url };
    const { value } = await conditionally(this.options.cache, spot, (etag) =>
      this.api.line.repeat(async () => {
        const answer = await this.api.look(issueRoute(key), etag);
        if (answer.status === 304) return null;
        const item = read.itemOf(answer.data, pathOf(key));
        if (!item) throw unreadable(url, this.api.line.party, answer.status, 'the answer is no issue');
        return { etag: etagOf(answer), value: item };
      }),
    );
    return value.key.type === 'issue' ? value : this.withBranches(value);
  }

  private async withBranches(item: Item): Promise<Item> {
    const route = pullRoute(item.key);
    const branches = await remember(this.branches, route, async () =>
      read.branchesOf((await unless(UNTOLD, this.api.get(route)))?.data),
    );
    return branches ? { ...item, branches } : item;
  }

  private async comments(key: TaskKey, route: string, query: Query, of: ReadComment): Promise<Comment[]> {
    const pages = this.api.pages(route);
    const spot = { key: `comments github ${route}`.toLowerCase(), url: this.api.urlOf(route, query) };
    const reading = conditionally(this.options.cache, spot, async (etag) => {
      const first = await pages(firstPage(query), etag);
      if (first.unchanged) return null;
      const items = await itemsFrom(first, pages);
      this.lastPages.set(route, Number(query.page ?? 1) + Math.floor(items.length / PAGE_SIZE));
      // What comes after a full page leaves that page as it was: its ETag would hide the news.
      const lasting = items.length < PAGE_SIZE ? first.etag : null;
      return { etag: lasting, value: readComments(items, of, key, this.options.log) };
    });
    return (await this.ofItem(key, reading)).value;
  }

  private ofItem<T>(key: TaskKey, answer: Promise<T>): Promise<T> {
    const path = pathOf(key);
    return whereVisible(answer, () =>
      remember(this.visible, path, async () => {
        return (await unless(['gone', 'forbidden'], this.api.get(repositoryRoute(path)))) !== null;
      }),
    );
  }
}
