import { json, noContent, type Answer } from '../answer.js';
import { route } from '../routes.js';
import { addNote, deleteComment, editComment, findReaction, react } from '../world/threads.js';
import type { Note, NoteKind } from '../world/state.js';
import { demand, invalid, issueOf, noteOf, page, type Call, type Reply } from './call.js';
import { commentJson, commentsOf, isReaction, reactionJson } from './json.js';

const LONGEST_BODY = 65_536;

export const commentRoutes = [
  route<Reply>('GET /repos/:owner/:repo/issues/:number/comments', list),
  route<Reply>('POST /repos/:owner/:repo/issues/:number/comments', post),
  route<Reply>('GET /repos/:owner/:repo/issues/comments/:id', (call) =>
    json(200, commentJson(call, noteOf(call, 'comment'))),
  ),
  route<Reply>('PATCH /repos/:owner/:repo/issues/comments/:id', edit),
  route<Reply>('DELETE /repos/:owner/:repo/issues/comments/:id', remove),
  route<Reply>('POST /repos/:owner/:repo/issues/comments/:id/reactions', (call) => addReaction(call, 'comment')),
  route<Reply>('POST /repos/:owner/:repo/pulls/comments/:id/reactions', (call) => addReaction(call, 'review_comment')),
];

function list(call: Call): Answer {
  const notes = changedSince(call, commentsOf(issueOf(call)));
  return page(call, notes, (note) => commentJson(call, note));
}

/** `since` is compared in whole seconds, and includes its own. */
export function changedSince(call: Call, notes: Note[]): Note[] {
  const since = Date.parse(call.request.url.searchParams.get('since') ?? '');
  if (Number.isNaN(since)) return notes;
  return notes.filter((note) => Math.floor(note.updatedAt / 1000) >= Math.floor(since / 1000));
}

function post(call: Call): Answer {
  const item = issueOf(call);
  const note = addNote(call.state, item, { kind: 'comment', author: call.user.login, body: bodyOf(call) });
  return json(201, commentJson(call, note), { location: String(commentJson(call, note).url) });
}

function edit(call: Call): Answer {
  const note = ownNote(call);
  editComment(call.state, note.id, bodyOf(call));
  return json(200, commentJson(call, note));
}

function remove(call: Call): Answer {
  deleteComment(call.state, ownNote(call).id);
  return noContent();
}

function ownNote(call: Call): Note {
  const note = noteOf(call, 'comment');
  if (note.author !== call.user.login) demand(call, note.item.repository, 'write');
  return note;
}

function bodyOf(call: Call): string {
  const { body } = call.request.body;
  if (typeof body !== 'string' || body.trim() === '') throw invalid('IssueComment', 'body', 'missing_field');
  if ([...body].length <= LONGEST_BODY) return body;
  throw invalid('IssueComment', 'body', 'custom', `body is too long (maximum is ${LONGEST_BODY} characters)`);
}

function addReaction(call: Call, kind: NoteKind): Answer {
  const note = noteOf(call, kind);
  const { content } = call.request.body;
  if (!isReaction(content)) throw invalid('Reaction', 'content', 'invalid');
  const there = findReaction(note, content, call.user.login);
  if (there) return json(200, reactionJson(call, there));
  return json(201, reactionJson(call, react(call.state, note.id, content, call.user.login)));
}
