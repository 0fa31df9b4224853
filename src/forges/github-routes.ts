import type { TaskKey } from '../task/key.js';

export function split(path: string): { owner: string; repo: string } {
  const [owner = '', repo = ''] = path.split('/');
  return { owner, repo };
}

export function pathOf({ owner, repo }: TaskKey): string {
  return `${owner}/${repo}`;
}

export function numbered({ owner, repo, id }: TaskKey): { owner: string; repo: string; issue_number: number } {
  return { owner, repo, issue_number: Number(id) };
}

export function repositoryRoute(path: string): string {
  const { owner, repo } = split(path);
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`;
}

export function issueRoute(key: TaskKey): string {
  return `${repositoryRoute(pathOf(key))}/issues/${key.id}`;
}

export function pullRoute(key: TaskKey): string {
  return `${repositoryRoute(pathOf(key))}/pulls/${key.id}`;
}
