import type { ChatMessage, ToolCall } from '../ports.js';

const OPENING = '(The conversation so far follows.)';
const BRIDGE = '(Noted.)';
const NOTHING = '(empty)';

/**
 * The history as strict chat templates want it: one system message, then roles that alternate and begin with
 * `user`. Pure, and stable at its front: a message added to the input only changes the output's end.
 */
export function alternating(messages: ChatMessage[], options: { nativeTools: boolean }): ChatMessage[] {
  const flat = options.nativeTools ? withoutOrphans(messages) : withoutToolRoles(messages);
  return flat.reduce<ChatMessage[]>(append, []);
}

/** Tool calls and their results as text in the JSON protocol, for a model that is offered no native tools. */
export function withoutToolRoles(messages: ChatMessage[]): ChatMessage[] {
  const toolOf = callsById(messages);
  return messages.map((message) => {
    if (message.role === 'tool') return asUserText(message, toolOf.get(message.toolCallId ?? ''));
    return message.toolCalls?.length ? asCommandText(message, message.toolCalls) : message;
  });
}

/** A result whose call is not in the history (any more) has no place in the tool role. */
function withoutOrphans(messages: ChatMessage[]): ChatMessage[] {
  const seen = new Set<string>();
  return messages.map((message) => {
    message.toolCalls?.forEach((call) => seen.add(call.id));
    return message.role !== 'tool' || seen.has(message.toolCallId ?? '') ? message : asUserText(message, undefined);
  });
}

function callsById(messages: ChatMessage[]): Map<string, string> {
  return new Map(messages.flatMap((message) => message.toolCalls ?? []).map((call) => [call.id, call.tool]));
}

function asUserText(message: ChatMessage, tool: string | undefined): ChatMessage {
  return { role: 'user', content: `Output of ${tool ?? 'a tool'}:\n${message.content}` };
}

function asCommandText(message: ChatMessage, calls: ToolCall[]): ChatMessage {
  const commands = calls.map((call) => JSON.stringify(commandOf(call)));
  return { role: 'assistant', content: [message.content, ...commands].filter(Boolean).join('\n') };
}

function commandOf(call: ToolCall): Record<string, unknown> {
  if (call.tool === 'done') return { done: true, ...call.args };
  return { command: { tool: call.tool, args: call.args ?? call.raw ?? {} } };
}

function append(ordered: ChatMessage[], message: ChatMessage): ChatMessage[] {
  const last = ordered.at(-1);
  const next = inPlace(message, last);
  if (last && canMerge(last, next)) ordered[ordered.length - 1] = merged(last, next);
  else ordered.push(...bridge(last, next), next);
  return ordered;
}

/** A system message in the middle is said as the user's; a message without any text says so. */
function inPlace(message: ChatMessage, last: ChatMessage | undefined): ChatMessage {
  const role = message.role === 'system' && last && last.role !== 'system' ? 'user' : message.role;
  const content = message.content || (message.toolCalls?.length || role === 'tool' ? '' : NOTHING);
  return { ...message, role, content };
}

function canMerge(last: ChatMessage, next: ChatMessage): boolean {
  return last.role === next.role && last.role !== 'tool' && !last.toolCalls?.length;
}

function merged(last: ChatMessage, next: ChatMessage): ChatMessage {
  return { ...next, content: [last.content, next.content].filter(Boolean).join('\n\n') };
}

function bridge(last: ChatMessage | undefined, next: ChatMessage): ChatMessage[] {
  if (next.role === 'assistant' && (!last || last.role === 'system')) return [{ role: 'user', content: OPENING }];
  if (next.role === 'user' && last?.role === 'tool') return [{ role: 'assistant', content: BRIDGE }];
  return [];
}
