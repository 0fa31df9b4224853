import { Ajv, type ValidateFunction } from 'ajv';
import type { CurrentLine } from '../../records.js';
import type { Phase } from '../../report/words.js';
import { readReply, readShape, type Validator } from '../reply.js';
import type { Unreadable } from '../reply-complaints.js';
import { REPLY_SCHEMA } from '../reply-schema.js';
import type { Ask, Understood } from '../turn.js';

/** What a phase answers with: asked for as structured output, and validated in any case. */
export interface Shape<T> {
  name: string;
  schema: { type: 'object'; properties: Record<string, unknown>; required: readonly string[] };
  validate: Validator<T>;
}

/** An answer, and the message it was read from. */
export interface Answer<T> {
  value: T;
  seq: number;
}

type Commented = { comment?: string };

/** Extra keys are welcome, and so are `null` for nothing, a bare value for a list, and numbers in quotes. */
export function shape<T>(name: string, schema: Shape<T>['schema']): Shape<T> {
  let compiled: ValidateFunction<T> | undefined;
  const validate = (value: unknown): value is T => {
    compiled ??= new Ajv({ allErrors: true, coerceTypes: 'array', strict: false }).compile<T>(schema);
    return compiled(value);
  };
  return { name, schema, validate: Object.defineProperty(validate, 'errors', { get: () => compiled?.errors ?? null }) };
}

/** Asks for an answer of this shape and nothing else; `problemOf` says what no schema can say. */
export function askDirectly<T extends Commented>(
  phase: Phase,
  { name, schema, validate }: Shape<T>,
  problemOf: (value: T) => string | null = () => null,
): Ask<Answer<T>> {
  return {
    phase,
    tools: false,
    schema: { name, schema },
    read(reply) {
      const read = readShape(reply.content, validate, reply.finish);
      return read.ok ? checked(reply, read.value, problemOf) : handedBack(read.complaint);
    },
  };
}

/** The same, with tools on the way to it. */
export function askWithTools<T extends Commented>(
  phase: Phase,
  { name, schema, validate }: Shape<T>,
  problemOf: (value: T) => string | null,
): Ask<Answer<T>> {
  return {
    phase,
    tools: true,
    schema: { name, schema: { type: 'object', properties: { ...REPLY_SCHEMA.properties, ...schema.properties } } },
    read(reply) {
      const read = readShape(reply.content, validate, reply.finish);
      const reading = readLine(reply);
      if (reading.kind === 'act') return reading;
      return read.ok ? checked(reply, read.value, problemOf) : handedBack(read.complaint);
    },
  };
}

export function readLine(reply: CurrentLine): ReturnType<typeof readReply> {
  return readReply({ text: reply.content, toolCalls: reply.toolCalls ?? [], finish: reply.finish ?? 'stop' });
}

export function handedBack(complaint: string): Unreadable {
  return { kind: 'unreadable', reason: 'invalid', complaint };
}

function checked<T extends Commented>(
  reply: CurrentLine,
  value: T,
  problemOf: (value: T) => string | null,
): Understood<Answer<T>> {
  const problem = problemOf(value);
  if (problem !== null) return handedBack(problem);
  return { kind: 'answer', value: { value, seq: reply.seq }, comment: value.comment ?? null };
}
