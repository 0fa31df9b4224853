import type OpenAI from 'openai';
import type { LlmConfig } from '../config/config.js';
import type { Model } from '../ports.js';
import { chatCompletions, textOf } from './chat-completions.js';
import { withoutToolRoles } from './dialect.js';
import { type ModelDeps, modelOver } from './exchange.js';
import { RequestFailed } from './failures.js';
import { replyRoom } from './reply-room.js';

/** OpenAI and whatever speaks its protocol: the history goes out as it is. */
export function createOpenAi(config: LlmConfig, deps: ModelDeps): Model {
  const send = chatCompletions(config, deps, {
    arrange: (messages, { nativeTools }) => (nativeTools ? messages : withoutToolRoles(messages)),
    limit: (tokens) => (config.maxToken === null ? {} : { max_completion_tokens: replyRoom(config, tokens) }),
    check: (completion) => expectChoice(completion),
  });
  return modelOver({ send }, config, deps);
}

/** Gateways report what went wrong behind them with status 200 and the real status, or a code, inside. */
function expectChoice(completion: OpenAI.Chat.ChatCompletion): void {
  if (completion.choices?.length) return;
  const { error } = completion as { error?: { message?: string; code?: unknown } | string };
  if (typeof error === 'string') throw new RequestFailed(error, {});
  const inside = typeof error?.code === 'number' ? { status: error.code } : { code: textOf(error?.code) };
  throw new RequestFailed(error?.message ?? 'the answer has no choices', inside);
}
