import { ForgeError, type LabelEvent, type LabelSpec } from '../ports.js';
import { hasName } from './fields.js';

/** How one forge lists and creates the labels of a repository. */
interface LabelRoutes {
  list(): Promise<string[]>;
  create(label: LabelSpec): Promise<unknown>;
}

/** Creates the labels that are missing; returns their names. */
export async function createMissing(labels: LabelSpec[], routes: LabelRoutes): Promise<string[]> {
  const present = await routes.list();
  const created: string[] = [];
  for (const label of labels.filter(({ name }) => !hasName(present, name))) {
    if (await createUnlessPresent(label, routes)) created.push(label.name);
  }
  return created;
}

/** False: somebody else has created it in the meantime. */
async function createUnlessPresent(label: LabelSpec, { list, create }: LabelRoutes): Promise<boolean> {
  try {
    await create(label);
    return true;
  } catch (error) {
    const rejected = error instanceof ForgeError && error.kind === 'rejected';
    if (rejected && hasName(await list(), label.name)) return false;
    throw error;
  }
}

/** The newest event, in whatever order they come: GitLab promises none. */
export function newestEvent(events: LabelEvent[]): LabelEvent | null {
  const byTime = (a: LabelEvent, b: LabelEvent): number =>
    Date.parse(a.at) - Date.parse(b.at) || Number(a.id) - Number(b.id);
  return events.toSorted(byTime).at(-1) ?? null;
}
