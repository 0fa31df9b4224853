import { createHash } from 'node:crypto';
import { estimateMessages, estimateTokens } from '../../lib/tokens.js';
import type { ChatMessage } from '../../ports.js';
import type { CannedRequest, Spoken } from './steps.js';

/** How the canned server is to behave, whatever the script says. */
export interface Behaviour {
  /** What `/v1` pretends to be; Ollama's paths are always there. */
  dialect: 'openai' | 'lmstudio';
  model: string;
  contextLength: number;
  apiKey: string | null;
  takesTools: boolean;
  takesSchema: boolean;
  /** Roles that do not alternate are refused, as strict chat templates do. */
  strictRoles: boolean;
}

export interface HttpAnswer {
  status: number;
  headers?: Record<string, string>;
  /** A list goes out as lines of JSON, one after the other. */
  body: unknown;
}

export type Parsed = Omit<CannedRequest, 'n' | 'provider'> & { model: string; promptTokens: number };

/** One way of speaking: how a request is read and checked, and how an answer and an overflow look. */
export interface ChatDialect {
  provider: CannedRequest['provider'];
  parse(body: Record<string, unknown>): Parsed;
  /** Null: a real server would take it. */
  refuse(body: Record<string, unknown>, parsed: Parsed, behaviour: Behaviour): HttpAnswer | null;
  answer(spoken: Spoken, parsed: Parsed, body: Record<string, unknown>): HttpAnswer;
  overflow(parsed: Parsed, body: Record<string, unknown>, behaviour: Behaviour): HttpAnswer;
}

/** `server__tool` as it was before it went on the wire. */
export function fromWire(name: string): string {
  return name.replace('__', '/');
}

export function toWire(name: string, offered: string[]): string {
  const plain = name.replace('/', '__').replace(/[^A-Za-z0-9_-]/g, '_');
  return offered.find((wire) => wire === plain) ?? offered.find((wire) => wire.startsWith(plain.slice(0, 50))) ?? plain;
}

export function promptTokens(messages: ChatMessage[], tools: unknown): number {
  return estimateMessages(messages) + (tools ? estimateTokens(JSON.stringify(tools)) : 0);
}

/** The same for the same conversation, so that a client that asks again is told the same. */
export function callId(parsed: Parsed, index: number): string {
  const mark = createHash('sha256').update(JSON.stringify(parsed.messages)).digest('hex').slice(0, 12);
  return `call_${mark}${index}`;
}

export function rolesAlternate(messages: ChatMessage[]): boolean {
  const turns = messages.filter(
    ({ role, toolCalls }) => role === 'user' || (role === 'assistant' && !toolCalls?.length),
  );
  const systemOnlyFirst = messages.every(({ role }, index) => role !== 'system' || index === 0);
  return systemOnlyFirst && turns.every(({ role }, index) => role === (index % 2 === 0 ? 'user' : 'assistant'));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
