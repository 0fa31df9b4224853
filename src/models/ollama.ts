import { type ChatRequest, type ChatResponse, type Message, Ollama } from 'ollama';
import type { LlmConfig } from '../config/config.js';
import type { ChatMessage, Model, Reply } from '../ports.js';
import { alternating } from './dialect.js';
import { type Answer, type ModelDeps, modelOver, type Sending } from './exchange.js';
import { RequestFailed } from './failures.js';
import { ollamaFetch } from './ollama-fetch.js';
import { patientFetch } from './patient-fetch.js';
import { replyRoom } from './reply-room.js';
import { offeredFunctions, type RawCall, readToolCalls, shownArguments } from './tool-calls.js';
import { type ToolNames, toolNames } from './tool-names.js';

/** Ollama over its native API. Streams, so that a lost connection or an abort shows at once and not after the reply. */
export function createOllama(config: LlmConfig, deps: ModelDeps): Model {
  const fetch = deps.fetch ?? patientFetch();
  const clientFor = (signal: AbortSignal) => connect(config, ollamaFetch(fetch, signal, deps.clock));
  return modelOver(
    {
      send: (sending) => chat(clientFor(sending.signal), config, sending),
      takesTools: (signal) => takesTools(clientFor(signal), config.model),
    },
    config,
    deps,
  );
}

function connect(config: LlmConfig, fetch: typeof globalThis.fetch): Ollama {
  const headers = config.apiKey ? { Authorization: `Bearer ${config.apiKey}` } : {};
  return new Ollama({ host: config.url, fetch, headers });
}

async function chat(client: Ollama, config: LlmConfig, sending: Sending): Promise<Answer> {
  const names = toolNames(sending.tools ?? []);
  const heard = await listen(client, bodyOf(config, sending, names));
  expectWholePrompt(heard.last, sending.estimatedTokens, config.contextLength);
  const toolCalls = readToolCalls(heard.calls, names);
  return { text: heard.text, toolCalls, finish: finishOf(heard.last, toolCalls.length), usage: usageOf(heard.last) };
}

function bodyOf(config: LlmConfig, sending: Sending, names: ToolNames): ChatRequest & { stream: true } {
  const { tools, schema, estimatedTokens, nativeTools } = sending;
  const messages = alternating(sending.messages, { nativeTools });
  return {
    model: config.model,
    messages: wireMessages(messages, names),
    stream: true,
    options: { num_ctx: config.contextLength, num_predict: replyRoom(config, estimatedTokens) },
    ...(tools && { tools: offeredFunctions(tools, names) }),
    ...(schema && { format: schema.schema }),
  };
}

/** Results are told by the tool's name here, not by the call's id. */
function wireMessages(messages: ChatMessage[], names: ToolNames): Message[] {
  const tools = new Map(messages.flatMap(({ toolCalls = [] }) => toolCalls).map(({ id, tool }) => [id, tool]));
  return messages.map(({ role, content, toolCalls, toolCallId }) => ({
    role,
    content,
    ...(role === 'tool' && { tool_name: names.toWire(tools.get(toolCallId ?? '') ?? '') }),
    ...(toolCalls?.length && {
      tool_calls: toolCalls.map((call) => ({
        function: { name: names.toWire(call.tool), arguments: shownArguments(call) },
      })),
    }),
  }));
}

interface Heard {
  text: string;
  calls: RawCall[];
  /** The line that ends the stream, with the counts. */
  last: ChatResponse;
}

async function listen(client: Ollama, body: ChatRequest & { stream: true }): Promise<Heard> {
  let text = '';
  const calls: RawCall[] = [];
  try {
    for await (const part of await client.chat(body)) {
      text += part.message?.content ?? '';
      for (const call of part.message?.tool_calls ?? []) calls.push(rawCall(call));
      if (part.done) return { text, calls, last: part };
    }
  } catch (error) {
    throw asFailure(error);
  }
  throw new RequestFailed('the answer ended before it was complete', {});
}

function rawCall(call: { id?: string; function?: { name?: string; arguments?: unknown } } | null): RawCall {
  return { id: call?.id, name: call?.function?.name, args: call?.function?.arguments };
}

function asFailure(error: unknown): RequestFailed {
  if (error instanceof RequestFailed) return error;
  return new RequestFailed(error instanceof Error ? error.message : String(error), { cause: error });
}

/** A prompt that does not fit is shortened without a word: only the count of what was read gives it away. */
function expectWholePrompt(last: ChatResponse, estimatedTokens: number, contextLength: number): void {
  const read = last.prompt_eval_count;
  if (!read || estimatedTokens <= contextLength / 10 || read >= estimatedTokens * 0.6) return;
  throw new RequestFailed(`the prompt was shortened: ${read} tokens read of about ${estimatedTokens}`, {
    status: 200,
    code: 'context_length_exceeded',
  });
}

function finishOf(last: ChatResponse, calls: number): Reply['finish'] {
  if (last.done_reason === 'length') return 'length';
  return calls > 0 ? 'tool_calls' : 'stop';
}

function usageOf(last: ChatResponse): Reply['usage'] {
  if (!last.prompt_eval_count) return null;
  return { promptTokens: last.prompt_eval_count, completionTokens: last.eval_count ?? 0 };
}

/** Servers from before `capabilities` are taken at the word of their template; what nothing tells, the first request will. */
async function takesTools(client: Ollama, model: string): Promise<boolean> {
  try {
    const { capabilities, template } = await client.show({ model });
    return capabilities?.includes('tools') ?? template?.includes('.Tools') ?? true;
  } catch (error) {
    const failure = asFailure(error);
    if (hasNoSuchRoute(failure, model)) return true;
    throw failure;
  }
}

/** An unknown model is a 404 as well, and named in it. */
function hasNoSuchRoute({ facts, message }: RequestFailed, model: string): boolean {
  return facts.status === 404 && !message.includes(model);
}
