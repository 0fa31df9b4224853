import { nextId, type AccessLevel, type Person, type Repository, type State } from './state.js';

const LEVELS: AccessLevel[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];

export function addPerson(state: State, login: string, options: { type?: Person['type'] } = {}): Person {
  const type = options.type ?? (login.endsWith('[bot]') ? 'Bot' : 'User');
  const known = findPerson(state, login);
  if (known) return Object.assign(known, options.type ? { type } : {});
  const person: Person = { id: nextId(state), login, type, createdAt: state.now() };
  state.people.set(login.toLowerCase(), person);
  return person;
}

export function findPerson(state: State, login: string): Person | undefined {
  return state.people.get(login.toLowerCase());
}

/** Gives the person a token; a token nobody was given is answered 401. `scopes: null` is a fine-grained one. */
export function addToken(state: State, token: string, login: string, options: { scopes?: string[] | null } = {}): void {
  const usual = state.forge === 'github' ? ['repo'] : ['api'];
  addPerson(state, login);
  state.tokens.set(token, { login, scopes: options.scopes === undefined ? usual : options.scopes });
}

export function removeToken(state: State, token: string): void {
  state.tokens.delete(token);
}

/** What the person was given, or null where they are no member. */
export function memberAccess(repository: Repository, login: string): AccessLevel | null {
  const level = repository.access.get(login.toLowerCase());
  return level && level !== 'none' ? level : null;
}

/** What the person may do: everybody may read what is public. */
export function accessOf(repository: Repository, login: string): AccessLevel {
  return memberAccess(repository, login) ?? (repository.private ? 'none' : 'read');
}

export function mayAtLeast(repository: Repository, login: string, level: AccessLevel): boolean {
  return LEVELS.indexOf(accessOf(repository, login)) >= LEVELS.indexOf(level);
}
