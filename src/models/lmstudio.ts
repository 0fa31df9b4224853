import type OpenAI from 'openai';
import type { LlmConfig } from '../config/config.js';
import type { Model } from '../ports.js';
import { chatCompletions } from './chat-completions.js';
import { alternating } from './dialect.js';
import { type ModelDeps, modelOver, type Sending } from './exchange.js';
import { isLoading, RequestFailed } from './failures.js';
import { replyRoom } from './reply-room.js';

/** What it answers, with status 200, where the address lacks its `/v1`. */
const UNKNOWN_ROUTE = /unexpected endpoint/i;

/** LM Studio: the OpenAI protocol with strict chat templates and its own ways to say that a prompt is too long. */
export function createLmStudio(config: LlmConfig, deps: ModelDeps): Model {
  const send = chatCompletions(config, deps, {
    arrange: (messages, { nativeTools }) => alternating(messages, { nativeTools }),
    limit: (tokens) => (config.maxToken === null ? {} : { max_tokens: replyRoom(config, tokens) }),
    check: (completion, sending) => expectSubstance(completion, sending, config),
  });
  return modelOver({ send }, config, deps);
}

/** A prompt that does not fit comes back as 200 with an error, or with nothing in it. */
function expectSubstance(completion: OpenAI.Chat.ChatCompletion, sending: Sending, config: LlmConfig): void {
  const { error } = completion as { error?: unknown };
  if (error) throw failed(typeof error === 'string' ? error : JSON.stringify(error));
  if (!completion.choices?.length) throw overflow('the answer has nothing in it');
  if (generatedNothing(completion) && sending.estimatedTokens > config.contextLength / 2) {
    throw overflow('the model wrote nothing, and the prompt fills most of its context');
  }
}

function generatedNothing({ choices, usage }: OpenAI.Chat.ChatCompletion): boolean {
  const message = choices[0]?.message;
  return !message?.content && !message?.tool_calls?.length && !usage?.completion_tokens;
}

function failed(message: string): RequestFailed {
  if (UNKNOWN_ROUTE.test(message)) return new RequestFailed(message, { status: 404 });
  return isLoading(message) ? new RequestFailed(message, { status: 200 }) : overflow(message);
}

function overflow(message: string): RequestFailed {
  return new RequestFailed(message, { status: 200, code: 'context_length_exceeded' });
}
