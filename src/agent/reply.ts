import type { ErrorObject } from 'ajv';
import type { Reply, ToolCall } from '../ports.js';
import { type Candidate, extract, type Extract } from './extract-json.js';
import { readNativeCalls } from './native-calls.js';
import { unreadable, type Unreadable } from './reply-complaints.js';
import { type JsonReply, normalised, validJsonReply } from './reply-schema.js';
import { stripReasoning } from './reasoning.js';

/** What a reply says. What is `unreadable` is never carried out; its complaint goes back to the model. */
export type Reading = Act | Done | Unreadable;

export interface Act {
  kind: 'act';
  comment: string | null;
  calls: ToolCall[];
  /** `done` came along with the calls: they run, it does not count, and the model is to be told. */
  ignoredDone: boolean;
}

export interface Done {
  kind: 'done';
  comment: string | null;
}

/** Makes sense of a reply, whatever way it came: native calls, JSON, or JSON between prose, fences and reasoning. */
export function readReply(reply: Pick<Reply, 'text' | 'toolCalls' | 'finish'>): Reading {
  if (reply.finish === 'length') return unreadable.cut();
  return reply.toolCalls.length > 0 ? readNative(reply.toolCalls, reply.text) : readText(extract(reply.text));
}

/** A validator as ajv makes them, at run time or at build time. */
export interface Validator<T> {
  (value: unknown): value is T;
  errors?: ErrorObject[] | null;
}

/** Looks in a reply for JSON of another shape (a plan, a reflection); the complaint says what does not fit. */
export function readShape<T>(
  text: string,
  validate: Validator<T>,
  finish: Reply['finish'] = 'stop',
): { ok: true; value: T } | { ok: false; complaint: string } {
  const found = extract(text);
  if (finish === 'length' || found.cut) return { ok: false, complaint: unreadable.cut().complaint };
  const values = found.candidates.flatMap(({ value }) => (Array.isArray(value) ? lastFirst(value) : [value]));
  for (const value of values) if (validate(value)) return { ok: true, value };
  if (values.length === 0)
    return { ok: false, complaint: (found.empty ? unreadable.emptyShape() : unreadable.noShape()).complaint };
  validate(values[0]);
  return { ok: false, complaint: unreadable.misshapen(validate.errors).complaint };
}

function lastFirst(list: unknown[]): unknown[] {
  return [...list].reverse();
}

function readNative(toolCalls: ToolCall[], text: string): Reading {
  const calls = readNativeCalls(toolCalls);
  if (!calls) return unreadable.cut();
  const others = calls.filter((call) => call.tool !== 'done');
  const beside = commentBeside(text);
  const written = readText(extract(text));
  if (others.length > 0) {
    const ignoredDone = others.length < calls.length || written.kind === 'done';
    return { kind: 'act', comment: beside, calls: others, ignoredDone };
  }
  if (written.kind === 'act') return { ...written, ignoredDone: true };
  return { kind: 'done', comment: textOf(calls[0]?.args?.['comment']) ?? beside };
}

/** Text beside calls is the comment; some models put it in the JSON protocol all the same. */
function commentBeside(text: string): string | null {
  const best = extract(text).candidates[0];
  const reply = best?.alone ? normalised(best.value) : null;
  return validJsonReply(reply) ? commentOf(reply) : textOf(stripReasoning(text));
}

function readText(found: Extract): Reading {
  if (found.empty) return unreadable.empty();
  if (found.cut) return unreadable.cut();
  const readings = found.candidates.map(readCandidate);
  const act = readings.find((reading) => reading.kind === 'act');
  const done = readings.find((reading) => reading.kind === 'done');
  if (act) return { ...act, ignoredDone: act.ignoredDone || done !== undefined };
  return done ?? readings[0] ?? unreadable.prose();
}

function readCandidate({ value, repaired, alone }: Candidate): Reading {
  if (Array.isArray(value)) return readList(value);
  const reading = readObject(value, 1);
  const isMention = reading.kind === 'done' && repaired && !alone && reading.comment === null;
  return isMention ? unreadable.prose() : reading;
}

/** Several commands in a list run in their order; one that cannot be read spoils the list. */
function readList(values: unknown[]): Reading {
  const readings = values.map((value, index) => readObject(value, index + 1));
  const bad = readings.find((reading) => reading.kind === 'unreadable');
  const acts = readings.filter((reading) => reading.kind === 'act');
  if (bad) return bad;
  if (acts.length === 0) return readings[0] ?? unreadable.prose();
  const comments = acts.flatMap((act) => act.comment ?? []);
  return {
    kind: 'act',
    comment: comments.length > 0 ? comments.join('\n\n') : null,
    calls: acts.flatMap((act) => act.calls),
    ignoredDone: acts.some((act) => act.ignoredDone) || acts.length < readings.length,
  };
}

function readObject(value: unknown, position: number): Reading {
  const reply = normalised(value);
  if (!validJsonReply(reply)) return unreadable.invalid(validJsonReply.errors());
  const comment = commentOf(reply);
  const { command } = reply;
  if (command && command.tool !== 'done') {
    const call = { id: `json_${position}`, tool: spelled(command.tool), args: command.args ?? {} };
    return { kind: 'act', comment, calls: [call], ignoredDone: reply.done === true };
  }
  if (command) return { kind: 'done', comment: comment ?? textOf(command.args?.['comment']) };
  if (reply.done === true) return { kind: 'done', comment };
  return comment === null ? unreadable.neither() : unreadable.commentOnly();
}

function commentOf(reply: JsonReply): string | null {
  return textOf(reply.comment) ?? textOf(reply.command?.comment);
}

/** The wire's spelling of a tool, used by models that know both protocols. */
function spelled(tool: string): string {
  return tool.includes('/') ? tool : tool.replace('__', '/');
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
