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

/** An item of a list or search; undefined where it is not readable. `path`: the repository that was asked, if it was one. */
export function headOf(value: unknown, path?: string): ItemHead | undefined {
  const fields = fieldsOf(value);
  const key = keyOf(fields, path);
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
  return fieldsOf(value).state === 'open';
}

/** The whole item, but for the branches of a pull request: another route has them. */
export function itemOf(value: unknown, path: string): Item | undefined {
  const fields = fieldsOf(value);
  const head = headOf(value, path);
  const author = loginOf(fields.user ?? null, 'login');
  if (!head || !author) return undefined;
  return {
    ...head,
    body: textOf(fields.body) ?? '',
    author,
    state: stateOf(fields),
    assignees: listOf(fields.assignees).flatMap((user) => loginOf(user, 'login') ?? []),
    url: textOf(fields.html_url) ?? '',
  };
}

function keyOf(fields: Fields, path?: string): TaskKey | undefined {
  const id = idOf(fields.number);
  const [owner, repo] = (textOf(fields.repository_url) ?? path)?.split('/').slice(-2) ?? [];
  if (!id || !owner || !repo) return undefined;
  return { source: 'github', owner, repo, type: fields.pull_request ? 'pull_request' : 'issue', id };
}

function stateOf(fields: Fields): Item['state'] {
  if (fields.state !== 'closed') return 'open';
  return fieldsOf(fields.pull_request).merged_at ? 'merged' : 'closed';
}

export function branchesOf(value: unknown): { source: string; target: string } | undefined {
  const { head, base } = fieldsOf(value);
  const source = textOf(fieldsOf(head).ref);
  const target = textOf(fieldsOf(base).ref);
  return source && target ? { source, target } : undefined;
}

export function commentOf(value: unknown): Comment | null | undefined {
  const fields = fieldsOf(value);
  const createdAt = timeOf(fields.created_at);
  return assemble(fields, 'comment', createdAt, timeOf(fields.updated_at));
}

export function reviewCommentOf(value: unknown): Comment | null | undefined {
  const fields = fieldsOf(value);
  const comment = assemble(fields, 'review_comment', timeOf(fields.created_at), timeOf(fields.updated_at));
  const path = textOf(fields.path);
  const line = numberOf(fields.line) ?? numberOf(fields.original_line);
  return comment && { ...comment, ...(path ? { path } : {}), ...(line ? { line } : {}) };
}

/** What was written above a review; a pending one has not been said yet. */
export function reviewOf(value: unknown): Comment | null | undefined {
  const fields = fieldsOf(value);
  if (fields.state === 'PENDING') return null;
  return assemble(fields, 'review', timeOf(fields.submitted_at), undefined);
}

function assemble(fields: Fields, kind: Comment['kind'], createdAt: string | undefined, updatedAt: string | undefined) {
  const id = idOf(fields.id);
  const author = loginOf(fields.user, 'login');
  const body = textOf(fields.body ?? '');
  if (!id || !author || body === undefined || !createdAt) return undefined;
  if (!body.trim()) return null;
  return { id, kind, author, bot: isBot(fields.user, author), body, createdAt, updatedAt: updatedAt ?? createdAt };
}

function isBot(user: unknown, login: string): boolean {
  return fieldsOf(user).type === 'Bot' || login.endsWith('[bot]');
}

export function fileOf(value: unknown): ChangedFile | undefined {
  const fields = fieldsOf(value);
  const path = textOf(fields.filename);
  if (!path) return undefined;
  const additions = numberOf(fields.additions) ?? 0;
  return { path, status: textOf(fields.status) ?? 'modified', additions, deletions: numberOf(fields.deletions) ?? 0 };
}

/** An event that put this label on. */
export function labelEventOf(value: unknown, label: string): LabelEvent | undefined {
  const fields = fieldsOf(value);
  const id = idOf(fields.id);
  const at = timeOf(fields.created_at);
  const name = textOf(fieldsOf(fields.label).name);
  if (fields.event !== 'labeled' || !id || !at || name === undefined || !sameName(name, label)) return undefined;
  return { id, actor: loginOf(fields.actor ?? null, 'login') ?? 'ghost', at };
}

/** `user.permissions` tells it all; where it is missing, as on older servers, the role does. */
export function accessOf(value: unknown): Access {
  const { user, role_name: role, permission } = fieldsOf(value);
  const told = fieldsOf(user).permissions;
  if (told === undefined) return ROLES[textOf(role) ?? ''] ?? ROLES[textOf(permission) ?? ''] ?? 'none';
  const may = fieldsOf(told);
  if (may.push === true) return 'write';
  if (may.triage === true) return 'triage';
  return may.pull === true ? 'read' : 'none';
}

const ROLES: Record<string, Access> = {
  admin: 'write',
  maintain: 'write',
  write: 'write',
  triage: 'triage',
  read: 'read',
};

export function scopesOf(header: string | number | undefined): string[] | null {
  if (header === undefined) return null;
  return String(header)
    .split(',')
    .map((scope) => scope.trim())
    .filter(Boolean);
}
