import type { LlmConfig } from '../config/config.js';

const LEAST = 256;

/** How many tokens a reply may have: `max_token`, and never more than the prompt leaves in the context. */
export function replyRoom(config: LlmConfig, estimatedTokens: number): number {
  const left = Math.max(LEAST, config.contextLength - estimatedTokens);
  return config.maxToken === null ? left : Math.min(config.maxToken, left);
}
