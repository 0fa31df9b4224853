import { localDay } from '../lib/clock.js';
import { cutMiddle } from '../lib/cut.js';
import { estimateTokens } from '../lib/tokens.js';
import { ModelError } from '../ports.js';
import type { CurrentLine } from '../records.js';
import { rowOf, type Attempt } from './attempt.js';
import { scratchTranscript } from './history.js';
import { LlmClient } from './llm-client.js';
import { stripReasoning } from './reasoning.js';

/** What is summarised, and what becomes of the cost. */
export interface SummaryOrder {
  /** The system prompt of the exchange: what the summary must hold. */
  instructions: string;
  lines: readonly CurrentLine[];
  /** The most tokens of text that one request may carry. */
  capacity: number;
  purpose: 'compression' | 'final';
}

const BETWEEN_PIECES = 'Summary of what came before:';

/**
 * Has the model summarise messages in an exchange of its own: the running history stays as it is and is sent
 * once, as text, in several pieces where it is larger than the context. Null: the model said nothing.
 * Throws what `Model.ask` throws. Every call is counted, also one that failed.
 */
export async function summarise(attempt: Attempt, order: SummaryOrder): Promise<string | null> {
  let summary: string | null = null;
  for (const piece of pieces(order.lines, order.capacity)) {
    const text: string = summary === null ? piece : `${BETWEEN_PIECES}\n${summary}\n\n${piece}`;
    summary = await exchange(attempt, order, text);
    if (summary === null) return null;
  }
  return summary;
}

async function exchange(attempt: Attempt, order: SummaryOrder, text: string): Promise<string | null> {
  const client = new LlmClient(attempt.model, scratchTranscript(), attempt.agent.signal);
  client.sendSystemPrompt(order.instructions);
  client.sendUserMessage(`<conversation>\n${text}\n</conversation>\n\nWrite the summary now.`);
  try {
    const reply = await client.getResponse();
    const said = attempt.agent.redact(stripReasoning(reply.text)).trim();
    spend(attempt, order.purpose, { calls: reply.calls, tokens: reply.tokens });
    return said === '' ? null : said;
  } catch (error) {
    if (error instanceof ModelError) spend(attempt, order.purpose, { calls: error.details.calls, tokens: 0 });
    throw error;
  }
}

/** The final summary is outside `max_llm_process_num`; tokens are counted wherever they go. */
function spend(attempt: Attempt, purpose: SummaryOrder['purpose'], cost: { calls: number; tokens: number }): void {
  const { store, clock } = attempt.agent;
  const { llmCallCount, totalTokens, compressionTokens } = rowOf(attempt);
  store.attempts.update(attempt.uuid, {
    totalTokens: totalTokens + cost.tokens,
    ...(purpose === 'compression' && {
      llmCallCount: llmCallCount + cost.calls,
      compressionTokens: compressionTokens + cost.tokens,
    }),
  });
  store.usage.add(localDay(clock.now()), cost.tokens);
}

/** The messages as text, in as few pieces as the capacity allows; one that is too long alone is cut in its middle. */
function pieces(lines: readonly CurrentLine[], capacity: number): string[] {
  const found: { text: string; tokens: number }[] = [];
  for (const line of lines) {
    const text = cutMiddle(asText(line), Math.floor(capacity / 2));
    const tokens = estimateTokens(text) + 1;
    const last = found.at(-1);
    if (last && last.tokens + tokens <= capacity) {
      last.text += `\n\n${text}`;
      last.tokens += tokens;
    } else found.push({ text, tokens });
  }
  return found.map((piece) => piece.text);
}

function asText({ role, content, toolCalls = [] }: CurrentLine): string {
  const calls = toolCalls.map(
    (call) => `call: ${call.tool} ${call.args ? JSON.stringify(call.args) : (call.raw ?? '')}`,
  );
  return [`[${role}]`, content, ...calls].filter(Boolean).join('\n');
}
