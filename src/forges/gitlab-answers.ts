import type { Access, ChangedFile, Comment, Item, ItemHead, LabelEvent } from '../ports.js';
import type { TaskKey } from '../task/key.js';
import {
  fieldsOf,
  idOf,
  labelNames,
  listOf,
  loginOf,
  numberOf,
  sameName,
  textOf,
  timeOf,
  type Fields,
} from './fields.js';

/** An item of a list; undefined where it is not readable. `asked`: the list it is in, such as `group/app/issues`. */
export function headOf(value: unknown, asked: string): ItemHead | undefined {
  const fields = fieldsOf(value);
  const key = keyOf(fields, asked);
  const createdAt = timeOf(fields.created_at);
  if (!key || !createdAt) return undefined;
  return {
    key,
    title: textOf(fields.title) ?? '',
    labels: labelNames(fields.labels),
    createdAt,
    updatedAt: timeOf(fields.updated_at) ?? createdAt,
  };
}

export function isOpen(value: unknown): boolean {
  return fieldsOf(value).state === 'opened';
}

export function itemOf(value: unknown, asked: string): Item | undefined {
  const fields = fieldsOf(value);
  const head = headOf(value, asked);
  const author = loginOf(fields.author ?? null, 'username');
  if (!head || !author) return undefined;
  const source = textOf(fields.source_branch);
  const target = textOf(fields.target_branch);
  return {
    ...head,
    body: textOf(fields.description) ?? '',
    author,
    state: stateOf(fields.state),
    assignees: listOf(fields.assignees).flatMap((user) => loginOf(user, 'username') ?? []),
    url: textOf(fields.web_url) ?? '',
    ...(source && target ? { branches: { source, target } } : {}),
  };
}

/** A project may have been configured by its number, the key has its path. Older GitLabs give no references. */
function keyOf(fields: Fields, asked: string): TaskKey | undefined {
  const reference = textOf(fieldsOf(fields.references).full);
  const page = textOf(fields.web_url)?.replace(/^https?:\/\/[^/]+\//, '');
  return keyIn(reference) ?? keyIn(`${asked}/${idOf(fields.iid)}`) ?? keyIn(page);
}

/** `group/sub/project!7`, and `group/sub/project/-/merge_requests/7`, the way of its page. */
function keyIn(name = ''): TaskKey | undefined {
  const pattern = /^(.+?)\/([^/]+?)(?:([#!])|(?:\/-)?\/(issues|work_items|merge_requests)\/)(\d+)$/;
  const [, owner, repo, mark, list, id] = pattern.exec(name) ?? [];
  if (!owner || !repo || !id) return undefined;
  const type = mark === '!' || list === 'merge_requests' ? 'merge_request' : 'issue';
  return { source: 'gitlab', owner, repo, type, id };
}

/** A merge request is `locked` for the moment of its merging. */
function stateOf(state: unknown): Item['state'] {
  if (state === 'merged') return 'merged';
  return state === 'closed' ? 'closed' : 'open';
}

/** A note; what the system wrote is nothing to report. */
export function commentOf(value: unknown): Comment | null | undefined {
  const fields = fieldsOf(value);
  if (fields.system === true) return null;
  const id = idOf(fields.id);
  const author = loginOf(fields.author, 'username');
  const body = textOf(fields.body ?? '');
  const createdAt = timeOf(fields.created_at);
  if (!id || !author || body === undefined || !createdAt) return undefined;
  if (!body.trim()) return null;
  const bot = isBot(fields.author, author);
  const updatedAt = timeOf(fields.updated_at) ?? createdAt;
  return { id, kind: 'comment', author, bot, body, createdAt, updatedAt, ...positionOf(fields) };
}

function positionOf(fields: Fields): Partial<Comment> {
  if (fields.type !== 'DiffNote') return {};
  const position = fieldsOf(fields.position);
  const path = textOf(position.new_path) ?? textOf(position.old_path);
  const line = numberOf(position.new_line) ?? numberOf(position.old_line);
  return { kind: 'review_comment', ...(path ? { path } : {}), ...(line ? { line } : {}) };
}

/** Notes do not tell machines from people, but GitLab names the accounts of project and group tokens itself. */
function isBot(user: unknown, username: string): boolean {
  return fieldsOf(user).bot === true || /^(project|group)_\d+_bot/.test(username) || /^service_account_/.test(username);
}

export function fileOf(value: unknown): ChangedFile | undefined {
  const fields = fieldsOf(value);
  const path = textOf(fields.new_path) ?? textOf(fields.old_path);
  if (!path) return undefined;
  const lines = (textOf(fields.diff) ?? '').split('\n');
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  return { path, status: fileStatus(fields), additions: count('+'), deletions: count('-') };
}

function fileStatus(fields: Fields): string {
  if (fields.new_file) return 'added';
  if (fields.deleted_file) return 'removed';
  return fields.renamed_file ? 'renamed' : 'modified';
}

/** An event that put this label on. */
export function labelEventOf(value: unknown, label: string): LabelEvent | undefined {
  const fields = fieldsOf(value);
  const id = idOf(fields.id);
  const at = timeOf(fields.created_at);
  const name = textOf(fieldsOf(fields.label).name);
  if (fields.action !== 'add' || !id || !at || name === undefined || !sameName(name, label)) return undefined;
  return { id, actor: loginOf(fields.user ?? null, 'username') ?? 'ghost', at };
}

const REPORTER = 20;
const DEVELOPER = 30;
const GUEST = 10;

export function accessOf(value: unknown): Access {
  const level = numberOf(fieldsOf(value).access_level) ?? 0;
  if (level >= DEVELOPER) return 'write';
  if (level >= REPORTER) return 'triage';
  return level >= GUEST ? 'read' : 'none';
}
