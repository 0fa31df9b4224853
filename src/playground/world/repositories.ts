import { addPerson } from './people.js';
import { nextId, sameLabel, type AccessLevel, type Item, type Label, type Repository, type State } from './state.js';

/** A number, or `'!7'` for a merge request where an issue has the same number. */
export type ItemRef = number | `!${number}`;

/** `octo/hello`, or `group/sub/project` on GitLab. A GitHub owner is its admin. Returns the numeric id. */
export function addRepository(state: State, path: string, options: { private?: boolean } = {}): number {
  const repository: Repository = {
    id: nextId(state),
    path,
    private: options.private ?? false,
    createdAt: state.now(),
    labels: [],
    items: [],
    access: new Map(),
  };
  state.repositories.set(path.toLowerCase(), repository);
  if (state.forge === 'github') repository.access.set(addPerson(state, ownerOf(path)).login.toLowerCase(), 'admin');
  return repository.id;
}

export function deleteRepository(state: State, path: string): void {
  state.repositories.delete(repositoryAt(state, path).path.toLowerCase());
}

export function findRepository(state: State, path: string): Repository | undefined {
  return state.repositories.get(path.toLowerCase());
}

export function repositoryAt(state: State, path: string): Repository {
  const repository = findRepository(state, path);
  if (!repository) throw new Error(`The playground's ${state.forge} has no repository ${path}: add it first.`);
  return repository;
}

export function setAccess(state: State, path: string, login: string, level: AccessLevel): void {
  addPerson(state, login);
  repositoryAt(state, path).access.set(login.toLowerCase(), level);
}

export function findItem(repository: Repository, kind: Item['kind'] | null, number: number): Item | undefined {
  return repository.items.find((item) => item.number === number && (kind === null || item.kind === kind));
}

/** Where issue and merge request have the same number, the plain number is the issue. */
export function itemAt(state: State, path: string, ref: ItemRef): Item {
  const repository = repositoryAt(state, path);
  const number = Number(String(ref).replace('!', ''));
  const issue = typeof ref === 'number' ? findItem(repository, 'issue', number) : undefined;
  const item = issue ?? findItem(repository, 'change', number);
  if (!item) throw new Error(`The playground's ${path} has no item ${ref}: add it first.`);
  return item;
}

export function ownerOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function findLabel(state: State, repository: Repository, name: string): Label | undefined {
  return repository.labels.find((label) => sameLabel(state, label.name, name));
}

/** The repository's label of that name, created in grey where there is none, as both forges do. */
export function ensureLabel(state: State, repository: Repository, name: string): Label {
  return findLabel(state, repository, name) ?? createLabel(state, repository, { name });
}

export function createLabel(
  state: State,
  repository: Repository,
  input: { name: string; color?: string | undefined; description?: string | null | undefined },
): Label {
  const label: Label = {
    id: nextId(state),
    name: input.name,
    color: (input.color ?? 'ededed').replace('#', ''),
    description: input.description ?? null,
  };
  repository.labels.push(label);
  return label;
}

export function addLabel(state: State, path: string, name: string, color?: string): void {
  createLabel(state, repositoryAt(state, path), { name, color });
}
