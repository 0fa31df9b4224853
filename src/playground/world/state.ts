import type { Source } from '../../task/key.js';

/** What somebody may do in a repository; on GitLab the levels 0, 10, 20, 30, 40 and 50. */
export type AccessLevel = 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin';

export interface Person {
  id: number;
  login: string;
  type: 'User' | 'Bot';
  createdAt: number;
}

export interface Token {
  login: string;
  /** Null: a fine-grained token, whose permissions GitHub does not tell. */
  scopes: string[] | null;
}

export interface Label {
  id: number;
  name: string;
  color: string;
  description: string | null;
}

export interface Repository {
  id: number;
  path: string;
  private: boolean;
  createdAt: number;
  labels: Label[];
  items: Item[];
  /** By login in lower case. */
  access: Map<string, AccessLevel>;
}

export interface ChangedFile {
  path: string;
  status: 'added' | 'removed' | 'modified' | 'renamed';
  additions: number;
  deletions: number;
  patch: string;
}

/** An issue, or a change: a pull or merge request. */
export interface Item {
  id: number;
  number: number;
  kind: 'issue' | 'change';
  repository: Repository;
  title: string;
  body: string;
  author: string;
  state: 'open' | 'closed' | 'merged';
  deleted: boolean;
  labels: string[];
  assignees: string[];
  createdAt: number;
  updatedAt: number;
  closedAt: number | null;
  closedBy: string | null;
  /** Oldest first, of every kind. */
  notes: Note[];
  events: ItemEvent[];
  labelHistory: { at: number; labels: string[] }[];
  branches: { head: string; base: string };
  files: ChangedFile[];
}

export type NoteKind = 'comment' | 'system' | 'review_comment' | 'review';

export interface Note {
  id: number;
  kind: NoteKind;
  item: Item;
  author: string;
  body: string;
  createdAt: number;
  updatedAt: number;
  reactions: Reaction[];
  /** Review comments: where in the change they stand. */
  file?: string;
  line?: number;
  reviewState?: ReviewState;
}

export type ReviewState = 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED';

export interface Reaction {
  id: number;
  content: string;
  author: string;
  at: number;
}

export interface ItemEvent {
  id: number;
  kind: 'labeled' | 'unlabeled' | 'closed' | 'reopened' | 'merged' | 'assigned' | 'unassigned' | 'renamed';
  actor: string;
  at: number;
  label?: string;
  assignee?: string;
  rename?: { from: string; to: string };
}

/** Everything one forge knows. Ids ascend over the whole forge, whatever they are given to. */
export interface State {
  forge: Source;
  now: () => number;
  lastId: number;
  /** By login in lower case. */
  people: Map<string, Person>;
  tokens: Map<string, Token>;
  /** By path in lower case. */
  repositories: Map<string, Repository>;
  notes: Map<number, Note>;
}

export function emptyState(forge: Source, now: () => number): State {
  return {
    forge,
    now,
    lastId: 1000,
    people: new Map(),
    tokens: new Map(),
    repositories: new Map(),
    notes: new Map(),
  };
}

export function nextId(state: State): number {
  return ++state.lastId;
}

/** GitHub compares label names without case, GitLab with. */
export function sameLabel(state: State, a: string, b: string): boolean {
  return state.forge === 'github' ? a.toLowerCase() === b.toLowerCase() : a === b;
}
