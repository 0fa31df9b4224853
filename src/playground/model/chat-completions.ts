import { estimateTokens } from '../../lib/tokens.js';
import type { ChatMessage, ToolCall } from '../../ports.js';
import {
  type Behaviour,
  callId,
  type ChatDialect,
  fromWire,
  type HttpAnswer,
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
  response_format?: { type: string; json_schema?: { schema?: Record<string, unknown> } };
  stream?: boolean;
  max_tokens?: number;
}

interface WireMessage {
  role: ChatMessage['role'];
  content?: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** OpenAI's `/v1/chat/completions`, or LM Studio's. */
export function chatCompletionsDialect(provider: 'openai' | 'lmstudio'): ChatDialect {
  const refusal = provider === 'openai' ? openAiError : bareError;
  return {
    provider,
    parse: (body) => parse(body),
    refuse: (body, parsed, behaviour) => {
      const complaint = complaintAbout(body, parsed, behaviour, provider);
      return complaint && refusal(complaint);
    },
    answer: (spoken, parsed, body) => completion(spoken, parsed, body),
    overflow: (parsed, _body, behaviour) => refusal(tooLong(parsed, behaviour, provider)),
  };
}

interface Complaint {
  status: number;
  message: string;
  code?: string;
  param?: string;
}

function openAiError({ status, message, code, param }: Complaint): HttpAnswer {
  const type = 'invalid_request_error';
  return { status, body: { error: { message, type, param: param ?? null, code: code ?? null } } };
}

function bareError({ status, message }: Complaint): HttpAnswer {
  return { status, body: { error: message } };
}

function parse(body: Body): Parsed {
  const messages = (body.messages ?? []).map(readMessage);
  return {
    model: body.model ?? '',
    messages,
    tools: body.tools?.map((tool) => fromWire(tool.function.name)) ?? null,
    schema: body.response_format?.json_schema?.schema ?? null,
    promptTokens: promptTokens(messages, body.tools),
  };
}

function readMessage({ role, content, tool_calls, tool_call_id }: WireMessage): ChatMessage {
  return {
    role,
    content: content ?? '',
    ...(tool_calls && { toolCalls: tool_calls.map(readCall) }),
    ...(tool_call_id && { toolCallId: tool_call_id }),
  };
}

function readCall({
  id,
  function: { name, arguments: raw },
}: {
  id: string;
  function: { name: string; arguments: string };
}): ToolCall {
  try {
    return { id, tool: fromWire(name), args: JSON.parse(raw) as Record<string, unknown> };
  } catch {
    return { id, tool: fromWire(name), args: null, raw };
  }
}

function complaintAbout(body: Body, parsed: Parsed, behaviour: Behaviour, provider: string): Complaint | null {
  const { messages } = parsed;
  if (parsed.model !== behaviour.model) {
    return { status: 404, message: `The model \`${parsed.model}\` does not exist`, code: 'model_not_found' };
  }
  if (messages.length === 0) return { status: 400, message: 'Empty messages', param: 'messages' };
  if (body.stream) return { status: 400, message: 'This server does not stream', param: 'stream' };
  return (
    formatComplaint(body, behaviour, provider) ?? toolComplaint(body, behaviour) ?? orderComplaint(messages, behaviour)
  );
}

function formatComplaint(
  { response_format, max_tokens }: Body,
  behaviour: Behaviour,
  provider: string,
): Complaint | null {
  if (provider === 'openai' && max_tokens) {
    return {
      status: 400,
      message: "Use 'max_completion_tokens' instead",
      code: 'unsupported_parameter',
      param: 'max_tokens',
    };
  }
  if (provider === 'lmstudio' && response_format?.type === 'json_object') {
    return { status: 400, message: "'response_format.type' must be 'json_schema' or 'text'" };
  }
  if (!response_format || behaviour.takesSchema) return null;
  return {
    status: 400,
    message: "Invalid parameter: 'response_format' of type 'json_schema' is not supported",
    param: 'response_format',
  };
}

function toolComplaint({ tools }: Body, behaviour: Behaviour): Complaint | null {
  if (!tools) return null;
  if (!behaviour.takesTools) return { status: 400, message: 'This model does not support tools', param: 'tools' };
  const bad = tools.findIndex((tool) => !/^[a-zA-Z0-9_-]{1,64}$/.test(tool.function.name));
  if (bad === -1) return null;
  const param = `tools[${bad}].function.name`;
  return { status: 400, message: `Invalid '${param}': string does not match pattern`, code: 'invalid_value', param };
}

/** Every result follows its call, and every call is answered before anything else is said. */
function orderComplaint(messages: ChatMessage[], behaviour: Behaviour): Complaint | null {
  let open = new Set<string>();
  for (const [index, { role, toolCalls, toolCallId = '' }] of messages.entries()) {
    const param = `messages.[${index}].role`;
    if (role === 'tool' && !open.delete(toolCallId)) {
      return {
        status: 400,
        param,
        message: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
      };
    }
    if (role !== 'tool' && open.size > 0) {
      return {
        status: 400,
        param,
        message: `These tool_call_ids did not have response messages: ${[...open].join(', ')}`,
      };
    }
    if (role === 'assistant') open = new Set(toolCalls?.map((call) => call.id));
  }
  if (!behaviour.strictRoles || rolesAlternate(messages)) return null;
  return {
    status: 400,
    message: 'Error rendering prompt with jinja template: "Conversation roles must alternate user/assistant"',
  };
}

function tooLong(parsed: Parsed, { contextLength }: Behaviour, provider: string): Complaint {
  const { promptTokens: tokens } = parsed;
  if (provider === 'openai') {
    const message = `This model's maximum context length is ${contextLength} tokens, but your messages have ${tokens} tokens.`;
    return { status: 400, message, code: 'context_length_exceeded', param: 'messages' };
  }
  const message =
    `Trying to keep the first ${tokens} tokens when context the overflows. However, the model is loaded with context ` +
    `length of only ${contextLength} tokens, which is not enough.`;
  return { status: 400, message };
}

function completion(spoken: Spoken, parsed: Parsed, body: Body): HttpAnswer {
  const offered = body.tools?.map((tool) => tool.function.name) ?? [];
  const message = {
    role: 'assistant',
    content: spoken.text === '' && spoken.calls.length > 0 ? null : spoken.text,
    ...(spoken.reasoning && { reasoning_content: spoken.reasoning }),
    ...(spoken.calls.length > 0 && {
      tool_calls: spoken.calls.map(({ tool, args }, index) => ({
        id: callId(parsed, index),
        type: 'function',
        function: { name: toWire(tool, offered), arguments: JSON.stringify(args) },
      })),
    }),
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: spoken.finish }];
  const usage = usageOf(spoken, parsed);
  return {
    status: 200,
    body: { id: 'chatcmpl-canned', object: 'chat.completion', created: 0, model: parsed.model, choices, ...usage },
  };
}

function usageOf(spoken: Spoken, parsed: Parsed): Record<string, unknown> {
  if (spoken.usage === null) return {};
  const prompt_tokens = spoken.usage?.promptTokens ?? parsed.promptTokens;
  const completion_tokens =
    spoken.usage?.completionTokens ?? estimateTokens(spoken.text + JSON.stringify(spoken.calls));
  return { usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens } };
}
