import type { LabelNames } from '../../src/config/config.js';
import type { ConversationState } from '../../src/records.js';
import { hasLabel, labelChange, labelOfState, labelSpecs } from '../../src/task/labels.js';

const LABELS: LabelNames = {
  botLabel: 'coding agent',
  processingLabel: 'coding agent processing',
  awaitingLabel: 'awaiting-response',
  doneLabel: 'coding agent done',
  pausedLabel: 'coding agent paused',
  stoppedLabel: 'coding agent stopped',
  failedLabel: 'coding agent failed',
};

test.each<[ConversationState, string]>([
  ['requested', 'coding agent'],
  ['processing', 'coding agent processing'],
  ['awaiting-response', 'awaiting-response'],
  ['paused', 'coding agent paused'],
  ['completed', 'coding agent done'],
  ['stopped', 'coding agent stopped'],
  ['failed', 'coding agent failed'],
])('the state %s shows as "%s"', (state, label) => expect(labelOfState(state, LABELS)).toBe(label));

const STATES: string[] = Object.values(LABELS);

test.each<[string, string]>(STATES.flatMap((from: string) => STATES.map((to: string): [string, string] => [from, to])))(
  'from "%s" to "%s" exactly one state label is left',
  (from, to) => {
    const present = ['bug', from, ...(from === 'awaiting-response' ? [] : ['Awaiting-Response'])];
    const { add, remove } = labelChange(present, to, LABELS);
    const left = [...present, ...add].filter((label) => !remove.includes(label));
    expect(left.filter((label) => STATES.includes(label.toLowerCase()))).toHaveLength(1);
    expect(left.map((label) => label.toLowerCase())).toContain(to);
    expect(left).toContain('bug');
  },
);

test('what is already so is left alone, whatever its case', () => {
  expect(labelChange(['Awaiting-Response', 'bug'], 'awaiting-response', LABELS)).toEqual({ add: [], remove: [] });
  expect(hasLabel({ labels: ['CODING AGENT'] }, 'coding agent')).toBe(true);
  expect(hasLabel({ labels: ['coding agents'] }, 'coding agent')).toBe(false);
});

test('every label is created with a colour and a description that GitHub takes', () => {
  const specs = labelSpecs(LABELS);
  expect(specs.map(({ name }) => name).sort()).toEqual([...STATES].sort());
  for (const { color, description } of specs) {
    expect(color).toMatch(/^[0-9a-f]{6}$/);
    expect(description.length).toBeLessThanOrEqual(100);
  }
});
