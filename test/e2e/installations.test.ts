import { rmSync } from 'node:fs';
import { finished, REPO, setStage, type Stage } from './stage.js';
import { done, note, talk, turnRequests } from './talk.js';

let stage: Stage;
afterEach(() => stage.close());

/** A tick that dies while it works, and then the loss of all that it had written down. */
async function loseDatabase(): Promise<void> {
  const child = stage.start(['run']);
  stage.model.onRequest = () => (child.kill('SIGKILL'), 'hang');
  await finished(child);
  stage.model.onRequest = null;
  rmSync(stage.dataDir, { recursive: true });
}

function ageProgress(minutes: number): void {
  for (const each of stage.world.state.notes.values()) {
    if (each.body.includes('kind=progress')) each.updatedAt = Date.now() - minutes * 60_000;
  }
}

test('ten ticks at once: each task is worked on once, and nobody complains', async () => {
  stage = await setStage({ script: talk({ turns: [note('one'), done()] }) });
  const issues = [stage.issue(), stage.issue(), stage.issue()];
  const ticks = await Promise.all(Array.from({ length: 10 }, () => stage.tick()));
  expect(ticks).toEqual(Array.from({ length: 10 }, () => ({ code: 0, stdout: '', stderr: '' })));
  expect(stage.notes).toHaveLength(3);
  for (const n of issues)
    expect({ kinds: stage.kinds(n), labels: stage.labels(n) }).toEqual({
      kinds: ['progress', 'result'],
      labels: ['awaiting-response'],
    });
  expect(stage.query("SELECT uuid FROM tasks WHERE status = 'completed'")).toHaveLength(3);
});

describe.each(['github', 'gitlab'] as const)('on %s', (forge) => {
  test('an item that another installation touched within the hour is left alone, and taken up anew after that', async () => {
    stage = await setStage({ forge, script: talk({ turns: [done('Done anew.')] }) });
    const n = stage.issue();
    await loseDatabase();
    expect(stage.labels(n)).toEqual(['coding agent processing']);
    const asked = stage.model.requests.length;
    ageProgress(55);
    expect(await stage.tick()).toMatchObject({ code: 0 });
    expect(stage.model.requests).toHaveLength(asked);
    expect(stage.labels(n)).toEqual(['coding agent processing']);
    expect(stage.log()).toContain('another installation is at work on this item');
    ageProgress(61);
    await stage.tick();
    expect(stage.labels(n)).toEqual(['awaiting-response']);
    expect(stage.comments(n).at(-1)!.body).toContain('Done anew.');
    expect(stage.kinds(n)).toEqual(['progress', 'progress', 'result']);
  });
});

test('the request label put on again does not take the item away from the installation that is at work on it', async () => {
  stage = await setStage({ script: talk({ turns: [done()] }) });
  const n = stage.issue();
  await loseDatabase();
  stage.world.label(REPO, n, 'coding agent', 'alice');
  await stage.tick();
  expect(turnRequests(stage)).toHaveLength(1);
  expect(stage.labels(n)).toContain('coding agent processing');
});

test('a progress comment that somebody else copied keeps nobody from working', async () => {
  stage = await setStage({ script: talk({ turns: [done()] }) });
  const n = stage.issue();
  await loseDatabase();
  ageProgress(90);
  const { body } = stage.comments(n)[0]!;
  stage.world.comment(REPO, n, { author: 'mallory', body });
  await stage.tick();
  expect(stage.labels(n)).toEqual(['awaiting-response']);
});
