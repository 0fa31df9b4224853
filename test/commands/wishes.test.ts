import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from '../../src/playground/model/steps.js';
import { REPO, setStage, type Stage } from '../e2e/stage.js';

let stage: Stage;
afterEach(() => stage.close());

const TASK = `${REPO}#1`;
const NOTE: Step = { text: 'I write it down.', toolCalls: [{ tool: 'notes/note', args: { text: 'hello' } }] };
const DONE: Step = { done: true, comment: 'The greeting is fixed.' };

/** A stage on which a tick has answered the first request, and waits. */
async function waiting(): Promise<Stage> {
  stage = await setStage({ script: () => DONE });
  stage.issue();
  await stage.tick();
  return stage;
}

/** Runs a tick and something else in the moment before the model answers for the first time. */
async function tickWhile(act: () => Promise<unknown>): Promise<void> {
  stage.model.onRequest = async (_index, phase) => {
    if (phase !== 'before') return;
    stage.model.onRequest = null;
    await act();
  };
  expect((await stage.tick()).code).toBe(0);
}

/** A task that was paused by `agent pause` while a tick worked on it. */
async function paused(): Promise<void> {
  stage = await setStage({ script: ({ messages }) => (messages.some(({ role }) => role === 'tool') ? DONE : NOTE) });
  stage.issue();
  await tickWhile(() => stage.agent('pause', TASK));
}

test('pause without a task creates the signal file, privately, and resume removes it', async () => {
  stage = await setStage({ script: [DONE] });
  stage.issue();
  const file = join(stage.dataDir, 'pause_signal');
  const pause = await stage.agent('pause');
  expect(pause).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(file) });
  expect(statSync(stage.dataDir).mode & 0o777).toBe(0o700);
  expect((await stage.agent('pause')).stdout).toContain('already');
  await stage.tick();
  expect(stage.model.requests).toHaveLength(0);

  expect(await stage.agent('resume')).toMatchObject({ code: 0, stdout: expect.stringContaining('The pause is over') });
  expect(existsSync(file)).toBe(false);
  expect(await stage.agent('resume')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('No pause is in force'),
  });
  await stage.tick();
  expect(stage.labels(1)).toEqual(['awaiting-response']);
});

test('a signal file that is switched off is not pretended to work', async () => {
  stage = await setStage({ script: [], config: { pause_resume: { enabled: false } } });
  expect(await stage.agent('pause')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('pause_resume.enabled'),
  });
});

test('pause stops a running task before its next model call, and resume lets it go on where it stood', async () => {
  await paused();
  expect(stage.labels(1)).toEqual(['coding agent paused']);
  expect(stage.model.requests).toHaveLength(1);
  await stage.tick();
  expect(stage.model.requests).toHaveLength(1);

  expect((await stage.agent('resume', TASK)).stdout).toBe(`The next tick goes on with ${TASK}.\n`);
  await stage.tick();
  expect(stage.labels(1)).toEqual(['awaiting-response']);
  expect(stage.notes).toEqual(['hello']);
});

test('a fulfilled pause does not come back when the person lets it go on in the thread', async () => {
  await paused();
  stage.world.comment(REPO, 1, { author: 'alice', body: '/agent resume' });
  await stage.tick();
  expect(stage.labels(1)).toEqual(['awaiting-response']);
});

test('a pause that nobody has seen yet is taken back by resume', async () => {
  stage = await setStage({ script: [NOTE, DONE] });
  stage.issue();
  await tickWhile(async () => {
    expect((await stage.agent('pause', TASK)).stdout).toContain('before its next model call');
    expect((await stage.agent('resume', TASK)).stdout).toContain('taken back');
  });
  expect(stage.labels(1)).toEqual(['awaiting-response']);
});

test('stop ends a running task before its next model call', async () => {
  stage = await setStage({ script: [NOTE, DONE] });
  stage.issue();
  await tickWhile(() => stage.agent('stop', TASK));
  expect(stage.labels(1)).toEqual(['coding agent stopped']);
  expect(stage.notes).toEqual(['hello']);
});

test('stop ends a paused task without asking the model to go on', async () => {
  await paused();
  await stage.agent('stop', TASK);
  await stage.tick();
  expect(stage.labels(1)).toEqual(['coding agent stopped']);
  expect(stage.model.requests).toHaveLength(1);
});

test('stop closes a task that waits for an answer, and says so in the thread', async () => {
  await waiting();
  expect((await stage.agent('stop', TASK)).stdout).toContain('The next tick stops');
  await stage.tick();
  expect(stage.labels(1)).toEqual(['coding agent stopped']);
  expect(stage.comments(1).at(-1)?.body).toContain('kind=stopped');
});

test('retry works on a settled task once more, and an earlier stop does not haunt it', async () => {
  await waiting();
  await stage.agent('stop', TASK);
  await stage.tick();
  expect((await stage.agent('retry', TASK)).stdout).toContain('once more');
  await stage.tick();
  expect(stage.labels(1)).toEqual(['awaiting-response']);
  expect(stage.query('SELECT 1 FROM tasks')).toHaveLength(2);
  expect(stage.query('SELECT 1 FROM wishes WHERE wish <> ?', 'stop')).toEqual([]);
});

describe('what makes no sense is refused with the state', () => {
  test('pause and resume of a task that waits for an answer, stop of a settled one', async () => {
    await waiting();
    expect(await stage.agent('pause', TASK)).toMatchObject(refused(/is not being worked on.*\n.*awaiting-response/));
    expect(await stage.agent('resume', TASK)).toMatchObject(refused(/is not paused.*\n.*awaiting-response/));
    await stage.agent('stop', TASK);
    await stage.tick();
    expect(await stage.agent('stop', TASK)).toMatchObject(refused(/is settled.*\n.*state stopped/));
  });

  test('pause of a paused task', async () => {
    await paused();
    expect(await stage.agent('pause', TASK)).toMatchObject(refused(/is paused already/));
  });

  test('retry of a task that is being worked on', async () => {
    stage = await setStage({ script: [NOTE, DONE] });
    stage.issue();
    await tickWhile(async () => {
      expect(await stage.agent('retry', TASK)).toMatchObject(refused(/is being worked on/));
    });
  });

  test('any wish for a task that nobody knows', async () => {
    stage = await setStage({ script: [] });
    expect(await stage.agent('stop', 'octo/hello#77')).toMatchObject(refused(/octo\/hello#77/));
  });

  function refused(message: RegExp) {
    return { code: 2, stdout: '', stderr: expect.stringMatching(message) as unknown };
  }
});
