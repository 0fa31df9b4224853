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

/** Which of a project's two lists it is in. */
export function kindOf({ type }: TaskKey): string {
  return type === 'merge_request' ? 'merge_requests' : 'issues';
}

export function itemRoute(key: TaskKey): string {
  return `${projectRoute(pathOf(key))}/${kindOf(key)}/${key.id}`;
}
