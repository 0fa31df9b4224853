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
  const taken = new Set<string>();
  return calls.map((call, position) => {
    if (!call.name) throw new RequestFailed('the answer has a tool call without a name', {});
    const tool = names.fromWire(call.name);
    const id = call.id && !taken.has(call.id) ? call.id : madeUpId(call, position);
    taken.add(id);
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

/** Null: they are no object. None at all, however the server puts it, are an empty one. */
function argumentsOf(args: unknown): Record<string, unknown> | null {
  const value = typeof args === 'string' ? parsed(args.trim() || 'null') : (args ?? null);
  if (value === null) return {};
  return isRecord(value) ? value : null;
}

function rawText(args: unknown): string {
  return typeof args === 'string' ? args : (JSON.stringify(args) ?? '');
}

/** The arguments as a server is shown them again. Many refuse a whole history for one text there that is no JSON object. */
export function shownArguments({ args, raw }: ToolCall): Record<string, unknown> {
  return args ?? { not_json: raw };
}

/** The functions to offer: the tools and, beside them, `done`. */
export function offeredFunctions(tools: ToolSpec[], names: ToolNames) {
  return [...tools, DONE].map(({ name, description, parameters }) => ({
    type: 'function' as const,
    function: {
      name: names.toWire(name),
      description: shortened(description),
      parameters: plainObjectSchema(parameters),
    },
  }));
}

const LONGEST_DESCRIPTION = 1024;

/** OpenAI refuses the whole request for one description that is longer. */
function shortened(description: string): string {
  if (description.length <= LONGEST_DESCRIPTION) return description;
  return `${description.slice(0, LONGEST_DESCRIPTION - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
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
