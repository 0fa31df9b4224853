import OpenAI, { APIConnectionError, APIError } from 'openai';
import type { LlmConfig } from '../config/config.js';
import { retryAfterMs } from '../lib/retry.js';
import type { ChatMessage, Reply } from '../ports.js';
import { complaintOf } from './complaint.js';
import type { Answer, ModelDeps, Sending } from './exchange.js';
import { RequestFailed } from './failures.js';
import { isRecord, parsed } from './json.js';
import { patientFetch } from './patient-fetch.js';
import { offeredFunctions, type RawCall, readToolCalls, shownArguments } from './tool-calls.js';
import { type ToolNames, toolNames } from './tool-names.js';

type Body = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;
type Completion = OpenAI.Chat.ChatCompletion;
type WireMessage = OpenAI.Chat.ChatCompletionMessageParam;

/** Where two servers that speak `/chat/completions` differ. */
export interface Manners {
  arrange(messages: ChatMessage[], sending: Sending): ChatMessage[];
  limit(estimatedTokens: number): Partial<Body>;
  /** Looks at a 200 before it is believed; throws `RequestFailed`. */
  check(completion: Completion, sending: Sending): void;
}

/** One request over the OpenAI protocol, sent once. */
export function chatCompletions(config: LlmConfig, deps: ModelDeps, manners: Manners) {
  const client = connect(config, deps);
  return async (sending: Sending): Promise<Answer> => {
    const names = toolNames(sending.tools ?? []);
    const body = bodyOf(config, sending, names, manners);
    const text = await client.chat.completions
      .create(body, { signal: sending.signal })
      .asResponse()
      .then((response) => response.text())
      .catch((error: unknown) => failed(error, deps.clock.now()));
    const completion = readable(text);
    manners.check(completion, sending);
    return answerOf(completion, names);
  };
}

/** Nothing is taken from the environment, and nothing is retried or logged behind our back. */
function connect(config: LlmConfig, deps: ModelDeps): OpenAI {
  return new OpenAI({
    baseURL: config.url,
    apiKey: config.apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: config.timeoutSeconds * 1000 + 1000,
    logLevel: 'off',
    fetch: withPlainRefusals(deps.fetch ?? patientFetch()),
  });
}

/** The client reads nothing of a refusal but `error`: whatever the server says instead is put there. */
function withPlainRefusals(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok) return response;
    return new Response(JSON.stringify({ error: await complaintOf(response) }), response);
  };
}

function bodyOf(config: LlmConfig, sending: Sending, names: ToolNames, manners: Manners): Body {
  const { messages, tools, schema, estimatedTokens } = sending;
  return {
    model: config.model,
    messages: manners.arrange(messages, sending).map((message) => wireMessage(message, names)),
    ...manners.limit(estimatedTokens),
    ...(tools && { tools: offeredFunctions(tools, names) }),
    ...(schema && { response_format: { type: 'json_schema', json_schema: { ...schema, strict: false } } }),
  };
}

function wireMessage(message: ChatMessage, names: ToolNames): WireMessage {
  const { role, content, toolCalls, toolCallId } = message;
  if (role === 'tool') return { role, content, tool_call_id: toolCallId ?? '' };
  if (role !== 'assistant' || !toolCalls?.length) return { role, content };
  return {
    role,
    content: content || null,
    tool_calls: toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: names.toWire(call.tool), arguments: JSON.stringify(shownArguments(call)) },
    })),
  };
}

/** Read by us, since the client goes by the content type, which not every server gives. An empty answer is one with nothing in it. */
function readable(text: string): Completion {
  const completion = parsed(text.trim() || '{}');
  if (!isRecord(completion)) throw new RequestFailed('the answer is no JSON', {});
  return completion as unknown as Completion;
}

function answerOf(completion: Completion, names: ToolNames): Answer {
  const choice = completion.choices?.[0];
  const toolCalls = readToolCalls(callsOf(choice?.message?.tool_calls), names);
  return {
    text: joined(choice?.message?.content) || (choice?.message?.refusal ?? ''),
    toolCalls,
    finish: finishOf(choice?.finish_reason, toolCalls.length),
    usage: usageOf(completion),
  };
}

function callsOf(calls: unknown): RawCall[] {
  const list = (Array.isArray(calls) ? calls : []) as (WireCall | null)[];
  return list
    .filter((call) => call?.type !== 'custom')
    .map((call) => ({ id: call?.id, name: call?.function?.name, args: call?.function?.arguments }));
}

interface WireCall {
  id?: string;
  type?: string;
  function?: { name?: string; arguments?: unknown };
}

/** Some servers answer with a list of parts, as requests may have them. */
function joined(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return (content as { text?: unknown }[]).map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

function finishOf(reason: string | undefined, calls: number): Reply['finish'] {
  if (reason === 'length') return 'length';
  return calls > 0 ? 'tool_calls' : 'stop';
}

function usageOf({ usage }: Completion): Reply['usage'] {
  if (!usage?.prompt_tokens) return null;
  return { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens ?? 0 };
}

function failed(error: unknown, now: number): never {
  if (error instanceof APIError && error.status !== undefined) throw refused(error as APIError, now);
  const cause = error instanceof APIConnectionError ? (error.cause ?? error) : error;
  throw new RequestFailed(cause instanceof Error ? cause.message : String(cause), { cause: error });
}

function refused(error: APIError, now: number): RequestFailed {
  return new RequestFailed(error.message, {
    status: error.status,
    code: textOf(error.code) ?? textOf(error.type),
    param: textOf(error.param),
    retryAfterMs: Number(error.headers?.get('retry-after-ms')) || retryAfterMs(error.headers?.get('retry-after'), now),
    cause: error,
  });
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
