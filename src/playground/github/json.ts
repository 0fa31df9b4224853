import { accessOf, addPerson } from '../world/people.js';
import { ensureLabel, ownerOf } from '../world/repositories.js';
import type { Item, Label, Note, Person, Reaction, Repository } from '../world/state.js';
import type { Call } from './call.js';

/** GitHub's times have no milliseconds. */
export function time(at: number): string {
  return new Date(Math.floor(at / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}

export function nodeId(kind: string, id: number): string {
  return Buffer.from(`${kind}:${id}`).toString('base64url');
}

export function apiUrl(call: Call, path: string): string {
  return `${call.request.url.origin}${path}`;
}

export function repositoryUrl(call: Call, repository: Repository): string {
  return apiUrl(call, `/repos/${repository.path}`);
}

export function userJson(call: Call, login: string): Record<string, unknown> {
  const person = addPerson(call.state, login);
  const url = apiUrl(call, `/users/${encodeURIComponent(person.login)}`);
  return {
    ...{ login: person.login, id: person.id, node_id: nodeId('User', person.id), type: person.type },
    ...{ avatar_url: apiUrl(call, `/avatars/${person.id}`), gravatar_id: '', url, html_url: htmlOf(call, person) },
    ...{ followers_url: `${url}/followers`, following_url: `${url}/following{/other_user}` },
    ...{ gists_url: `${url}/gists{/gist_id}`, starred_url: `${url}/starred{/owner}{/repo}` },
    ...{ subscriptions_url: `${url}/subscriptions`, organizations_url: `${url}/orgs`, repos_url: `${url}/repos` },
    ...{ events_url: `${url}/events{/privacy}`, received_events_url: `${url}/received_events` },
    ...{ user_view_type: 'public', site_admin: false },
  };
}

function htmlOf(call: Call, person: Person): string {
  const app = /^(.*)\[bot\]$/.exec(person.login);
  return apiUrl(call, app ? `/apps/${app[1]}` : `/${person.login}`);
}

export function labelJson(call: Call, repository: Repository, label: Label): Record<string, unknown> {
  const url = `${repositoryUrl(call, repository)}/labels/${encodeURIComponent(label.name)}`;
  const { id, name, color, description } = label;
  return { id, node_id: nodeId('Label', id), url, name, color, default: false, description };
}

export function itemLabelsJson(call: Call, item: Item): Record<string, unknown>[] {
  const { repository } = item;
  return item.labels.map((name) => labelJson(call, repository, ensureLabel(call.state, repository, name)));
}

/** What GitHub calls an issue: pull requests are issues too, with one key more. */
export function issueJson(call: Call, item: Item): Record<string, unknown> {
  const base = repositoryUrl(call, item.repository);
  const url = `${base}/issues/${item.number}`;
  const assignees = item.assignees.map((login) => userJson(call, login));
  return {
    ...{ url, repository_url: base, labels_url: `${url}/labels{/name}`, comments_url: `${url}/comments` },
    ...{ events_url: `${url}/events`, html_url: itemPage(call, item), timeline_url: `${url}/timeline` },
    ...{ id: item.id, node_id: nodeId('Issue', item.id), number: item.number, title: item.title },
    ...{ user: userJson(call, item.author), labels: itemLabelsJson(call, item) },
    ...{ state: item.state === 'open' ? 'open' : 'closed', locked: false, active_lock_reason: null },
    ...{ assignee: assignees[0] ?? null, assignees, milestone: null, comments: commentsOf(item).length },
    ...{ created_at: time(item.createdAt), updated_at: time(item.updatedAt) },
    ...{ closed_at: item.closedAt === null ? null : time(item.closedAt) },
    closed_by: item.closedBy === null ? null : userJson(call, item.closedBy),
    ...{ author_association: association(item.repository, item.author), body: item.body === '' ? null : item.body },
    ...{ reactions: reactionsJson(url, []), performed_via_github_app: null, state_reason: stateReason(item) },
    ...(item.kind === 'change' ? pullKeys(call, item) : {}),
  };
}

function stateReason(item: Item): string | null {
  return item.state === 'open' || item.kind === 'change' ? null : 'completed';
}

function pullKeys(call: Call, item: Item): Record<string, unknown> {
  const html = itemPage(call, item);
  const url = `${repositoryUrl(call, item.repository)}/pulls/${item.number}`;
  const merged_at = item.state === 'merged' && item.closedAt !== null ? time(item.closedAt) : null;
  const pull_request = { url, html_url: html, diff_url: `${html}.diff`, patch_url: `${html}.patch`, merged_at };
  return { draft: false, pull_request };
}

export function itemPage(call: Call, item: Item): string {
  return apiUrl(call, `/${item.repository.path}/${item.kind === 'change' ? 'pull' : 'issues'}/${item.number}`);
}

export function commentsOf(item: Item): Note[] {
  return item.notes.filter((note) => note.kind === 'comment');
}

export function commentJson(call: Call, note: Note): Record<string, unknown> {
  const base = repositoryUrl(call, note.item.repository);
  const url = `${base}/issues/comments/${note.id}`;
  return {
    ...{ url, html_url: `${itemPage(call, note.item)}#issuecomment-${note.id}` },
    ...{ issue_url: `${base}/issues/${note.item.number}`, id: note.id, node_id: nodeId('IssueComment', note.id) },
    ...{ user: userJson(call, note.author), created_at: time(note.createdAt), updated_at: time(note.updatedAt) },
    ...{ author_association: association(note.item.repository, note.author), body: note.body },
    ...{ reactions: reactionsJson(url, note.reactions), performed_via_github_app: null },
  };
}

const REACTIONS = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'];

export function isReaction(content: unknown): content is string {
  return typeof content === 'string' && REACTIONS.includes(content);
}

export function reactionsJson(url: string, reactions: Reaction[]): Record<string, unknown> {
  const count = (content: string) => reactions.filter((reaction) => reaction.content === content).length;
  const counts = Object.fromEntries(REACTIONS.map((content) => [content, count(content)]));
  return { url: `${url}/reactions`, total_count: reactions.length, ...counts };
}

export function reactionJson(call: Call, reaction: Reaction): Record<string, unknown> {
  const { id, content, at } = reaction;
  const user = userJson(call, reaction.author);
  return { id, node_id: nodeId('Reaction', id), user, content, created_at: time(at) };
}

export function association(repository: Repository, login: string): string {
  if (ownerOf(repository.path).toLowerCase() === login.toLowerCase()) return 'OWNER';
  return ['none', 'read'].includes(accessOf(repository, login)) ? 'NONE' : 'COLLABORATOR';
}
