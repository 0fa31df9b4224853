import type { Comment } from '../../src/ports.js';
import type { Conversation } from '../../src/records.js';
import type { ThreadCommand } from '../../src/task/thread-command.js';
import { decideWaiting, type WaitingFacts } from '../../src/task/waiting.js';

const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-03-01T12:00:00Z');
const conversation = { lastProcessedAt: NOW - HOUR_MS, lastCommentAt: null } as unknown as Conversation;

function saying(...bodies: string[]): Comment[] {
  const at = '2026-03-01T11:59:00Z';
  return bodies.map((body, i) => ({
    id: `${i + 1}`,
    kind: 'comment',
    author: 'alice',
    bot: false,
    body,
    createdAt: at,
    updatedAt: at,
  }));
}

function decide(change: Partial<WaitingFacts> = {}, about: Partial<Conversation> = {}): string {
  const facts: WaitingFacts = {
    ...{ handlingEnabled: true, item: 'listed', fresh: [], commands: [] },
    ...{ undecided: false, keywords: ['OK', 'thanks', 'ありがとう'], ourName: 'agent-bot' },
    ...{ timeoutMs: 24 * HOUR_MS, now: NOW },
    ...change,
  };
  const decision = decideWaiting({ ...conversation, ...about }, facts);
  if (decision.kind === 'close') return `close: ${decision.why}${decision.silent ? ', silently' : ''}`;
  return decision.kind === 'answer' && decision.judge ? 'answer, if the model finds a wish' : decision.kind;
}

const late = { lastProcessedAt: NOW - 25 * HOUR_MS };

describe('a conversation that waits', () => {
  test.each<[string, Partial<WaitingFacts>, Partial<Conversation>, string]>([
    ['nothing happened', {}, {}, 'wait'],
    ['a wish', { fresh: saying('Also fix the tests.') }, {}, 'answer'],
    ['plain thanks', { fresh: saying('Thanks!') }, {}, 'close: completion'],
    ['thanks to us', { fresh: saying('@Agent-Bot thanks!') }, {}, 'close: completion'],
    ['thanks to somebody else', { fresh: saying('@bob thanks!') }, {}, 'answer, if the model finds a wish'],
    ['thanks twice', { fresh: saying('OK', 'ありがとう') }, {}, 'close: completion'],
    [
      'thanks with more',
      { fresh: saying('Thanks, I will look at it tomorrow') },
      {},
      'answer, if the model finds a wish',
    ],
    ['thanks by one, a wish by another', { fresh: saying('Thanks!', 'Also fix the tests.') }, {}, 'answer'],
    [
      'thanks, and thanks with more',
      { fresh: saying('Thanks!', 'OK but see above') },
      {},
      'answer, if the model finds a wish',
    ],
    ['the time is up', {}, late, 'close: timeout'],
    ['the time is not up since somebody spoke', {}, { ...late, lastCommentAt: NOW - HOUR_MS }, 'wait'],
    ['the time is up, but perhaps somebody spoke', { undecided: true }, late, 'wait'],
    ['exactly at the time', {}, { lastProcessedAt: NOW - 24 * HOUR_MS }, 'wait'],
    ['a wish after the time', { fresh: saying('Still there?') }, late, 'answer'],
    ['unfinished, the time is up', {}, { ...late, unfinished: true }, 'close: timeout'],
    ['OK to a question', { fresh: saying('OK') }, { reason: 'question' }, 'answer'],
    ['a question, the time is up', {}, { ...late, reason: 'question' }, 'close: timeout'],
    [
      'an answer, handling switched off',
      { handlingEnabled: false, fresh: saying('Yes.') },
      { reason: 'question' },
      'answer',
    ],
    ['a question, handling switched off', { handlingEnabled: false }, { reason: 'question' }, 'wait'],
    ['closed', { item: 'closed' }, {}, 'close: closed, silently'],
    ['merged', { item: 'merged' }, {}, 'close: merged, silently'],
    ['gone', { item: 'gone' }, {}, 'close: gone, silently'],
    ['the label taken off', { item: 'open_without_label' }, {}, 'close: label_removed, silently'],
    ['closed with a wish', { item: 'closed', fresh: saying('Also fix the tests.') }, {}, 'close: closed, silently'],
    ['the label taken off, the time is up', { item: 'open_without_label' }, late, 'close: label_removed, silently'],
    ['handling switched off', { handlingEnabled: false }, {}, 'close: handling_off, silently'],
    [
      'handling switched off, a wish',
      { handlingEnabled: false, fresh: saying('More.') },
      {},
      'close: handling_off, silently',
    ],
    ['paused by a label, a wish', { item: 'paused', fresh: saying('More.') }, {}, 'wait'],
    ['paused by a label, the time is up', { item: 'paused' }, late, 'wait'],
    ['asked again', { item: 'asked_again' }, {}, 'wait'],
    ['asked again after the time', { item: 'asked_again' }, late, 'wait'],
    ['asked again with handling switched off', { item: 'asked_again', handlingEnabled: false }, {}, 'wait'],
  ])('%s', (_, facts, about, expected) => expect(decide(facts, about)).toBe(expected));

  test.each<[ThreadCommand[], string]>([
    [['stop'], 'close: stop_command'],
    [['resume'], 'answer'],
    [['retry'], 'answer'],
    [['pause'], 'wait'],
    [['status'], 'wait'],
    [['retry', 'stop'], 'close: stop_command'],
    [['stop', 'retry'], 'answer'],
    [['stop', 'status'], 'close: stop_command'],
    [['retry', 'pause'], 'wait'],
    [['stop', 'pause'], 'wait'],
  ])('the commands %j', (commands, expected) => expect(decide({ commands })).toBe(expected));

  test('a command comes before words: thanks and stop is stop', () => {
    expect(decide({ commands: ['stop'], fresh: saying('Thanks!') })).toBe('close: stop_command');
    expect(decide({ commands: ['status'], fresh: saying('Thanks!') })).toBe('close: completion');
  });
});
