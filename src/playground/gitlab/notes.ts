import { json, noContent, type Answer } from '../answer.js';
import { route } from '../routes.js';
import { addNote, deleteComment, editComment, findReaction, react } from '../world/threads.js';
import type { Note } from '../world/state.js';
import { itemOf, noteOf, page, refuse, textField, type Call, type Reply } from './call.js';
import { awardJson, noteJson, sha } from './json.js';
import { sorted } from './items.js';

const LONGEST_NOTE = 1_000_000;

export const noteRoutes = [
  route<Reply>('GET /projects/:id/:items(issues|merge_requests)/:iid/notes', list),
  route<Reply>('POST /projects/:id/:items(issues|merge_requests)/:iid/notes', post),
  route<Reply>('GET /projects/:id/:items(issues|merge_requests)/:iid/notes/:note', (call) =>
    json(200, noteJson(call, noteOf(call))),
  ),
  route<Reply>('PUT /projects/:id/:items(issues|merge_requests)/:iid/notes/:note', edit),
  route<Reply>('DELETE /projects/:id/:items(issues|merge_requests)/:iid/notes/:note', remove),
  route<Reply>('GET /projects/:id/:items(issues|merge_requests)/:iid/notes/:note/award_emoji', awards),
  route<Reply>('POST /projects/:id/:items(issues|merge_requests)/:iid/notes/:note/award_emoji', award),
  route<Reply>('GET /projects/:id/:items(issues|merge_requests)/:iid/discussions', discussions),
];

function list(call: Call): Answer {
  const query = call.request.url.searchParams;
  const filter = query.get('activity_filter');
  const notes = itemOf(call).notes.filter((note) => filter !== 'only_comments' || note.kind !== 'system');
  return page(call, sorted(query, notes), (note) => noteJson(call, note));
}

function post(call: Call): Answer {
  const item = itemOf(call);
  const note = addNote(call.state, item, { kind: 'comment', author: call.user.login, body: bodyOf(call) });
  return json(201, noteJson(call, note));
}

function edit(call: Call): Answer {
  const note = ownNote(call);
  editComment(call.state, note.id, bodyOf(call));
  return json(200, noteJson(call, note));
}

function remove(call: Call): Answer {
  deleteComment(call.state, ownNote(call).id);
  return noContent();
}

function ownNote(call: Call): Note {
  const note = noteOf(call);
  if (note.author !== call.user.login || note.kind === 'system') throw refuse(403, '403 Forbidden');
  return note;
}

function bodyOf(call: Call): string {
  const body = textField(call, 'body');
  if (body === undefined) throw refuse(400, '400 Bad request - body is missing');
  if (body.trim() === '') throw refuse(400, `400 Bad request - Note {:note=>["can't be blank"]}`);
  if (body.length <= LONGEST_NOTE) return body;
  throw refuse(400, `400 Bad request - Note {:note=>["is too long (maximum is ${LONGEST_NOTE} characters)"]}`);
}

function awards(call: Call): Answer {
  const note = noteOf(call);
  return page(call, note.reactions, (reaction) => awardJson(call, note, reaction));
}

function award(call: Call): Answer {
  const note = noteOf(call);
  const name = textField(call, 'name') ?? '';
  if (!/^[\w+-]+$/.test(name)) throw refuse(404, '404 Award Emoji Name is not a valid emoji name Not Found');
  if (findReaction(note, name, call.user.login))
    throw refuse(404, '404 Award Emoji Name has already been taken Not Found');
  return json(201, awardJson(call, note, react(call.state, note.id, name, call.user.login)));
}

/** Every note is a discussion of its own here: the playground has no replies. Oldest first, as GitLab has them. */
function discussions(call: Call): Answer {
  return page(call, itemOf(call).notes, (note) => ({
    id: sha(`discussion ${note.id}`),
    individual_note: note.kind !== 'review_comment',
    notes: [noteJson(call, note)],
  }));
}
