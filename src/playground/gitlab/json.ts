import { createHash } from 'node:crypto';
import { addPerson } from '../world/people.js';
import { nameOf, ownerOf } from '../world/repositories.js';
import type { ChangedFile, Item, Label, Note, Reaction, Repository } from '../world/state.js';
import type { Call } from './call.js';

/** GitLab's times have milliseconds. */
export function time(at: number): string {
  return new Date(at).toISOString();
}

function webUrl(call: Call, path: string): string {
  return `${call.request.url.origin}/${path}`;
}

export function userJson(call: Call, login: string): Record<string, unknown> {
  const { id, login: username, type } = addPerson(call.state, login);
  const basic = { id, username, name: username, state: 'active', locked: false, avatar_url: null };
  const bot = type === 'Bot' ? { bot: true } : {};
  return { ...basic, web_url: webUrl(call, username), public_email: null, ...bot };
}

/** A namespace that is the owner of many projects; its number is the same in every answer. */
export function namespaceId(path: string): number {
  return createHash('sha1').update(path.toLowerCase()).digest().readUInt32BE(0) >>> 4;
}

export function projectJson(call: Call, project: Repository): Record<string, unknown> {
  const { id, path } = project;
  const [namespace, name, web] = [ownerOf(path), nameOf(path), webUrl(call, path)];
  const open = project.items.filter((item) => item.kind === 'issue' && item.state === 'open' && !item.deleted);
  return {
    ...{ id, name, path: name, path_with_namespace: path, description: null, default_branch: 'main', web_url: web },
    ...{ name_with_namespace: path.replaceAll('/', ' / '), visibility: project.private ? 'private' : 'public' },
    ...{ http_url_to_repo: `${web}.git`, ssh_url_to_repo: `${web}.git`, created_at: time(project.createdAt) },
    ...{ archived: false, issues_enabled: true, merge_requests_enabled: true, open_issues_count: open.length },
    namespace: { id: namespaceId(namespace), name: nameOf(namespace), path: nameOf(namespace), full_path: namespace },
  };
}

export function itemJson(call: Call, item: Item): Record<string, unknown> {
  const project = item.repository;
  const short = `${item.kind === 'issue' ? '#' : '!'}${item.number}`;
  const assignees = item.assignees.map((login) => userJson(call, login));
  return {
    ...{ id: item.id, iid: item.number, project_id: project.id, title: item.title, description: item.body },
    ...{ state: item.state === 'open' ? 'opened' : item.state, labels: [...item.labels].sort() },
    ...{ created_at: time(item.createdAt), updated_at: time(item.updatedAt) },
    ...{ closed_at: item.state === 'closed' ? time(item.closedAt ?? 0) : null },
    closed_by: item.state === 'closed' && item.closedBy !== null ? userJson(call, item.closedBy) : null,
    ...{ author: userJson(call, item.author), assignee: assignees[0] ?? null, assignees, milestone: null },
    ...{ user_notes_count: item.notes.filter((note) => note.kind !== 'system').length, upvotes: 0, downvotes: 0 },
    ...{ references: { short, relative: short, full: `${project.path}${short}` }, web_url: itemPage(call, item) },
    ...{ confidential: false, discussion_locked: null, task_completion_status: { count: 0, completed_count: 0 } },
    ...(item.kind === 'issue' ? { type: 'ISSUE', issue_type: 'issue', due_date: null } : mergeRequestKeys(call, item)),
  };
}

function mergeRequestKeys(call: Call, item: Item): Record<string, unknown> {
  const merged = item.state === 'merged';
  const project = item.repository.id;
  return {
    ...{ source_branch: item.branches.head, target_branch: item.branches.base, draft: false, reviewers: [] },
    ...{ source_project_id: project, target_project_id: project, sha: sha(item.branches.head) },
    merged_at: merged ? time(item.closedAt ?? 0) : null,
    merged_by: merged && item.closedBy !== null ? userJson(call, item.closedBy) : null,
    ...{ merge_status: 'can_be_merged', detailed_merge_status: 'mergeable', has_conflicts: false },
  };
}

function itemPage(call: Call, item: Item): string {
  const list = item.kind === 'issue' ? 'issues' : 'merge_requests';
  return webUrl(call, `${item.repository.path}/-/${list}/${item.number}`);
}

export function noteJson(call: Call, note: Note): Record<string, unknown> {
  const { item } = note;
  const onDiff = note.kind === 'review_comment';
  return {
    ...{ id: note.id, type: onDiff ? 'DiffNote' : null, body: note.body, attachment: null },
    ...{ author: userJson(call, note.author), system: note.kind === 'system' },
    ...{ created_at: time(note.createdAt), updated_at: time(note.updatedAt) },
    ...{ noteable_id: item.id, noteable_iid: item.number, project_id: item.repository.id },
    ...{ noteable_type: item.kind === 'issue' ? 'Issue' : 'MergeRequest' },
    ...{ resolvable: onDiff, confidential: false, internal: false, imported: false, commands_changes: {} },
    ...(onDiff && { resolved: false, position: position(note) }),
  };
}

function position(note: Note): Record<string, unknown> {
  const { head, base } = note.item.branches;
  const commits = { base_sha: sha(base), start_sha: sha(base), head_sha: sha(head) };
  const place = { old_path: note.file, new_path: note.file, old_line: null, new_line: note.line };
  return { ...commits, ...place, position_type: 'text' };
}

export function sha(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

export function labelJson(label: Label, project: Repository): Record<string, unknown> {
  const { id, name, description } = label;
  const rest = { text_color: '#FFFFFF', subscribed: false, priority: null, is_project_label: true };
  const open = project.items.filter((item) => item.state === 'open' && !item.deleted && item.labels.includes(name));
  const count = (kind: Item['kind']) => open.filter((item) => item.kind === kind).length;
  const counts = { open_issues_count: count('issue'), open_merge_requests_count: count('change') };
  return { id, name, description, description_html: description ?? '', color: `#${label.color}`, ...rest, ...counts };
}

export function awardJson(call: Call, note: Note, reaction: Reaction): Record<string, unknown> {
  const { id, content: name, at } = reaction;
  const times = { created_at: time(at), updated_at: time(at) };
  return { id, name, user: userJson(call, reaction.author), ...times, awardable_id: note.id, awardable_type: 'Note' };
}

export function diffJson(file: ChangedFile): Record<string, unknown> {
  const { path, status, patch } = file;
  return {
    ...{ old_path: path, new_path: path, a_mode: '100644', b_mode: '100644', diff: patch },
    ...{ new_file: status === 'added', renamed_file: status === 'renamed', deleted_file: status === 'removed' },
    generated_file: false,
  };
}
