import { createHash } from 'node:crypto';
import type { ToolCall, ToolSpec } from '../ports.js';
import { RequestFailed } from './failures.js';
import { isRecord, parsed } from './json.js';
import type { ToolNames } from './tool-names.js';

/** A call as the server gave it; the arguments as text, or already as an object (Ollama). */
export interface RawCall {
  id?: string | undefined;
  name: string | undefined;
  args: unknown;
}

/** Calls in our spelling. Arguments that are no JSON object stay as they came, in `raw`; a call without a name is garbage. */
export function readToolCalls(calls: RawCall[], names: ToolNames): ToolCall[] {
  return calls.map((call, position) => {
    if (!call.name) throw new RequestFailed('the answer has a tool call without a name', {});
    const tool = names.fromWire(call.name);
    const id = call.id || madeUpId(call, position);
    const args = argumentsOf(call.args);
    return args ? { id, tool, args } : { id, tool, args: null, raw: rawText(call.args) };
  });
}

/** Made of place and content, so that the same reply read again gets the same id. */
function madeUpId(call: RawCall, position: number): string {
  const mark = createHash('sha256')
    .update(`${call.name} ${rawText(call.args)}`)
    .digest('hex')
    .slice(0, 8);
  return `call_${position + 1}_${mark}`;
}

function argumentsOf(args: unknown): Record<string, unknown> | null {
  if (args === undefined || args === '') return {};
  const value = typeof args === 'string' ? parsed(args) : args;
  return isRecord(value) ? value : null;
}

function rawText(args: unknown): string {
  return typeof args === 'string' ? args : (JSON.stringify(args) ?? '');
}

/** The functions to offer: the tools and, beside them, `done`. */
export function offeredFunctions(tools: ToolSpec[], names: ToolNames) {
  return [...tools, DONE].map(({ name, description, parameters }) => ({
    type: 'function' as const,
    function: { name: names.toWire(name), description, parameters: plainObjectSchema(parameters) },
  }));
}

const DONE: ToolSpec = {
  name: 'done',
  description: 'Call this when the task is finished, and only then.',
  parameters: {
    type: 'object',
    properties: { comment: { type: 'string', description: 'What was achieved, for the people in the thread.' } },
    required: ['comment'],
  },
};

const REFUSED_AT_THE_TOP = new Set(['$schema', 'oneOf', 'anyOf', 'allOf', 'enum', 'not']);

/** Servers want an object with `properties` at the top and no alternatives there; the tool itself checks the rest. */
function plainObjectSchema(schema: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(schema).filter(([key]) => !REFUSED_AT_THE_TOP.has(key));
  return { properties: {}, ...Object.fromEntries(kept), type: 'object' };
}
