import { route } from '../routes.js';
import { ensureLabel } from '../world/repositories.js';
import type { Item, ItemEvent, Note } from '../world/state.js';
import { issueOf, page, type Call, type Reply } from './call.js';
import { commentJson, nodeId, repositoryUrl, time, userJson } from './json.js';
import { reviewJson } from './pulls.js';

export const eventRoutes = [
  route<Reply>('GET /repos/:owner/:repo/issues/:number/events', (call) => {
    const item = issueOf(call);
    return page(call, item.events, (event) => eventJson(call, item, event));
  }),
  route<Reply>('GET /repos/:owner/:repo/issues/:number/timeline', (call) => {
    const item = issueOf(call);
    return page(call, timeline(item), (entry) => timelineJson(call, item, entry));
  }),
];

function eventJson(call: Call, item: Item, event: ItemEvent): Record<string, unknown> {
  const { id, kind, rename } = event;
  return {
    ...{ id, node_id: nodeId('Event', id), url: `${repositoryUrl(call, item.repository)}/issues/events/${id}` },
    ...{ actor: userJson(call, event.actor), event: kind, commit_id: null, commit_url: null },
    ...{ created_at: time(event.at), performed_via_github_app: null },
    ...(event.label !== undefined && { label: eventLabel(call, item, event.label) }),
    ...(event.assignee !== undefined && assigneeKeys(call, event.assignee, event.actor)),
    ...(rename && { rename }),
    ...(kind === 'closed' && { state_reason: null }),
  };
}

function eventLabel(call: Call, item: Item, name: string): { name: string; color: string } {
  return { name, color: ensureLabel(call.state, item.repository, name).color };
}

function assigneeKeys(call: Call, assignee: string, assigner: string): Record<string, unknown> {
  return { assignee: userJson(call, assignee), assigner: userJson(call, assigner) };
}

/** Events, comments and reviews in the order they came. */
function timeline(item: Item): (ItemEvent | Note)[] {
  const notes = item.notes.filter((note) => note.kind === 'comment' || note.kind === 'review');
  return [...item.events, ...notes].sort((a, b) => a.id - b.id);
}

function timelineJson(call: Call, item: Item, entry: ItemEvent | Note): Record<string, unknown> {
  if (!('body' in entry)) return eventJson(call, item, entry);
  if (entry.kind === 'review') return { event: 'reviewed', ...reviewJson(call, entry) };
  return { event: 'commented', actor: userJson(call, entry.author), ...commentJson(call, entry) };
}
