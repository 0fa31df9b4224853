import { json, Refusal, type Answer } from '../answer.js';
import { route } from '../routes.js';
import { changeLabels } from '../world/labels.js';
import { mayAtLeast } from '../world/people.js';
import { createLabel, findLabel } from '../world/repositories.js';
import { sameLabel, type Item } from '../world/state.js';
import { demand, invalid, issueOf, notFound, page, problem, repositoryOf, type Call, type Reply } from './call.js';
import { itemLabelsJson, labelJson } from './json.js';

export const labelRoutes = [
  route<Reply>('GET /repos/:owner/:repo/issues/:number/labels', (call) => page(call, itemLabels(call), (one) => one)),
  route<Reply>('POST /repos/:owner/:repo/issues/:number/labels', add),
  route<Reply>('PUT /repos/:owner/:repo/issues/:number/labels', replace),
  route<Reply>('DELETE /repos/:owner/:repo/issues/:number/labels/:name', remove),
  route<Reply>('GET /repos/:owner/:repo/labels', listOfRepository),
  route<Reply>('POST /repos/:owner/:repo/labels', create),
  route<Reply>('GET /repos/:owner/:repo/labels/:name', one),
];

function itemLabels(call: Call): Record<string, unknown>[] {
  return itemLabelsJson(call, issueOf(call));
}

function add(call: Call): Answer {
  const item = issueOf(call);
  demand(call, item.repository, 'triage');
  const names = namesIn(call.request.body.labels ?? call.request.body);
  if (names.length === 0) throw invalid('Label', 'name', 'missing_field');
  refuseNewNames(call, item, names);
  changeLabels(call.state, item, { add: names, remove: [], by: call.user.login });
  return json(200, itemLabelsJson(call, item));
}

function replace(call: Call): Answer {
  const item = issueOf(call);
  demand(call, item.repository, 'triage');
  setLabels(call, item, call.request.body.labels ?? call.request.body);
  return json(200, itemLabelsJson(call, item));
}

/** Makes the item carry exactly these labels. */
export function setLabels(call: Call, item: Item, wanted: unknown): void {
  const names = namesIn(wanted);
  refuseNewNames(call, item, names);
  const remove = item.labels.filter((have) => !names.some((name) => sameLabel(call.state, name, have)));
  changeLabels(call.state, item, { add: names, remove, by: call.user.login });
}

function namesIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const names = value.map((one: unknown) => (isNamed(one) ? one.name : one));
  return names.filter((name): name is string => typeof name === 'string' && name.trim() !== '');
}

function isNamed(value: unknown): value is { name: unknown } {
  return typeof value === 'object' && value !== null && 'name' in value;
}

/** A label the repository does not have is created, where the caller may. */
function refuseNewNames(call: Call, item: Item, names: string[]): void {
  const { repository } = item;
  if (mayAtLeast(repository, call.user.login, 'write')) return;
  if (names.every((name) => findLabel(call.state, repository, name))) return;
  throw new Refusal(problem(403, 'You do not have permission to create labels on this repository.'));
}

function remove(call: Call): Answer {
  const item = issueOf(call);
  demand(call, item.repository, 'triage');
  const name = call.params.name ?? '';
  if (!item.labels.some((have) => sameLabel(call.state, have, name)))
    throw new Refusal(problem(404, 'Label does not exist'));
  changeLabels(call.state, item, { add: [], remove: [name], by: call.user.login });
  return json(200, itemLabelsJson(call, item));
}

function listOfRepository(call: Call): Answer {
  const repository = repositoryOf(call);
  const sorted = [...repository.labels].sort((a, b) => a.name.localeCompare(b.name));
  return page(call, sorted, (label) => labelJson(call, repository, label));
}

function create(call: Call): Answer {
  const repository = repositoryOf(call);
  demand(call, repository, 'write');
  const { name, color, description } = call.request.body;
  if (typeof name !== 'string' || name.trim() === '') throw invalid('Label', 'name', 'missing_field');
  if (color !== undefined && !(typeof color === 'string' && /^[0-9a-f]{6}$/i.test(color)))
    throw invalid('Label', 'color', 'invalid');
  if (typeof description === 'string' && description.length > 100) throw tooLong();
  if (findLabel(call.state, repository, name)) throw invalid('Label', 'name', 'already_exists');
  const texts = {
    ...(typeof color === 'string' && { color }),
    ...(typeof description === 'string' && { description }),
  };
  return json(201, labelJson(call, repository, createLabel(call.state, repository, { name, ...texts })));
}

function tooLong(): Refusal {
  return invalid('Label', 'description', 'custom', 'description is too long (maximum is 100 characters)');
}

function one(call: Call): Answer {
  const repository = repositoryOf(call);
  const label = findLabel(call.state, repository, call.params.name ?? '');
  if (!label) throw notFound();
  return json(200, labelJson(call, repository, label));
}
