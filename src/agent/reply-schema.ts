import { Ajv, type ErrorObject } from 'ajv';

export interface JsonReply {
  comment?: string;
  command?: { comment?: string; tool: string; args?: Record<string, unknown> };
  done?: boolean;
}

/** The JSON protocol: what replies are validated with, and what is asked for as structured output. */
export const REPLY_SCHEMA = {
  type: 'object',
  properties: {
    comment: { type: 'string' },
    command: {
      type: 'object',
      properties: {
        comment: { type: 'string' },
        tool: { type: 'string', minLength: 1 },
        args: { type: 'object' },
      },
      required: ['tool'],
    },
    done: { type: 'boolean' },
  },
} as const;

const validator = once(() => new Ajv({ allErrors: true }).compile<JsonReply>(REPLY_SCHEMA));

/** Compiled when the first reply is read. */
export const validJsonReply = Object.assign((value: unknown): value is JsonReply => validator()(value), {
  errors: (): ErrorObject[] => validator().errors ?? [],
});

/** What models write for the same thing: null for absent, JSON in a string where an object belongs, `arguments` for `args`. */
export function normalised(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const reply = withoutNulls(value);
  if (!('command' in reply)) return reply;
  return { ...reply, command: normalisedCommand(unwrapped(reply['command'])) };
}

function normalisedCommand(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const command = withoutNulls(value);
  const args = command['args'] ?? command['arguments'] ?? command['parameters'];
  return args === undefined ? command : { ...command, args: unwrapped(args) };
}

function withoutNulls(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}

function unwrapped(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.trim() === '') return {};
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
