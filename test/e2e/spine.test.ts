import { setStage, type Stage } from './stage.js';

let stage: Stage;
afterEach(() => stage.close());

const NOTE_THEN_DONE = [
  { text: 'I will write it down.', toolCalls: [{ tool: 'notes/note', args: { text: 'hello' } }] },
  { done: true as const, comment: 'The greeting is fixed.' },
];

describe.each(['github', 'gitlab'] as const)('on %s', (forge) => {
  test('a label leads to a result, with one tool call and the labels moved on', async () => {
    stage = await setStage({ forge, script: NOTE_THEN_DONE });
    const n = stage.issue();
    const { code, stdout, stderr } = await stage.tick();
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(stage.notes).toEqual(['hello']);
    expect(stage.labels(n)).toEqual(['awaiting-response']);
    const bodies = stage.comments(n).map((comment) => comment.body);
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toContain('The greeting is fixed.');
  });
});
