import type { Source } from '../task/key.js';
import { addChange, addIssue, assign, close, deleteItem, editItem, merge, reopen, unassign } from './world/items.js';
import { label, unlabel } from './world/labels.js';
import { addPerson, addToken, removeToken } from './world/people.js';
import { comments, item, labelHistory, labels } from './world/read-outs.js';
import { addLabel, addRepository, deleteRepository, setAccess } from './world/repositories.js';
import { emptyState, type State } from './world/state.js';
import { addReview, addReviewComment, comment, deleteComment, editComment, react } from './world/threads.js';

/** All that people do on a forge, and what they see there. The REST dialects change the same state. */
const DEEDS = {
  ...{ addPerson, addToken, removeToken, setAccess, addRepository, deleteRepository, addLabel },
  ...{ addIssue, addPullRequest: addChange, addMergeRequest: addChange, editItem, deleteItem },
  ...{ close, reopen, merge, assign, unassign, label, unlabel },
  ...{ comment, editComment, deleteComment, react, addReviewComment, addReview },
  ...{ item, comments, labels, labelHistory },
};

type Deed = (state: State, ...rest: never[]) => unknown;
type Bound<Deeds extends Record<string, Deed>> = {
  [Name in keyof Deeds]: Deeds[Name] extends (state: State, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

export type World = Bound<typeof DEEDS> & { state: State };

/** A forge's people, repositories and threads, empty at first; time is read from `now` alone. */
export function createWorld(forge: Source, now: () => number): World {
  const state = emptyState(forge, now);
  return { ...bind(DEEDS, state), state };
}

function bind<Deeds extends Record<string, Deed>>(deeds: Deeds, state: State): Bound<Deeds> {
  const bound = Object.entries(deeds).map(([name, deed]) => [name, deed.bind(null, state)]);
  return Object.fromEntries(bound) as Bound<Deeds>;
}
