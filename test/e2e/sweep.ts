import type { ChildProcess } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readMarker } from '../../src/report/marker.js';
import { finished, setStage, type Stage, type StageOptions } from './stage.js';

/** Where the process is killed: at the n-th request to the forge or to the model, before or after it took effect. */
export interface KillPoint {
  at: 'forge' | 'model';
  n: number;
  phase: 'before' | 'after';
  /** What is on disk and on the forge at this point, as far as a later tick can tell. */
  leaves: string;
}

type Act = (stage: Stage, n: number) => void;

/** How the process ends: at once, or asked to and with the time to say so. */
export type Ending = 'SIGKILL' | 'SIGTERM';

export interface Story {
  stage: () => StageOptions;
  /** What people did before, each answered by a tick that nothing disturbs. */
  before: Act[];
  /** What the swept tick answers. */
  act: Act;
  /** What people do while it works, decided by the model request that is made; must be harmless when repeated. */
  meanwhile?: (stage: Stage, n: number, request: number) => void;
}

/** What is left when everything has come to rest: what people see, what was done, what the database says. */
export interface Remains {
  labels: string[];
  comments: string[];
  notes: string[];
  state: unknown;
  unsent: number;
}

interface Played {
  remains: Remains;
  points: KillPoint[];
  killed: boolean;
}

interface Rehearsed {
  /** Kills the process once at the given point, and lets the next tick carry on. */
  play(kill: KillPoint | null): Promise<Played>;
  close(): Promise<void>;
}

/** Sets the stage up to the swept tick, once, and plays that tick from there as often as wanted. */
async function rehearse(story: Story, ending: Ending): Promise<Rehearsed> {
  const options = story.stage();
  const stage = await setStage({ ...options, config: { ...options.config, logging: { level: 'error' } } });
  const n = stage.issue({ labelled: false });
  for (const act of story.before) {
    act(stage, n);
    await stage.tick();
  }
  const rewind = stage.keep();
  return { play, close: () => stage.close() };

  async function play(kill: KillPoint | null): Promise<Played> {
    rewind();
    const watch = new Killer(stage, kill, ending, (request) => story.meanwhile?.(stage, n, request));
    story.act(stage, n);
    if (kill) await watch.run(stage.start(['run']));
    await stage.tick(); // what a killed tick left, the next one finishes; an undisturbed one leaves nothing
    return { remains: remainsOf(stage, n), points: watch.points, killed: watch.killed };
  }
}

class Killer {
  readonly points: KillPoint[] = [];
  killed = false;
  private child: ChildProcess | null = null;
  private forgeRequests = 0;
  private modelRequests = 0;
  private writes = 0;

  constructor(
    stage: Stage,
    kill: KillPoint | null,
    private readonly ending: Ending,
    meanwhile: (request: number) => void,
  ) {
    stage.playground.onRequest = ({ method }, phase) => {
      const n = phase === 'before' ? this.forgeRequests++ : this.forgeRequests - 1;
      if (phase === 'after' && method === 'GET') return undefined; // reading has no effect: after it is before the next one
      if (phase === 'after') this.writes++;
      return this.pass({ at: 'forge', n, phase, leaves: this.standOf(stage) }, kill);
    };
    stage.model.onRequest = (_, phase) => {
      const n = phase === 'before' ? this.modelRequests++ : this.modelRequests - 1;
      if (phase === 'before') meanwhile(n);
      return this.pass({ at: 'model', n, phase, leaves: this.standOf(stage) }, kill);
    };
  }

  async run(child: ChildProcess): Promise<void> {
    this.child = child;
    const { code, stderr } = await finished(child);
    const expected = !this.killed ? 0 : this.ending === 'SIGTERM' ? 143 : null;
    if (code !== expected) throw new Error(`exit ${code}: ${stderr}`);
  }

  /** Sizes and times of the files but for SQLite's shared memory, and how often the forge was changed. */
  private standOf({ dir }: Stage): string {
    const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => !name.endsWith('-shm'));
    const files = names.map((name) => [name, statSync(join(dir, name))] as const);
    const stand = files.map(([name, { size, mtimeMs }]) => `${name} ${size} ${mtimeMs}`);
    return [...stand.sort(), this.writes].join('\n');
  }

  private pass(point: KillPoint, kill: KillPoint | null): 'hang' | undefined {
    this.points.push(point);
    if (this.killed || !kill || point.at !== kill.at || point.n !== kill.n || point.phase !== kill.phase)
      return undefined;
    this.killed = true;
    this.child?.kill(this.ending);
    return 'hang';
  }
}

function remainsOf(stage: Stage, n: number): Remains {
  return {
    labels: stage.labels(n),
    comments: stage
      .comments(n)
      .map(({ author, body }) => `${author} ${readMarker(body)?.kind ?? ''}: ${settledText(body)}`),
    notes: stage.notes,
    state: stage.query('SELECT state, comment_count, unfinished, wanted_label FROM conversations'),
    unsent: stage.query('SELECT 1 FROM outbox WHERE sent_body IS NULL OR sent_body <> body').length,
  };
}

/** A comment without what rightly differs between two runs: uuids, times, counts. */
function settledText(body: string): string {
  return body
    .replace(/[0-9a-f]{8}(?:-[0-9a-f-]{27})?/g, '<uuid>')
    .replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/g, '<time>')
    .replace(/^\*?Turns:? .*$/gm, '<counts>')
    .trim();
}

/**
 * Plays the story once for every kill point, a few at a time, and says what differed from the undisturbed run.
 * A point that is not reached (how often a comment is edited is a matter of time) is one more undisturbed run.
 */
export async function sweep(
  story: Story,
  wanted: (point: KillPoint) => boolean,
  ending: Ending = 'SIGKILL',
): Promise<{ kills: number; differences: string[] }> {
  const stages = await Promise.all([1, 2, 3].map(() => rehearse(story, ending)));
  try {
    const undisturbed = await stages[0]!.play(null);
    const queue = undisturbed.points.filter((point, at, points) => {
      return wanted(point) && point.leaves !== points[at - 1]?.leaves; // killed here or there, the same is left
    });
    const differences: string[] = [];
    let kills = 0;
    const workThrough = async ({ play }: (typeof stages)[number]): Promise<void> => {
      for (let point = queue.shift(); point; point = queue.shift()) {
        const { remains, killed } = await play(point);
        if (killed) kills++;
        const difference = differ(undisturbed.remains, remains);
        if (difference) differences.push(`${point.at} request ${point.n} ${point.phase}: ${difference}`);
      }
    };
    await Promise.all(stages.map(workThrough));
    return { kills, differences };
  } finally {
    await Promise.all(stages.map(({ close }) => close()));
  }
}

function differ(expected: Remains, actual: Remains): string | null {
  for (const key of Object.keys(expected) as (keyof Remains)[]) {
    const [want, got] = [JSON.stringify(expected[key], null, 1), JSON.stringify(actual[key], null, 1)];
    if (want !== got) return `${key} differ:\n${want}\n---\n${got}`;
  }
  return null;
}
