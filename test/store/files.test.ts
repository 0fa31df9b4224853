import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttemptFiles, CurrentLine, MessageLine, ToolLine } from '../../src/records.js';
import { createFiles, deleteFiles, openFiles } from '../../src/store/files.js';

const UUID = '0b6f8a3e-0000-4000-8000-000000000001';

let dir: string;
let log: { level: string; message: string }[];
let files: AttemptFiles;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'files-'));
  log = [];
  files = createFiles(dir, UUID, { uuid: UUID }, { write: (level, message) => void log.push({ level, message }) });
});
afterEach(() => {
  files.close();
  rmSync(dir, { recursive: true });
});

function reopened(): AttemptFiles {
  files.close();
  return (files = openFiles(dir, UUID, { write: (level, message) => void log.push({ level, message }) }));
}

function path(name: string): string {
  return join(dir, UUID, name);
}

function message(seq: number, content = `message ${seq}`): MessageLine {
  return { seq, role: 'user', content, timestamp: '2026-03-01T12:00:00.000Z', tokens: 3 };
}

function seqs(lines: { seq: number }[]): number[] {
  return lines.map((line) => line.seq);
}

describe('the folder of an attempt', () => {
  it('is private: 0700, its files 0600', () => {
    files.appendMessage(message(1));
    files.appendTool(tool(1, 'started'));
    files.appendPlanning({ type: 'plan', timestamp: 'then', task_uuid: UUID });
    files.replaceCurrent([{ seq: 1, role: 'user', content: 'x' }]);
    for (const folder of ['.', 'planning']) expect(statSync(path(folder)).mode & 0o777).toBe(0o700);
    for (const file of ['metadata.json', 'messages.jsonl', 'current.jsonl', 'tools.jsonl', `planning/${UUID}.jsonl`]) {
      expect(statSync(path(file)).mode & 0o777).toBe(0o600);
    }
  });

  it('can be missing: everything in it is empty then', () => {
    deleteFiles(dir, UUID);
    const gone = reopened();
    expect([gone.messagesAfter(0), gone.current(), gone.tools(), gone.summaries(), gone.planning()]).toEqual([
      [],
      [],
      [],
      [],
      [],
    ]);
  });
});

describe('a line that a crash tore', () => {
  it('is left out when read and cut off by the next append', () => {
    files.appendMessage(message(1));
    files.close();
    appendFileSync(path('messages.jsonl'), '{"seq":2,"role":"us');
    expect(seqs(reopened().messagesAfter(0))).toEqual([1]);
    expect(log).toContainEqual({ level: 'info', message: 'left out a torn last line' });
    files.appendMessage(message(2));
    expect(seqs(reopened().messagesAfter(0))).toEqual([1, 2]);
    expect(log).toContainEqual({ level: 'info', message: 'cut off a torn last line' });
  });

  it('is cut off also where it is longer than what is read at once', () => {
    files.appendMessage(message(1));
    files.close();
    appendFileSync(path('messages.jsonl'), `{"seq":2,"content":"${'x'.repeat(200_000)}`);
    files.appendMessage(message(2));
    expect(seqs(reopened().messagesAfter(0))).toEqual([1, 2]);
  });

  it('in its line break only is whole: what was read is not cut off', () => {
    for (const seq of [1, 2]) files.appendMessage(message(seq));
    for (const name of ['messages.jsonl', 'current.jsonl']) truncateSync(path(name), statSync(path(name)).size - 1);
    expect(seqs(reopened().current())).toEqual([1, 2]);
    files.appendMessage(message(3));
    expect([seqs(reopened().messagesAfter(0)), seqs(files.current()), log]).toEqual([[1, 2, 3], [1, 2, 3], []]);
  });

  it('in the middle is skipped with a warning, as is one without what every line of its file has', () => {
    files.appendMessage(message(1));
    files.appendTool(tool(1, 'started'));
    files.close();
    for (const name of ['messages.jsonl', 'current.jsonl', 'tools.jsonl'])
      appendFileSync(path(name), 'garbage\n"text"\n{}\n[]\nnull\n{"seq":"x"}\n');
    files.appendMessage(message(2));
    expect([seqs(reopened().messagesAfter(0)), seqs(files.current()), seqs(files.tools())]).toEqual([
      [1, 2],
      [1, 2],
      [1],
    ]);
    expect(log.filter((line) => line.level === 'warning')).toHaveLength(4 * 6); // messages.jsonl is read twice
  });
});

describe('what the model sees', () => {
  it('is extended by the messages that only messages.jsonl has', () => {
    files.appendMessage(message(1));
    const before = readFileSync(path('current.jsonl'), 'utf8');
    files.appendMessage(message(2));
    files.close();
    writeFileSync(path('current.jsonl'), before);
    expect(seqs(reopened().current())).toEqual([1, 2]);
    expect(seqs(reopened().current())).toEqual([1, 2]);
  });

  it('names calls and their answers on disk as messages.jsonl does', () => {
    const call = { id: 'c', tool: 'files/read', args: {} };
    files.appendMessage({ ...message(1), role: 'assistant', tool_calls: [call] });
    files.appendMessage({ ...message(2), role: 'tool', tool_call_id: 'c' });
    const lines = files.current();
    expect(lines).toEqual([
      expect.objectContaining({ seq: 1, toolCalls: [call] }),
      expect.objectContaining({ seq: 2, toolCallId: 'c' }),
    ]);
    files.replaceCurrent(lines);
    const stored = readFileSync(path('current.jsonl'), 'utf8').trim().split('\n');
    expect(stored.map((line) => JSON.parse(line) as unknown)).toEqual([
      { seq: 1, role: 'assistant', content: 'message 1', tool_calls: [call] },
      { seq: 2, role: 'tool', content: 'message 2', tool_call_id: 'c' },
    ]);
    expect(reopened().current()).toEqual(lines);
  });

  it('is replaced as a whole and appended to again', () => {
    for (const seq of [1, 2, 3]) files.appendMessage(message(seq));
    const lines: CurrentLine[] = [
      { seq: 1, role: 'user', content: 'message 1' },
      { seq: 3, role: 'user', content: 'summary of 2 and 3' },
    ];
    files.replaceCurrent(lines);
    files.appendMessage(message(4));
    expect(reopened().current()).toEqual([...lines, { seq: 4, role: 'user', content: 'message 4' }]);
    expect(seqs(files.messagesAfter(0))).toEqual([1, 2, 3, 4]);
  });

  it('survives line breaks, quotes and every alphabet', () => {
    const content = 'one\ntwo\u2028three "four" 五 🤖\u0000';
    files.appendMessage(message(1, content));
    expect(reopened().current()[0]!.content).toBe(content);
  });
});

function tool(seq: number, status: ToolLine['status']): ToolLine {
  return { seq, tool: 'files/read', args: {}, status, timestamp: 'then', call: { message: 1, id: 'a' } };
}

it('of a tool call the last line counts', () => {
  for (const line of [tool(1, 'started'), tool(1, 'success'), tool(2, 'started')]) files.appendTool(line);
  expect(
    reopened()
      .tools()
      .map((line) => [line.seq, line.status]),
  ).toEqual([
    [1, 'success'],
    [2, 'started'],
  ]);
});
