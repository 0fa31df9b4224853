import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rowOf, type Attempt } from '../../src/agent/attempt.js';
import { estimateMessages } from '../../src/lib/tokens.js';
import type { MessageLine } from '../../src/records.js';
import { addTurn, attemptOf, memoryRig, NOW, openedAttempt, scripted, SECRET, type Rig } from './memory-rig.js';

const MODEL = scripted(() => ({ text: 'reply' }));

let rig: Rig;
let attempt: Attempt;
beforeEach(async () => {
  rig = await memoryRig('llm: { openai: { model: some-model } }\n');
  attempt = openedAttempt(rig, MODEL);
});
afterEach(() => rig.close());

function fileOf(name: string): string {
  return join(attempt.files.dir, name);
}

function reopened(): Attempt {
  attempt.files.close();
  return attemptOf(rig, attempt.conversation, rowOf(attempt), MODEL);
}

describe('the history of an attempt', () => {
  it('is in messages.jsonl with sequence, time and tokens', () => {
    addTurn(attempt, 1, 'some output', { prompt: 100, completion: 20 });
    const lines = attempt.files.messagesAfter(2);
    expect(lines).toEqual([
      expect.objectContaining({
        seq: 3,
        role: 'assistant',
        timestamp: '2026-03-01T12:00:00.000Z',
        tokens: 20,
        finish: 'tool_calls',
      }),
      expect.objectContaining({
        seq: 4,
        role: 'tool',
        content: 'some output',
        tool_name: 'files/read',
        tool_call_id: 'call_1',
      }),
    ]);
  });

  it('is read back as it was, whatever the row knows', () => {
    addTurn(attempt, 1, 'some output');
    const before = [...attempt.history.messages];
    expect(reopened().history.messages).toEqual(before);
  });

  it('gets back from messages.jsonl what current.jsonl lost', () => {
    addTurn(attempt, 1, 'some output');
    const before = [...attempt.history.messages];
    const lines = readFileSync(fileOf('current.jsonl'), 'utf8').split('\n');
    writeFileSync(fileOf('current.jsonl'), `${lines.slice(0, 2).join('\n')}\n${lines[2]!.slice(0, 20)}`);
    expect(reopened().history.messages).toEqual(before);
    expect(reopened().history.messages).toEqual(before);
  });

  it('goes on with the next number after a compression that kept nothing recent', () => {
    addTurn(attempt, 1, 'some output');
    attempt.history.replace([...attempt.history.messages.slice(0, 2), { seq: 4, role: 'user', content: 'summary' }]);
    const again = reopened();
    expect(again.history.messages.map((line) => line.content)).toEqual([
      'You are a coding agent.',
      'Please mend the parser.',
      'summary',
    ]);
    expect(again.history.append({ role: 'user', content: 'next' }).seq).toBe(5);
  });

  it('gives no number twice, even where the files lost what the row has seen', () => {
    addTurn(attempt, 1, 'some output');
    for (const name of ['messages.jsonl', 'current.jsonl']) {
      const lines = readFileSync(fileOf(name), 'utf8').trimEnd().split('\n');
      writeFileSync(fileOf(name), `${lines.slice(0, -1).join('\n')}\n${lines.at(-1)!.slice(0, 9)}`);
    }
    const again = reopened();
    expect(again.history.openReply()?.seq).toBe(3);
    expect(again.history.append({ role: 'tool', content: 'again', toolCallId: 'call_1' }).seq).toBe(5);
    expect(rowOf(again).lastSeq).toBe(5);
  });

  it('says in its rows which comment was read last, with the message that brings it in', () => {
    attempt.history.append({ role: 'user', content: 'two comments', comment_ids: ['7', '9'] });
    attempt.history.append({ role: 'user', content: 'nothing new' });
    expect(rig.agent.store.conversations.get(attempt.conversation.id)).toMatchObject({
      lastCommentId: '9',
      lastCommentAt: NOW,
    });
  });

  it('counts what the provider counted, and estimates only what was added since', () => {
    addTurn(attempt, 1, 'x'.repeat(400), { prompt: 5000, completion: 50 });
    const added = estimateMessages([attempt.history.messages.at(-1)!]);
    expect(attempt.history.nextRequestTokens()).toBe(5050 + added);
    expect(reopened().history.nextRequestTokens()).toBe(5050 + added);
  });

  it('leaves out reasoning that the provider counted and that is not sent back', () => {
    addTurn(attempt, 1, 'x', { prompt: 1500, completion: 6000 });
    expect(attempt.history.nextRequestTokens()).toBeLessThan(1700);
    expect(rowOf(attempt).totalTokens).toBe(7500);
  });

  it('still knows after it was opened again that a reply was understood', () => {
    attempt.history.append({ role: 'assistant', content: 'prose', finish: 'stop', calls: 1 });
    attempt.history.append({ role: 'user', content: 'What?', complaint: 4 });
    expect(reopened().history.complaintsInARow()).toBe(4);
    addTurn(attempt, 1, 'some output');
    expect(reopened().history.complaintsInARow()).toBe(0);
  });

  it('holds no secrets, neither in texts nor in arguments of calls', () => {
    attempt.history.append({
      ...{ role: 'assistant', content: `use ${SECRET}`, finish: 'tool_calls' },
      toolCalls: [{ id: 'c', tool: 'shell/run', args: { command: `curl -H ${SECRET}` } }],
    });
    expect(readFileSync(fileOf('messages.jsonl'), 'utf8')).not.toContain(SECRET);
    expect(readFileSync(fileOf('current.jsonl'), 'utf8')).not.toContain(SECRET);
  });

  it('answers native calls that nothing answered before a user speaks', () => {
    attempt.history.append({
      role: 'assistant',
      content: '',
      finish: 'tool_calls',
      toolCalls: [{ id: 'd', tool: 'done', args: {} }],
    });
    attempt.history.append({ role: 'user', content: 'wait' });
    expect(attempt.history.messages.slice(-2)).toEqual([
      expect.objectContaining({ role: 'tool', toolCallId: 'd', content: 'noted' }),
      expect.objectContaining({ role: 'user', content: 'wait' }),
    ]);
  });
});

describe('a reply that was stored', () => {
  it('is open until it is acted upon', () => {
    expect(attempt.history.openReply()).toBeNull();
    attempt.history.append({ role: 'assistant', content: '{"done": true}', finish: 'stop', calls: 1 });
    expect(reopened().history.openReply()?.content).toBe('{"done": true}');
    attempt.history.append({ role: 'user', content: 'not yet' });
    expect(reopened().history.openReply()).toBeNull();
  });

  it('is open while one of its native calls has no result', () => {
    const calls = ['a', 'b'].map((id) => ({ id, tool: 'files/read', args: {} }));
    attempt.history.append({ role: 'assistant', content: '', finish: 'tool_calls', calls: 1, toolCalls: calls });
    attempt.history.append({ role: 'tool', content: 'A', toolCallId: 'a' });
    expect(reopened().history.openReply()?.seq).toBe(3);
    attempt.history.append({ role: 'tool', content: 'B', toolCallId: 'b' });
    expect(reopened().history.openReply()).toBeNull();
  });

  it('is not what an earlier attempt said', () => {
    attempt.history.append({ role: 'assistant', content: 'Summary of the previous attempt: …' });
    expect(attempt.history.openReply()).toBeNull();
  });
});

describe('complaints about unreadable replies', () => {
  it('are counted across a crash and forgotten with a reply that was understood', () => {
    attempt.history.append({ role: 'assistant', content: 'hm', finish: 'stop' });
    attempt.history.append({ role: 'user', content: 'say it in JSON', complaint: 2 });
    expect(reopened().history.complaintsInARow()).toBe(2);
    attempt.history.understood();
    expect(attempt.history.complaintsInARow()).toBe(0);
  });
});

describe('the row of an attempt', () => {
  it('follows the messages: calls, turns, tokens, progress', () => {
    addTurn(attempt, 1, 'some output', { prompt: 100, completion: 20 });
    attempt.history.append({ role: 'user', content: 'go', progress: { step: 'planning' } });
    expect(rowOf(attempt)).toMatchObject({ lastSeq: 5, llmCallCount: 1, turnCount: 1, totalTokens: 120 });
    expect(rowOf(attempt).progress).toEqual({ requestEnd: 2, step: 'planning' });
  });

  it('catches up with lines a crash kept from it, each once', () => {
    const line: MessageLine = {
      ...{ seq: 3, role: 'assistant', content: 'x', timestamp: 'then', tokens: 5, finish: 'stop', calls: 2 },
      usage: { prompt: 70, completion: 5 },
      progress: { step: 'execution' },
      comments: [{ kind: 'comment', id: '7', updatedAt: '2026-03-01T00:00:00Z', fate: 'read' }],
    };
    attempt.files.close();
    appendFileSync(fileOf('messages.jsonl'), `${JSON.stringify(line)}\n`);
    const { attempts, comments } = rig.agent.store;
    for (const missed of attempt.files.messagesAfter(rowOf(attempt).lastSeq))
      attempts.applyMessage(attempt.uuid, missed);
    attempts.applyMessage(attempt.uuid, line);
    expect(rowOf(attempt)).toMatchObject({ lastSeq: 3, llmCallCount: 2, turnCount: 1, totalTokens: 75 });
    expect(rowOf(attempt).progress).toEqual({ requestEnd: 2, step: 'execution' });
    expect(comments.fateOf(attempt.conversation.id, { kind: 'comment', id: '7' })?.fate).toBe('read');
  });
});
