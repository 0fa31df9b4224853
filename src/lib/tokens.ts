import type { ChatMessage, ToolCall } from '../ports.js';

const PER_MESSAGE = 4;
const PER_CALL = 8;

/** About how many tokens a text has: four ASCII characters a token, two of other alphabets, one of CJK and the rest. */
export function estimateTokens(text: string): number {
  let quarters = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    quarters += code < 0x80 ? 1 : code < 0x1100 ? 2 : 4;
  }
  return Math.ceil(quarters / 4);
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
