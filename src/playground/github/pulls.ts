import { createHash } from 'node:crypto';
import { json } from '../answer.js';
import { route } from '../routes.js';
import { ownerOf } from '../world/repositories.js';
import type { ChangedFile, Item, Note } from '../world/state.js';
import { page, pullOf, type Call, type Reply } from './call.js';
import { changedSince } from './comments.js';
import {
  association,
  commentsOf,
  issueJson,
  itemPage,
  nodeId,
  reactionsJson,
  repositoryUrl,
  time,
  userJson,
} from './json.js';
import { repositoryJson } from './repository-json.js';

export const pullRoutes = [
  route<Reply>('GET /repos/:owner/:repo/pulls/:number', (call) => json(200, pullJson(call, pullOf(call)))),
  route<Reply>('GET /repos/:owner/:repo/pulls/:number/files', (call) =>
    page(call, pullOf(call).files, (file) => fileJson(call, pullOf(call), file)),
  ),
  route<Reply>('GET /repos/:owner/:repo/pulls/:number/comments', (call) =>
    page(call, changedSince(call, notesOf(pullOf(call), 'review_comment')), (note) => reviewCommentJson(call, note)),
  ),
  route<Reply>('GET /repos/:owner/:repo/pulls/:number/reviews', (call) =>
    page(call, notesOf(pullOf(call), 'review'), (note) => reviewJson(call, note)),
  ),
];

function notesOf(item: Item, kind: Note['kind']): Note[] {
  return item.notes.filter((note) => note.kind === kind);
}

function pullJson(call: Call, item: Item): Record<string, unknown> {
  const { comments: _c, closed_by: _b, pull_request: links, ...issue } = issueJson(call, item);
  const merged = item.state === 'merged';
  const sum = (key: 'additions' | 'deletions') => item.files.reduce((total, file) => total + file[key], 0);
  return {
    ...issue,
    ...(links as object),
    ...pullLinks(call, item),
    ...{ head: branch(call, item, 'head'), base: branch(call, item, 'base'), auto_merge: null, draft: false },
    ...{
      merge_commit_sha: merged ? sha(`merge ${item.id}`) : null,
      merged,
      merged_by: merged ? issueUser(call, item) : null,
    },
    ...{ mergeable: merged ? null : true, rebaseable: true, mergeable_state: merged ? 'unknown' : 'clean' },
    ...{ comments: commentsOf(item).length, review_comments: notesOf(item, 'review_comment').length, commits: 1 },
    ...{ additions: sum('additions'), deletions: sum('deletions'), changed_files: item.files.length },
    ...{ maintainer_can_modify: false, requested_reviewers: [], requested_teams: [] },
  };
}

function issueUser(call: Call, item: Item): Record<string, unknown> {
  return userJson(call, item.closedBy ?? item.author);
}

function pullLinks(call: Call, item: Item): Record<string, unknown> {
  const base = repositoryUrl(call, item.repository);
  const url = `${base}/pulls/${item.number}`;
  const links = {
    ...{ issue_url: `${base}/issues/${item.number}`, commits_url: `${url}/commits` },
    ...{ comments_url: `${base}/issues/${item.number}/comments`, review_comments_url: `${url}/comments` },
    ...{
      review_comment_url: `${base}/pulls/comments{/number}`,
      statuses_url: `${base}/statuses/${sha(item.branches.head)}`,
    },
  };
  const named = Object.entries(links).map(([key, href]) => [key.replace('_url', ''), { href }]);
  return {
    url,
    ...links,
    _links: { self: { href: url }, html: { href: itemPage(call, item) }, ...Object.fromEntries(named) },
  };
}

function branch(call: Call, item: Item, side: 'head' | 'base'): Record<string, unknown> {
  const ref = item.branches[side];
  const owner = ownerOf(item.repository.path);
  const repo = repositoryJson(call, item.repository);
  return { label: `${owner}:${ref}`, ref, sha: sha(ref), user: userJson(call, owner), repo };
}

function sha(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

function fileJson(call: Call, item: Item, file: ChangedFile): Record<string, unknown> {
  const html = itemPage(call, item).replace(/\/pull\/\d+$/, '');
  const commit = sha(item.branches.head);
  const { path, status, additions, deletions, patch } = file;
  return {
    ...{ sha: sha(path), filename: path, status, additions, deletions, changes: additions + deletions, patch },
    ...{ blob_url: `${html}/blob/${commit}/${path}`, raw_url: `${html}/raw/${commit}/${path}` },
    contents_url: `${repositoryUrl(call, item.repository)}/contents/${path}?ref=${commit}`,
  };
}

function reviewCommentJson(call: Call, note: Note): Record<string, unknown> {
  const { item } = note;
  const base = repositoryUrl(call, item.repository);
  const [url, pull] = [`${base}/pulls/comments/${note.id}`, `${base}/pulls/${item.number}`];
  const html = `${itemPage(call, item)}#discussion_r${note.id}`;
  const commit = sha(item.branches.head);
  return {
    ...{ url, html_url: html, pull_request_url: pull, id: note.id, node_id: nodeId('ReviewComment', note.id) },
    ...{ pull_request_review_id: null, path: note.file, line: note.line, original_line: note.line, side: 'RIGHT' },
    ...{ position: 1, original_position: 1, start_line: null, original_start_line: null, start_side: null },
    ...{ subject_type: 'line', diff_hunk: '@@ -1 +1 @@', commit_id: commit, original_commit_id: commit },
    ...{ user: userJson(call, note.author), body: note.body, reactions: reactionsJson(url, note.reactions) },
    ...{ created_at: time(note.createdAt), updated_at: time(note.updatedAt) },
    author_association: association(item.repository, note.author),
    _links: { self: { href: url }, html: { href: html }, pull_request: { href: pull } },
  };
}

export function reviewJson(call: Call, note: Note): Record<string, unknown> {
  const pull = `${repositoryUrl(call, note.item.repository)}/pulls/${note.item.number}`;
  const html = `${itemPage(call, note.item)}#pullrequestreview-${note.id}`;
  return {
    ...{ id: note.id, node_id: nodeId('Review', note.id), user: userJson(call, note.author), body: note.body },
    ...{ state: note.reviewState, html_url: html, pull_request_url: pull, commit_id: sha(note.item.branches.head) },
    ...{ submitted_at: time(note.createdAt), author_association: association(note.item.repository, note.author) },
    _links: { html: { href: html }, pull_request: { href: pull } },
  };
}
