import type { ChatMessage, ToolCall } from '../ports.js';

const PER_MESSAGE = 4;
const PER_CALL = 8;

/** About how many tokens a text has: four ASCII characters a token, two of other alphabets, one of CJK and the rest. */
export function estimateTokens(text: string): number {
  let quarters = 0;
  for (let i = 0; i < text.length; i++) quarters += quartersOf(text.charCodeAt(i));
  return Math.ceil(quarters / 4);
}

/** How many characters from one end of a text fit into so many tokens. */
export function lengthWithin(text: string, tokens: number, from: 'start' | 'end'): number {
  let left = tokens * 4;
  for (let length = 0; length < text.length; length++) {
    left -= quartersOf(text.charCodeAt(from === 'start' ? length : text.length - 1 - length));
    if (left < 0) return length;
  }
  return text.length;
}

function quartersOf(code: number): number {
  return code < 0x80 ? 1 : code < 0x1100 ? 2 : 4;
}

/** About how many tokens these messages take in a prompt, with what surrounds each of them. */
export function estimateMessages(messages: ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

function estimateMessage({ content, toolCalls = [] }: ChatMessage): number {
  return toolCalls.reduce((sum, call) => sum + estimateCall(call), PER_MESSAGE + estimateTokens(content));
}

function estimateCall({ tool, args, raw }: ToolCall): number {
  return PER_CALL + estimateTokens(tool) + estimateTokens(args ? JSON.stringify(args) : (raw ?? ''));
}
