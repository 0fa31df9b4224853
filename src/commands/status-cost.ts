import type { LlmConfig } from '../config/config.js';
import type { MessageLine } from '../records.js';

const MILLION = 1_000_000;

/** What an attempt cost in US dollars; tokens without a count of their own (summaries) are taken for prompt tokens. */
export function costOf(lines: MessageLine[], totalTokens: number, price: NonNullable<LlmConfig['price']>): number {
  let prompt = 0;
  let completion = 0;
  for (const { usage } of lines) {
    prompt += usage?.prompt ?? 0;
    completion += usage?.completion ?? 0;
  }
  const others = Math.max(0, totalTokens - prompt - completion);
  return ((prompt + others) * price.input + completion * price.output) / MILLION;
}
