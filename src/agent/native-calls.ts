import type { ToolCall } from '../ports.js';
import { extract } from './extract-json.js';
import { isRecord } from './reply-schema.js';

/** The calls with arguments repaired where they can be; null where some never close, so that none may run. */
export function readNativeCalls(calls: ToolCall[]): ToolCall[] | null {
  const read = calls.map(readArguments);
  return read.every((call) => call !== null) ? read : null;
}

/** The call as it is kept and shown again: a model that sees its own mistakes repeats them. */
export function repaired(call: ToolCall): ToolCall {
  return readArguments(call) ?? call;
}

/** Arguments that are still no object stay null: whoever runs the call answers with the complaint. */
function readArguments(call: ToolCall): ToolCall | null {
  if (call.args !== null) return call;
  const { candidates, cut } = extract(decoded(call.raw ?? ''));
  if (cut) return null;
  const args = candidates.length === 1 ? candidates[0]?.value : undefined;
  return isRecord(args) ? { id: call.id, tool: call.tool, args } : call;
}

/** Some models encode their arguments twice. */
function decoded(raw: string): string {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'string' ? value : raw;
  } catch {
    return raw;
  }
}
