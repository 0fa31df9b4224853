import { byTurns, type CannedRequest, type Step } from '../../src/playground/model/steps.js';
import { LABEL, REPO, type StageOptions } from './stage.js';
import { sweep, type Ending, type KillPoint, type Story } from './sweep.js';

const FIRST_ATTEMPT: Step[] = [
  { text: 'I begin.', toolCalls: [{ tool: 'notes/note', args: { text: 'first' } }] },
  {
    text: 'Two things at once.',
    toolCalls: [
      { tool: 'notes/note', args: { text: 'second' } },
      { tool: 'notes/note', args: { text: 'third' } },
    ],
  },
];
const FOLLOW_UP: Step[] = [
  { text: 'Once more.', toolCalls: [{ tool: 'notes/note', args: { text: 'fourth' } }] },
  { done: true, comment: 'The colour is done as well.' },
];

/** The same history always gets the same answer, however often it is asked. */
const telling =
  (first: (request: CannedRequest, said: string) => Step): StageOptions['script'] =>
  (request) => {
    const said = request.messages.map((message) => message.content).join('\n');
    if (said.includes('Write the summary now')) return { text: 'The greeting was fixed; nothing remains.' };
    const at = request.messages.findIndex((message) => message.content.includes('Now the colour'));
    return at === -1 ? first(request, said) : byTurns(FOLLOW_UP)({ ...request, messages: request.messages.slice(at) });
  };

const label: Story['act'] = (stage, n) => stage.world.label(REPO, n, LABEL, 'alice');
const say =
  (body: string): Story['act'] =>
  (stage, n) =>
    void stage.world.comment(REPO, n, { author: 'alice', body });

/** A first attempt with three tool calls, and a comment that arrives while it works. */
const first: Story = {
  stage: () => ({
    script: telling((request, said) => {
      const turns = request.messages.filter((message) => message.role === 'assistant').length;
      if (turns < FIRST_ATTEMPT.length) return byTurns(FIRST_ATTEMPT)(request);
      return { done: true, comment: said.includes('mind the comma') ? 'Fixed, with its comma.' : 'Fixed.' };
    }),
  }),
  before: [],
  act: label,
  meanwhile: (stage, n) => {
    const said = stage.comments(n).some((comment) => comment.body === 'And mind the comma.');
    if (!said && stage.notes.length === 1) say('And mind the comma.')(stage, n);
  },
};

const atOnce = () => ({ script: telling(() => ({ done: true, comment: 'Fixed.' })) });
const followUp: Story = { stage: atOnce, before: [label], act: say('Now the colour, please.') };
const thanks: Story = { stage: atOnce, before: [label], act: say('Thanks!') };

describe('killed at any request, the next tick carries on as if nothing had happened', () => {
  test.each<[string, Ending, Story, 'github' | 'gitlab', (point: KillPoint) => boolean, number]>([
    ['a first attempt', 'SIGKILL', first, 'github', everyPoint, 30],
    ['a first attempt', 'SIGKILL', first, 'gitlab', everyPoint, 30],
    ['a follow-up', 'SIGKILL', followUp, 'github', everyPoint, 20],
    ['a follow-up', 'SIGKILL', followUp, 'gitlab', everyEffect, 6],
    ['thanks', 'SIGKILL', thanks, 'github', everyPoint, 6],
    ['thanks', 'SIGKILL', thanks, 'gitlab', everyEffect, 1],
    ['a follow-up', 'SIGTERM', followUp, 'github', everyEffect, 8],
  ])(
    '%s: %s (%#)',
    async (_, ending, story, forge, wanted, least) => {
      const staged = { ...story, stage: () => ({ ...story.stage(), forge }) };
      const { kills, differences } = await sweep(staged, wanted, ending);
      expect(differences).toEqual([]);
      expect(kills).toBeGreaterThan(least);
    },
    240_000,
  );
});

/** To us a reply of the model that was lost is one that never came. */
function everyPoint({ at, phase }: KillPoint): boolean {
  return at === 'forge' || phase === 'before';
}

/** Where something was just changed on the forge, or is about to be asked of the model. */
function everyEffect({ at, phase }: KillPoint): boolean {
  return (at === 'forge') === (phase === 'after');
}
