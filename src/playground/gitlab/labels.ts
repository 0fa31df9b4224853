import { json, type Answer } from '../answer.js';
import { route } from '../routes.js';
import { createLabel, findLabel } from '../world/repositories.js';
import type { Item, ItemEvent } from '../world/state.js';
import { demand, itemOf, page, projectOf, refuse, textField, type Call, type Reply } from './call.js';
import { labelJson, time, userJson } from './json.js';

export const labelRoutes = [
  route<Reply>('GET /projects/:id/labels', list),
  route<Reply>('POST /projects/:id/labels', create),
  route<Reply>('GET /projects/:id/:items(issues|merge_requests)/:iid/resource_label_events', events),
];

function list(call: Call): Answer {
  const project = projectOf(call);
  const byName = [...project.labels].sort((a, b) => a.name.localeCompare(b.name));
  return page(call, byName, (label) => labelJson(label, project));
}

function create(call: Call): Answer {
  const project = projectOf(call);
  demand(call, project, 'triage');
  const [name, color] = [textField(call, 'name'), textField(call, 'color')];
  const missing = Object.entries({ name, color }).filter(([, value]) => value === undefined);
  if (missing.length > 0) return json(400, { error: missing.map(([key]) => `${key} is missing`).join(', ') });
  if (findLabel(call.state, project, name ?? '')) throw refuse(409, 'Label already exists');
  const description = textField(call, 'description');
  return json(201, labelJson(createLabel(call.state, project, { name: name ?? '', color, description }), project));
}

function events(call: Call): Answer {
  const item = itemOf(call);
  const changes = item.events.filter((event) => event.label !== undefined);
  return page(call, changes, (event) => eventJson(call, item, event));
}

function eventJson(call: Call, item: Item, event: ItemEvent): Record<string, unknown> {
  const label = findLabel(call.state, item.repository, event.label ?? '');
  return {
    ...{ id: event.id, user: userJson(call, event.actor), created_at: time(event.at) },
    ...{ resource_type: item.kind === 'issue' ? 'Issue' : 'MergeRequest', resource_id: item.id },
    ...{ label: label ? labelJson(label, item.repository) : null },
    action: event.kind === 'labeled' ? 'add' : 'remove',
  };
}
