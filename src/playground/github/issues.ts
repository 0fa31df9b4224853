import { json, type Answer } from '../answer.js';
import { route } from '../routes.js';
import { assignTo, rewriteItem, setItemState, unassignFrom } from '../world/items.js';
import { findPerson, mayAtLeast } from '../world/people.js';
import { sameLabel, type Item, type State } from '../world/state.js';
import { demand, invalid, issueOf, page, repositoryOf, type Call, type Reply } from './call.js';
import { commentsOf, issueJson } from './json.js';
import { setLabels } from './labels.js';

export const issueRoutes = [
  route<Reply>('GET /repos/:owner/:repo/issues', list),
  route<Reply>('GET /repos/:owner/:repo/issues/:number', (call) => json(200, issueJson(call, issueOf(call)))),
  route<Reply>('PATCH /repos/:owner/:repo/issues/:number', change),
  route<Reply>('POST /repos/:owner/:repo/issues/:number/assignees', (call) => assignees(call, 201, assignTo)),
  route<Reply>('DELETE /repos/:owner/:repo/issues/:number/assignees', (call) => assignees(call, 200, unassignFrom)),
];

function list(call: Call): Answer {
  const query = call.request.url.searchParams;
  const labels = (query.get('labels') ?? '').split(',').filter((name) => name !== '');
  const since = Date.parse(query.get('since') ?? '') || 0;
  const found = repositoryOf(call)
    .items.filter((item) => !item.deleted && inState(item, query.get('state') ?? 'open'))
    .filter((item) => hasLabels(call.state, item, labels))
    .filter((item) => Math.floor(item.updatedAt / 1000) >= Math.floor(since / 1000));
  const sorted = sortItems(found, query.get('sort'), query.get('direction') ?? 'desc');
  return page(call, sorted, (item) => issueJson(call, item));
}

export function inState(item: Item, wanted: string): boolean {
  return wanted === 'all' || (item.state === 'open') === (wanted === 'open');
}

export function hasLabels(state: State, item: Item, names: string[]): boolean {
  return names.every((name) => item.labels.some((have) => sameLabel(state, have, name.trim())));
}

export function sortItems(items: Item[], by: string | null, direction: string): Item[] {
  const sign = direction === 'asc' ? 1 : -1;
  const value = (item: Item) => {
    if (by === 'updated') return item.updatedAt;
    return by === 'comments' ? commentsOf(item).length : item.createdAt;
  };
  return [...items].sort((a, b) => sign * (value(a) - value(b) || a.id - b.id));
}

function change(call: Call): Answer {
  const item = issueOf(call);
  const { state, title, body, labels, assignees } = call.request.body;
  const { login } = call.user;
  if (item.author !== login || labels !== undefined || assignees !== undefined) demand(call, item.repository, 'triage');
  if (state !== undefined && state !== 'open' && state !== 'closed') throw invalid('Issue', 'state', 'invalid');
  if (title === '') throw invalid('Issue', 'title', 'missing_field');
  rewriteItem(
    call.state,
    item,
    { ...(typeof title === 'string' && { title }), ...(typeof body === 'string' && { body }) },
    login,
  );
  if (Array.isArray(labels)) setLabels(call, item, labels);
  if (state !== undefined) setItemState(call.state, item, state, login);
  return json(200, issueJson(call, item));
}

/** Logins that may not be assigned are left out in silence, as GitHub does. */
function assignees(call: Call, status: number, apply: typeof assignTo): Answer {
  const item = issueOf(call);
  demand(call, item.repository, 'triage');
  const logins = Array.isArray(call.request.body.assignees) ? call.request.body.assignees.map(String) : [];
  const known = logins.filter((login) => findPerson(call.state, login) && mayAtLeast(item.repository, login, 'read'));
  for (const login of known) apply(call.state, item, login, call.user.login);
  return json(status, issueJson(call, item));
}
