import { alternating, withoutToolRoles } from '../../src/models/dialect.js';
import type { ChatMessage } from '../../src/ports.js';

const system = (content: string): ChatMessage => ({ role: 'system', content });
const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content });
const calling = (id: string, content = ''): ChatMessage => ({
  role: 'assistant',
  content,
  toolCalls: [{ id, tool: 'fs/read', args: { path: 'a' } }],
});
const result = (toolCallId: string, content: string): ChatMessage => ({ role: 'tool', content, toolCallId });

const roles = (messages: ChatMessage[]) => messages.map((message) => message.role).join(' ');

const HISTORY = [
  system('rules'),
  assistant('summary of before'),
  user('the issue'),
  user('a comment'),
  calling('1', 'I look'),
  result('1', 'contents'),
  user('[New Comment from @a]:\nhurry'),
  assistant('prose'),
  calling('2'),
  result('2', 'more'),
  system('a late rule'),
  assistant(''),
];

describe('the history for strict chat templates', () => {
  test('an assistant message right after the system prompt gets a user line before it', () => {
    expect(roles(alternating([system('s'), assistant('a'), user('u')], { nativeTools: true }))).toBe(
      'system user assistant user',
    );
  });

  test('messages of the same role in a row become one', () => {
    const ordered = alternating([system('s'), user('one'), user('two')], { nativeTools: true });
    expect(ordered).toEqual([system('s'), user('one\n\ntwo')]);
  });

  test('a system message in the middle is said as the user’s', () => {
    expect(roles(alternating([system('s'), system('t'), user('u'), system('late')], { nativeTools: true }))).toBe(
      'system user',
    );
  });

  test('native calls keep their roles, and a user message never follows a tool message directly', () => {
    expect(roles(alternating(HISTORY, { nativeTools: true }))).toBe(
      'system user assistant user assistant tool assistant user assistant tool assistant user assistant',
    );
  });

  test('without native tools, calls are commands and results are the user’s words', () => {
    const ordered = alternating([user('go'), calling('1', 'why'), result('1', 'contents')], { nativeTools: false });
    expect(ordered).toEqual([
      user('go'),
      assistant('why\n{"command":{"tool":"fs/read","args":{"path":"a"}}}'),
      user('Output of fs/read:\ncontents'),
    ]);
  });

  test('a result whose call is gone is text', () => {
    expect(alternating([user('go'), result('9', 'lost')], { nativeTools: true })).toEqual([
      user('go\n\nOutput of a tool:\nlost'),
    ]);
  });

  test.each([true, false])('roles alternate and begin with user (native tools: %s)', (nativeTools) => {
    const turns = alternating(HISTORY, { nativeTools }).filter(
      ({ role, toolCalls }) => role === 'user' || (role === 'assistant' && !toolCalls),
    );
    expect(turns.map(({ role }) => role)).toEqual(turns.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')));
  });

  test.each([true, false])('adding a message only changes the end (native tools: %s)', (nativeTools) => {
    for (let length = 1; length < HISTORY.length; length++) {
      const before = alternating(HISTORY.slice(0, length), { nativeTools });
      const after = alternating(HISTORY.slice(0, length + 1), { nativeTools });
      expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      const [last, grown] = [before.at(-1), after[before.length - 1]];
      expect(grown?.role).toBe(last?.role);
      expect(grown?.content.startsWith(last?.content ?? '')).toBe(true);
    }
  });

  test('the stored history is left as it was', () => {
    const copy = structuredClone(HISTORY);
    alternating(HISTORY, { nativeTools: false });
    withoutToolRoles(HISTORY);
    expect(HISTORY).toEqual(copy);
  });
});
