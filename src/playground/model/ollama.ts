import { estimateMessages, estimateTokens } from '../../lib/tokens.js';
import type { ChatMessage } from '../../ports.js';
import {
  type Behaviour,
  callId,
  type ChatDialect,
  fromWire,
  type HttpAnswer,
  isRecord,
  type Parsed,
  promptTokens,
  rolesAlternate,
  toWire,
} from './dialect.js';
import type { Spoken } from './steps.js';

interface Body {
  model?: string;
  messages?: WireMessage[];
  tools?: { function: { name: string } }[];
  format?: unknown;
  stream?: boolean;
  options?: { num_ctx?: number };
}

interface WireMessage {
  role: ChatMessage['role'];
  content?: string;
  tool_calls?: { function: { name: string; arguments: Record<string, unknown> } }[];
}

const DEFAULT_NUM_CTX = 4096;

/** Ollama's `/api/chat`. A prompt above `num_ctx` loses its oldest messages without a word. */
export const ollamaDialect: ChatDialect = { provider: 'ollama', parse, refuse, answer, overflow };

function parse(body: Body): Parsed {
  const messages = (body.messages ?? []).map(readMessage);
  const kept = shortened(messages, body.options?.num_ctx ?? DEFAULT_NUM_CTX);
  return {
    model: body.model ?? '',
    messages: kept,
    tools: body.tools?.map((tool) => fromWire(tool.function.name)) ?? null,
    schema: isRecord(body.format) ? body.format : null,
    promptTokens: promptTokens(kept, body.tools),
  };
}

function readMessage({ role, content, tool_calls }: WireMessage, index: number): ChatMessage {
  const calls = tool_calls?.map((call, n) => ({
    id: `${index}.${n}`,
    tool: fromWire(call.function.name),
    args: call.function.arguments,
  }));
  return { role, content: content ?? '', ...(calls && { toolCalls: calls }) };
}

function shortened(messages: ChatMessage[], numCtx: number): ChatMessage[] {
  const kept = [...messages];
  while (kept.length > 1 && estimateMessages(kept) > numCtx) {
    const oldest = kept.findIndex((message) => message.role !== 'system');
    if (oldest === -1 || oldest === kept.length - 1) break;
    kept.splice(oldest, 1);
  }
  return kept;
}

function refuse(body: Body, parsed: Parsed, behaviour: Behaviour): HttpAnswer | null {
  if (parsed.model !== behaviour.model) return error(404, `model '${parsed.model}' not found`);
  if (body.tools && !behaviour.takesTools) return error(400, `${behaviour.model} does not support tools`);
  if (body.format && !behaviour.takesSchema) return error(400, 'invalid format: expected "json" or ""');
  if (body.tools?.some(({ function: { name } }) => !name)) return error(400, 'invalid tool');
  if (behaviour.strictRoles && !rolesAlternate(parsed.messages)) return error(500, 'conversation roles must alternate');
  return null;
}

function error(status: number, message: string): HttpAnswer {
  return { status, body: { error: message } };
}

function answer(spoken: Spoken, parsed: Parsed, body: Body): HttpAnswer {
  const message = messageOf(spoken, parsed, body);
  const head = { model: parsed.model, created_at: '2026-01-01T00:00:00Z' };
  const end = { done: true, done_reason: spoken.finish === 'length' ? 'length' : 'stop', ...countsOf(spoken, parsed) };
  if (body.stream === false) return { status: 200, body: { ...head, message, ...end } };
  const pieces = inPieces(message.content).map((content) => ({
    ...head,
    message: { role: 'assistant', content },
    done: false,
  }));
  const rest = { ...head, message: { ...message, content: '' }, done: false };
  const last = { ...head, message: { role: 'assistant', content: '' }, ...end };
  return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, body: [...pieces, rest, last] };
}

function messageOf(spoken: Spoken, parsed: Parsed, body: Body) {
  const offered = body.tools?.map((tool) => tool.function.name) ?? [];
  const calls = spoken.calls.map(({ tool, args }, index) => ({
    id: callId(parsed, index),
    function: { name: toWire(tool, offered), arguments: args },
  }));
  return {
    role: 'assistant',
    content: spoken.text,
    ...(spoken.reasoning && { thinking: spoken.reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function inPieces(text: string): string[] {
  return text.match(/[\s\S]{1,40}/gu) ?? [];
}

function countsOf(spoken: Spoken, parsed: Parsed): Record<string, number> {
  if (spoken.usage === null) return {};
  return {
    prompt_eval_count: spoken.usage?.promptTokens ?? parsed.promptTokens,
    eval_count: spoken.usage?.completionTokens ?? estimateTokens(spoken.text + JSON.stringify(spoken.calls)),
  };
}

/** No error: the answer of a model that saw only a small part. */
function overflow(parsed: Parsed, body: Body): HttpAnswer {
  const usage = { promptTokens: Math.max(1, Math.floor(parsed.promptTokens * 0.3)), completionTokens: 1 };
  return answer(
    { text: 'What can I do for you?', calls: [], finish: 'stop', reasoning: undefined, usage },
    parsed,
    body,
  );
}
