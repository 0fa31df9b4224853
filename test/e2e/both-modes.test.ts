import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { byTurns, type Step } from '../../src/playground/model/steps.js';
import { done, inTurn, note, passed, plan, PLANNING, look } from './planning-script.js';
import { REPO, setStage, type ForgeName, type Stage, type StageOptions } from './stage.js';
import { isSummary } from './talk.js';

let stage: Stage;
afterEach(() => stage.close());

/** The same work in either mode: two notes, one after the other. */
const MODES: Record<'normal' | 'planning', { steps: Step[]; config: Record<string, unknown> }> = {
  normal: { steps: [note('one'), note('two'), done('Two notes are written.')], config: {} },
  planning: {
    steps: [plan({ id: 'a' }, { id: 'b' }), note('one'), done('One.'), note('two'), done('Two.'), look, passed],
    config: { planning: PLANNING },
  },
};

function scriptOf(mode: 'normal' | 'planning'): StageOptions['script'] {
  const { steps } = MODES[mode];
  if (mode === 'planning') return inTurn(steps);
  return (request) => (isSummary(request) ? { text: 'What was done.' } : byTurns(steps)(request));
}

async function begin(
  mode: 'normal' | 'planning',
  forge: ForgeName,
  config: Record<string, unknown> = {},
): Promise<number> {
  stage = await setStage({ forge, script: scriptOf(mode), config: { ...MODES[mode].config, ...config } });
  return stage.issue();
}

/** Does something once, when the first note has been written. */
function afterFirstNote(act: () => void): void {
  let acted = false;
  stage.model.onRequest = (_, phase) => {
    if (acted || phase === 'after' || stage.notes.length === 0) return;
    acted = true;
    act();
  };
}

const signalFile = (): string => join(stage.dataDir, 'pause_signal');

describe.each(['normal', 'planning'] as const)('in %s mode', (mode) => {
  describe.each(['github', 'gitlab'] as const)('on %s', (forge) => {
    test('the work is done, reported once, and waits for an answer', async () => {
      const n = await begin(mode, forge);
      expect(await stage.tick()).toEqual({ code: 0, stdout: '', stderr: '' });
      expect(stage.notes).toEqual(['one', 'two']);
      expect(stage.labels(n)).toEqual(['awaiting-response']);
      expect(stage.comments(n).filter(({ body }) => body.includes('kind=result '))).toHaveLength(1);
      expect(stage.comments(n).filter(({ body }) => body.includes('kind=progress '))).toHaveLength(1);
    });

    test('the pause file pauses it without a comment, and it goes on where it stood', async () => {
      const n = await begin(mode, forge);
      afterFirstNote(() => writeFileSync(signalFile(), ''));
      await stage.tick();
      expect(stage.query('SELECT status, paused_by FROM tasks')).toEqual([
        { status: 'paused', paused_by: 'signal_file' },
      ]);
      expect(stage.labels(n)).toEqual(['coding agent paused']);
      const said = stage.comments(n).length;
      await stage.tick();
      expect(stage.comments(n)).toHaveLength(said);
      rmSync(signalFile());
      await stage.tick();
      expect(stage.notes).toEqual(['one', 'two']);
      expect(stage.labels(n)).toEqual(['awaiting-response']);
    });
  });

  test('closing the item stops it, with a summary and the stopped label', async () => {
    const n = await begin(mode, 'github');
    afterFirstNote(() => stage.world.close(REPO, n, 'alice'));
    await stage.tick();
    const [row] = stage.query<{ uuid: string; status: string }>('SELECT uuid, status FROM tasks');
    expect(row?.status).toBe('stopped');
    expect(stage.labels(n)).toEqual(['coding agent stopped']);
    expect(stage.lines<{ final?: boolean }>(row!.uuid, 'summaries.jsonl').at(-1)?.final).toBe(true);
  });

  test('a spent budget ends it as unfinished, and says how to go on', async () => {
    const n = await begin(mode, 'github', { max_llm_process_num: 2 });
    await stage.tick();
    expect(stage.query('SELECT status, outcome FROM tasks')).toEqual([{ status: 'completed', outcome: 'over_budget' }]);
    expect(stage.query('SELECT state, unfinished FROM conversations')).toEqual([
      { state: 'awaiting-response', unfinished: 1 },
    ]);
    expect(stage.comments(n).at(-1)?.body).toContain('continue');
  });

  test('a model that is down parks it, and the next tick repeats nothing', async () => {
    const n = await begin(mode, 'github');
    const { behaviour } = stage.model;
    behaviour.apiKey = 'another key';
    expect((await stage.tick()).code).toBe(3);
    expect(stage.query('SELECT status, paused_by FROM tasks')).toEqual([{ status: 'paused', paused_by: 'parked' }]);
    behaviour.apiKey = null;
    stage.query("UPDATE tasks SET not_before = '2020-01-01T00:00:00.000Z'");
    await stage.tick();
    expect(stage.notes).toEqual(['one', 'two']);
    expect(stage.comments(n)).toHaveLength(mode === 'planning' ? 3 : 2);
  });
});
