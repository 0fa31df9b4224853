import type { TaskKey } from '../task/key.js';

export function pathOf({ owner, repo }: TaskKey): string {
  return `${owner}/${repo}`;
}

export function projectRoute(path: string): string {
  return `projects/${encodeURIComponent(path)}`;
}

export function groupRoute(name: string): string {
  return `groups/${encodeURIComponent(name)}`;
}

export function itemRoute(key: TaskKey): string {
  const kind = key.type === 'merge_request' ? 'merge_requests' : 'issues';
  return `${projectRoute(pathOf(key))}/${kind}/${key.id}`;
}
