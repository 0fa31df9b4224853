import { redactStrings } from '../lib/redact.js';
import { estimateMessages, estimateTokens } from '../lib/tokens.js';
import type { ChatMessage, Clock } from '../ports.js';
import type { AttemptFiles, CurrentLine, MessageLine, Store } from '../records.js';

/** Below this many tokens it does not matter whether a reply was thought over. */
const SHORT_REASONING = 200;

/** What a message says beyond the chat message itself. */
export type Addition = Omit<MessageLine, 'seq' | 'timestamp' | 'tokens' | 'content' | 'tool_calls' | 'tool_call_id'> &
  ChatMessage;

/** What a model is shown, growing at its end. The attempt's own is on disk; a summary's lives in memory. */
export interface Transcript {
  readonly messages: readonly CurrentLine[];
  append(addition: Addition): CurrentLine;
}

/**
 * The history of one attempt: every message is on disk before anything it authorises is done, the rows
 * follow, and what the model sees is kept in memory with the tokens it is known or estimated to have.
 */
export class History implements Transcript {
  private lines: CurrentLine[];
  private seq: number;
  private counted = { tokens: 0, lines: 0 };
  private complaints: number;

  constructor(
    private readonly uuid: string,
    private readonly files: AttemptFiles,
    private readonly attempts: Store['attempts'],
    private readonly clock: Clock,
    private readonly redact: (text: string) => string,
  ) {
    this.lines = files.current();
    const known = attempts.get(uuid)?.lastSeq ?? 0; // a number that the row has seen is not given again
    this.seq = this.lines.reduce((last, line) => Math.max(last, line.seq), known);
    this.complaints = complaintsIn(this.lines);
    this.recount();
  }

  get messages(): readonly CurrentLine[] {
    return this.lines;
  }

  /** The number the next message will have. */
  get nextSeq(): number {
    return this.seq + 1;
  }

  append(addition: Addition): CurrentLine {
    if (addition.role === 'user') this.answerOpenCalls();
    return this.write(addition);
  }

  /** Servers refuse a history in which a native call has no answer: `done` is noted, a reply that made no sense was not carried out. */
  answerOpenCalls(text?: string): void {
    const at = this.lines.findLastIndex((line) => line.role === 'assistant');
    const answered = new Set(this.lines.slice(at + 1).map((line) => line.toolCallId));
    for (const call of this.lines[at]?.toolCalls ?? []) {
      const content = text ?? (call.tool === 'done' ? 'noted' : 'not carried out');
      if (!answered.has(call.id)) this.write({ role: 'tool', content, toolCallId: call.id, tool_name: call.tool });
    }
  }

  private write({ toolCalls, toolCallId, ...rest }: Addition): CurrentLine {
    const content = this.redact(rest.content);
    const line: MessageLine = {
      ...rest,
      seq: this.seq + 1,
      content,
      timestamp: new Date(this.clock.now()).toISOString(),
      tokens: rest.usage?.completion ?? estimateTokens(content),
      ...(toolCalls && toolCalls.length > 0 && { tool_calls: redactStrings(toolCalls, this.redact) }),
      ...(toolCallId && { tool_call_id: toolCallId }),
    };
    this.files.appendMessage(line);
    this.seq = line.seq;
    this.attempts.applyMessage(this.uuid, line);
    return this.remember(line);
  }

  /** Tokens of the next request: what the provider counted, and an estimate of what was added since. */
  nextRequestTokens(): number {
    return this.counted.tokens + estimateMessages(this.lines.slice(this.counted.lines));
  }

  /** The reply that was received and not yet (or not wholly) acted upon: where a resumed attempt goes on. */
  openReply(): CurrentLine | null {
    const at = this.lines.findLastIndex((line) => line.role === 'assistant' && line.finish !== undefined);
    const reply = this.lines[at];
    if (!reply) return null;
    const after = this.lines.slice(at + 1);
    if (after.length === 0) return reply;
    if (after.at(-1)?.more) return reply;
    const answered = new Set(after.map((line) => line.toolCallId));
    return reply.toolCalls?.some((call) => !answered.has(call.id)) && after.every((line) => line.role === 'tool')
      ? reply
      : null;
  }

  /** The calls that have an answer behind the reply they came with. */
  answeredSince(reply: CurrentLine): Set<string | undefined> {
    return new Set(this.lines.slice(this.lines.lastIndexOf(reply) + 1).map((line) => line.toolCallId));
  }

  /** How many replies in a row could not be read. */
  complaintsInARow(): number {
    return this.complaints;
  }

  /** A reply was understood: the count begins anew. */
  understood(): void {
    this.complaints = 0;
  }

  /** Compression: what the model sees becomes this. */
  replace(lines: CurrentLine[]): void {
    this.files.replaceCurrent(lines);
    this.lines = lines;
    this.counted = { tokens: 0, lines: 0 };
  }

  private remember(line: MessageLine): CurrentLine {
    const current: CurrentLine = { seq: line.seq, role: line.role, content: line.content };
    if (line.tool_calls) current.toolCalls = line.tool_calls;
    if (line.tool_call_id) current.toolCallId = line.tool_call_id;
    if (line.finish) current.finish = line.finish;
    if (line.usage) current.usage = line.usage;
    if (line.complaint) this.complaints = current.complaint = line.complaint;
    if (line.more) current.more = line.more;
    this.lines.push(current);
    if (line.usage) this.counted = { tokens: nextPrompt(current), lines: this.lines.length };
    return current;
  }

  private recount(): void {
    const at = this.lines.findLastIndex((line) => line.usage);
    if (at !== -1) this.counted = { tokens: nextPrompt(this.lines[at]!), lines: at + 1 };
  }
}

/** What the provider counted, without the reasoning that it counted and that is not sent back. */
function nextPrompt(reply: CurrentLine): number {
  const { prompt, completion } = reply.usage!;
  const visible = estimateMessages([reply]);
  return prompt + (completion > 2 * visible + SHORT_REASONING ? visible : completion);
}

/** A complaint counts until a reply to it was understood, which shows in what was written behind that reply. */
function complaintsIn(lines: CurrentLine[]): number {
  const at = lines.findLastIndex((line) => line.complaint);
  const reply = lines.findIndex((line, index) => index > at && line.role === 'assistant');
  const understood = reply !== -1 && reply < lines.length - 1;
  return understood ? 0 : (lines[at]?.complaint ?? 0);
}

/** A transcript that is thrown away: summaries, judgements, the doctor. */
export function scratchTranscript(): Transcript {
  const messages: CurrentLine[] = [];
  return {
    messages,
    append({ role, content, toolCalls, toolCallId }) {
      const line: CurrentLine = {
        ...{ seq: messages.length + 1, role, content },
        ...(toolCalls?.length && { toolCalls }),
        ...(toolCallId && { toolCallId }),
      };
      messages.push(line);
      return line;
    },
  };
}
