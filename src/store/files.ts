import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../ports.js';
import type { AttemptFiles, CurrentLine, MessageLine, PlanningLine, SummaryLine, ToolLine } from '../records.js';
import { JsonlFile, type Essentials } from './jsonl.js';

const OWN_NAMES = ['metadata.json', 'messages.jsonl', 'current.jsonl', 'summaries.jsonl', 'tools.jsonl', 'planning'];

const MESSAGE: Essentials = { seq: 'number', role: 'string', content: 'string' };

/** Begins anew. What is not ours in the folder stays: a server may already be at work in its workspace. */
export function createFiles(baseDir: string, uuid: string, metadata: object, log: Log): AttemptFiles {
  const dir = join(baseDir, uuid);
  for (const name of OWN_NAMES) rmSync(join(dir, name), { recursive: true, force: true });
  mkdirSync(join(dir, 'planning'), { recursive: true, mode: 0o700 });
  writeWhole(join(dir, 'metadata.json'), `${JSON.stringify(metadata, null, 2)}\n`);
  return openFiles(baseDir, uuid, log);
}

export function deleteFiles(baseDir: string, uuid: string): void {
  rmSync(join(baseDir, uuid), { recursive: true, force: true });
}

/** The folder of one attempt. Looking changes nothing; the first append to a file cuts off what a crash tore. */
export function openFiles(baseDir: string, uuid: string, log: Log): AttemptFiles {
  const dir = join(baseDir, uuid);
  const file = (name: string, essentials: Essentials): JsonlFile => new JsonlFile(join(dir, name), essentials, log);
  const messages = file('messages.jsonl', MESSAGE);
  const summaries = file('summaries.jsonl', { summary: 'string' });
  const tools = file('tools.jsonl', { seq: 'number', tool: 'string', call: 'object' });
  const planning = file(join('planning', `${uuid}.jsonl`), { type: 'string' });
  let current = file('current.jsonl', MESSAGE);

  const messagesAfter = (seq: number): MessageLine[] => {
    const found: MessageLine[] = [];
    for (const line of messages.lines<MessageLine>()) if (line.seq > seq) found.push(line);
    return found;
  };

  return {
    dir,
    messagesAfter,
    firstMessage() {
      for (const line of messages.lines<MessageLine>()) return line;
      return null;
    },
    current() {
      const lines = [...current.lines<StoredLine>()].map(fromStored);
      const missing = messagesAfter(lines.reduce((last, line) => Math.max(last, line.seq), 0)).map(currentFrom);
      for (const line of missing) current.append(toStored(line), { sync: false });
      return [...lines, ...missing];
    },
    appendMessage(line) {
      messages.append(line);
      current.append(toStored(currentFrom(line)), { sync: false }); // what a crash loses here comes back from messages.jsonl
    },
    replaceCurrent(lines) {
      current.close();
      writeWhole(current.path, lines.map((line) => `${JSON.stringify(toStored(line))}\n`).join(''));
      current = file('current.jsonl', MESSAGE);
    },
    appendTool: (line) => tools.append(line),
    tools: () => lastOfEach([...tools.lines<ToolLine>()]),
    toolLines: () => tools.lines<ToolLine>(),
    appendSummary: (line) => summaries.append(line),
    summaries: () => [...summaries.lines<SummaryLine>()],
    appendPlanning: (line) => planning.append(line),
    planning: () => [...planning.lines<PlanningLine>()],
    close: () => [messages, current, summaries, tools, planning].forEach((each) => each.close()),
  };
}

function currentFrom(line: MessageLine): CurrentLine {
  return {
    seq: line.seq,
    role: line.role,
    content: line.content,
    ...(line.tool_calls && { toolCalls: line.tool_calls }),
    ...(line.tool_call_id && { toolCallId: line.tool_call_id }),
    ...(line.finish && { finish: line.finish }),
    ...(line.usage && { usage: line.usage }),
    ...(line.complaint && { complaint: line.complaint }),
    ...(line.more && { more: line.more }),
  };
}

/** On disk calls and their answers have the names they have in messages.jsonl. */
type StoredLine = Omit<CurrentLine, 'toolCalls' | 'toolCallId'> & Pick<MessageLine, 'tool_calls' | 'tool_call_id'>;

function toStored({ toolCalls, toolCallId, ...line }: CurrentLine): StoredLine {
  return { ...line, ...(toolCalls && { tool_calls: toolCalls }), ...(toolCallId && { tool_call_id: toolCallId }) };
}

function fromStored({ tool_calls: toolCalls, tool_call_id: toolCallId, ...line }: StoredLine): CurrentLine {
  return { ...line, ...(toolCalls && { toolCalls }), ...(toolCallId && { toolCallId }) };
}

function lastOfEach(lines: ToolLine[]): ToolLine[] {
  return [...new Map(lines.map((line) => [line.seq, line])).values()];
}

/** Either the old content or the new one is on disk, whenever the power goes. */
function writeWhole(path: string, content: string): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, content, { mode: 0o600, flush: true });
  renameSync(temporary, path);
  const dir = openSync(join(path, '..'), 'r');
  fsyncSync(dir);
  closeSync(dir);
}
