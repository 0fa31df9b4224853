import { createFaults, type Faults } from './faults.js';
import { githubDialect } from './github.js';
import { gitlabDialect } from './gitlab.js';
import { createJournal, type Journal } from './journal.js';
import { serve, type OnRequest, type Surroundings } from './server.js';
import { createWorld, type World } from './world.js';

/** A GitHub and a GitLab on loopback, with people to act as and things that can go wrong. */
export interface Playground {
  github: { apiUrl: string };
  gitlab: { apiUrl: string };
  world: { github: World; gitlab: World };
  journal: Journal;
  faults: Faults;
  onRequest: OnRequest | null;
  close(): Promise<void>;
}

/** Starts both forges on free ports of 127.0.0.1. */
export async function startPlayground(options: { now?: () => number } = {}): Promise<Playground> {
  const now = options.now ?? Date.now;
  const world = { github: createWorld('github', now), gitlab: createWorld('gitlab', now) };
  const [journal, faults] = [createJournal(), createFaults()];
  let requests = 0;
  const around: Surroundings = {
    ...{ journal, faults, now },
    onRequest: () => playground.onRequest,
    nextIndex: () => requests++,
  };
  const github = await serve(githubDialect(world.github.state), around);
  const gitlab = await serve(gitlabDialect(world.gitlab.state), around);
  const playground: Playground = {
    github: { apiUrl: github.origin },
    gitlab: { apiUrl: `${gitlab.origin}/api/v4` },
    ...{ world, journal, faults },
    onRequest: null,
    close: async () => void (await Promise.all([github.close(), gitlab.close()])),
  };
  return playground;
}
