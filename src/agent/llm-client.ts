import { estimateMessages, estimateTokens } from '../lib/tokens.js';
import type { AskRequest, ChatMessage, Model, Reply, ToolSpec } from '../ports.js';
import type { CurrentLine } from '../records.js';
import type { Transcript } from './history.js';
import { repaired } from './native-calls.js';

export interface LlmReply extends Reply {
  /** The line of the history it became. */
  line: CurrentLine;
  /** What it cost: the provider's own count, or our estimate of request and reply where it gives none. */
  tokens: number;
}

export interface GetResponseOptions {
  tools?: ToolSpec[];
  schema?: AskRequest['schema'];
  /** What the next request is known to weigh; estimated here where nobody knows better. */
  estimatedTokens?: number;
  onRetry?: AskRequest['onRetry'];
}

/** The three methods through which everything talks to a model, whatever the provider. */
export class LlmClient {
  constructor(
    private readonly model: Model,
    private readonly transcript: Transcript,
    private readonly signal: AbortSignal,
  ) {}

  sendSystemPrompt(text: string): void {
    this.transcript.append({ role: 'system', content: text });
  }

  sendUserMessage(text: string): void {
    this.transcript.append({ role: 'user', content: text });
  }

  /** Asks over the whole transcript and adds the reply to it. Throws what `Model.ask` throws, and then adds nothing. */
  async getResponse(options: GetResponseOptions = {}): Promise<LlmReply> {
    const messages = this.transcript.messages.map(chatMessage);
    const estimatedTokens = options.estimatedTokens ?? estimateMessages(messages) + weighTools(options.tools);
    const reply = await this.model.ask({
      messages,
      estimatedTokens,
      signal: this.signal,
      ...(options.tools && { tools: options.tools }),
      ...(options.schema && { schema: options.schema }),
      ...(options.onRetry && { onRetry: options.onRetry }),
    });
    const tokens = tokensOf(reply, estimatedTokens);
    const line = this.transcript.append({
      role: 'assistant',
      content: reply.text,
      toolCalls: reply.toolCalls.map(repaired),
      finish: reply.finish,
      calls: reply.calls,
      ...(reply.usage
        ? { usage: { prompt: reply.usage.promptTokens, completion: reply.usage.completionTokens } }
        : { estimated: tokens }),
    });
    return { ...reply, line, tokens };
  }
}

function tokensOf({ usage, text, toolCalls }: Reply, requestTokens: number): number {
  if (usage) return usage.promptTokens + usage.completionTokens;
  return requestTokens + estimateMessages([{ role: 'assistant', content: text, toolCalls }]);
}

/** What the tool list adds to a request. */
export function weighTools(tools: ToolSpec[] | undefined): number {
  return tools ? estimateTokens(JSON.stringify(tools)) : 0;
}

function chatMessage({ role, content, toolCalls, toolCallId }: CurrentLine): ChatMessage {
  return { role, content, ...(toolCalls && { toolCalls }), ...(toolCallId && { toolCallId }) };
}
