import { json, type Answer } from '../answer.js';
import { route } from '../routes.js';
import { assignTo, rewriteItem, setItemState, unassignFrom } from '../world/items.js';
import { changeLabels } from '../world/labels.js';
import { mayAtLeast } from '../world/people.js';
import type { Item, Repository } from '../world/state.js';
import { demand, field, itemOf, kindOf, namesField, page, projectOf, refuse, textField } from './call.js';
import type { Call, Reply } from './call.js';
import { itemJson, namespaceId } from './json.js';

export const itemRoutes = [
  route<Reply>('GET /projects/:id/:items(issues|merge_requests)', (call) => list(call, [projectOf(call)])),
  route<Reply>('GET /groups/:id/:items(issues|merge_requests)', (call) => list(call, projectsOfGroup(call))),
  route<Reply>('GET /projects/:id/:items(issues|merge_requests)/:iid', (call) =>
    json(200, itemJson(call, itemOf(call))),
  ),
  route<Reply>('PUT /projects/:id/:items(issues|merge_requests)/:iid', change),
];

/** The group's projects and those of its subgroups. */
function projectsOfGroup(call: Call): Repository[] {
  const id = (call.params.id ?? '').toLowerCase();
  const within = [...call.state.repositories.values()].filter((project) => isWithin(project.path.toLowerCase(), id));
  if (within.length === 0) throw refuse(404, '404 Group Not Found');
  return within.filter((project) => mayAtLeast(project, call.user.login, 'read'));
}

function isWithin(path: string, group: string): boolean {
  const groups = path
    .split('/')
    .slice(0, -1)
    .map((_, at, all) => all.slice(0, at + 1).join('/'));
  return groups.some((one) => one === group || String(namespaceId(one)) === group);
}

function list(call: Call, projects: Repository[]): Answer {
  const query = call.request.url.searchParams;
  const state = query.get('state') ?? 'all';
  const names = namesField(call, 'labels') ?? [];
  const [after, before] = [Date.parse(query.get('updated_after') ?? ''), Date.parse(query.get('updated_before') ?? '')];
  const found = projects
    .flatMap((project) => project.items)
    .filter((item) => item.kind === kindOf(call) && !item.deleted)
    .filter((item) => state === 'all' || (item.state === 'open' ? 'opened' : item.state) === state)
    .filter((item) => names.every((name) => item.labels.includes(name)))
    .filter((item) => !(item.updatedAt < after) && !(item.updatedAt > before));
  return page(call, sorted(query, found), (item) => itemJson(call, item));
}

/** `order_by` and `sort`, newest first unless said otherwise. */
export function sorted<T extends { id: number; createdAt: number; updatedAt: number }>(
  query: URLSearchParams,
  list: T[],
): T[] {
  const sign = query.get('sort') === 'asc' ? 1 : -1;
  const key = query.get('order_by') === 'updated_at' ? 'updatedAt' : 'createdAt';
  return [...list].sort((a, b) => sign * (a[key] - b[key] || a.id - b.id));
}

function change(call: Call): Answer {
  const item = itemOf(call);
  if (item.author !== call.user.login) demand(call, item.repository, 'triage');
  const event = textField(call, 'state_event');
  if (event !== undefined && event !== 'close' && event !== 'reopen')
    return json(400, { error: 'state_event does not have a valid value' });
  changeTexts(call, item);
  changeItemLabels(call, item);
  changeAssignees(call, item);
  if (event) setItemState(call.state, item, event === 'close' ? 'closed' : 'open', call.user.login);
  return json(200, itemJson(call, item));
}

function changeTexts(call: Call, item: Item): void {
  const [title, body] = [textField(call, 'title'), textField(call, 'description')];
  const texts = { ...(title !== undefined && { title }), ...(body !== undefined && { body }) };
  rewriteItem(call.state, item, texts, call.user.login);
}

/** `add_labels` and `remove_labels` in one change; `labels` replaces them all. Only a reporter may. */
function changeItemLabels(call: Call, item: Item): void {
  const [all, added, removed] = ['labels', 'add_labels', 'remove_labels'].map((name) => namesField(call, name));
  if (!all && !added && !removed) return;
  demand(call, item.repository, 'triage');
  const dropped = all ? item.labels.filter((have) => !all.includes(have)) : [];
  const remove = [...dropped, ...(removed ?? [])];
  const add = [...(all ?? []), ...(added ?? [])].filter((name) => !remove.includes(name));
  changeLabels(call.state, item, { add, remove, by: call.user.login });
}

function changeAssignees(call: Call, item: Item): void {
  const value = field(call, 'assignee_ids');
  if (value === undefined) return;
  const ids = (Array.isArray(value) ? value : [value]).map(Number);
  const people = [...call.state.people.values()].filter((person) => ids.includes(person.id));
  const wanted = people.map((person) => person.login);
  for (const login of item.assignees.filter((have) => !wanted.includes(have)))
    unassignFrom(call.state, item, login, call.user.login);
  for (const login of wanted) assignTo(call.state, item, login, call.user.login);
}
