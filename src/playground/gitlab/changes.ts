import { json, type Answer } from '../answer.js';
import { route } from '../routes.js';
import { findItem } from '../world/repositories.js';
import type { Item } from '../world/state.js';
import { page, projectOf, refuse, type Call, type Reply } from './call.js';
import { diffJson, itemJson } from './json.js';

export const changeRoutes = [
  route<Reply>('GET /projects/:id/merge_requests/:iid/changes', changes),
  route<Reply>('GET /projects/:id/merge_requests/:iid/diffs', (call) =>
    page(call, mergeRequestOf(call).files, (file) => diffJson(file)),
  ),
];

function changes(call: Call): Answer {
  const item = mergeRequestOf(call);
  const keys = { changes_count: String(item.files.length), changes: item.files.map(diffJson), overflow: false };
  return json(200, { ...itemJson(call, item), ...keys });
}

function mergeRequestOf(call: Call): Item {
  const item = findItem(projectOf(call), 'change', Number(call.params.iid));
  if (!item || item.deleted) throw refuse(404, '404 Not found');
  return item;
}
