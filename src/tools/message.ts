import { ErrorCode, JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** A line of a server's output as a message; null: it is none (servers do print to stdout). */
export function readMessage(line: string): JSONRPCMessage | null {
  const value = parsed(line);
  const message = JSONRPCMessageSchema.safeParse(value);
  return message.success ? message.data : refusalOf(value);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return null;
  }
}

/** An answer of the wrong shape still ends the wait of its caller. */
function refusalOf(value: unknown): JSONRPCMessage | null {
  if (typeof value !== 'object' || value === null || !('id' in value) || 'method' in value) return null;
  const { id } = value;
  if (typeof id !== 'number' && typeof id !== 'string') return null;
  const message = 'the server answered with a message of the wrong shape';
  return { jsonrpc: '2.0', id, error: { code: ErrorCode.InternalError, message } };
}
