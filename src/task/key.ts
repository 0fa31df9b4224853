/** Which item a task is: the five columns that name it everywhere (database, files, logs). */
export interface TaskKey {
  source: Source;
  /** GitHub: the owner; GitLab: the namespace path (`group/sub`). */
  owner: string;
  repo: string;
  type: TaskType;
  /** The number people see (`12` of `#12`), as text. */
  id: string;
}

export type Source = 'github' | 'gitlab';
export type TaskType = 'issue' | 'pull_request' | 'merge_request';

/** `owner/repo#12`, `group/sub/project!7`: the way people write it. */
export function taskName(key: TaskKey): string {
  const mark = key.type === 'merge_request' ? '!' : '#';
  return `${key.owner}/${key.repo}${mark}${key.id}`;
}

export function sameTask(a: TaskKey, b: TaskKey): boolean {
  return a.source === b.source && a.type === b.type && a.id === b.id && samePath(a, b);
}

function samePath(a: TaskKey, b: TaskKey): boolean {
  return `${a.owner}/${a.repo}`.toLowerCase() === `${b.owner}/${b.repo}`.toLowerCase();
}
