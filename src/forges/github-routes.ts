import type { TaskKey } from '../task/key.js';

export function split(path: string): { owner: string; repo: string } {
  const [owner = '', repo = ''] = path.split('/');
  return { owner, repo };
}

export function numbered({ owner, repo, id }: TaskKey): { owner: string; repo: string; issue_number: number } {
  return { owner, repo, issue_number: Number(id) };
}

export function repositoryRoute(path: string): string {
  const { owner, repo } = split(path);
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`;
}

export function issueRoute({ owner, repo, id }: TaskKey): string {
  return `${repositoryRoute(`${owner}/${repo}`)}/issues/${id}`;
}

export function pullRoute({ owner, repo, id }: TaskKey): string {
  return `${repositoryRoute(`${owner}/${repo}`)}/pulls/${id}`;
}
