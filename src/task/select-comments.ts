import { estimateTokens } from '../lib/tokens.js';
import type { Comment } from '../ports.js';

export interface Selection {
  kept: Comment[];
  skipped: Comment[];
}

/** Tokens; `longest`: what a comment is cut to where it is shown. */
export interface Room {
  all: number;
  longest: number;
}

/** Who said it and when. */
export const HEAD_TOKENS = 40;

/** The newest comments that find room, in their order; a long one weighs what is shown of it. */
export function selectComments(comments: Comment[], { all, longest }: Room): Selection {
  let room = all;
  let first = comments.length;
  while (first > 0) {
    room -= Math.min(longest, estimateTokens(comments[first - 1]!.body)) + HEAD_TOKENS;
    if (room < 0) break;
    first--;
  }
  return { kept: comments.slice(first), skipped: comments.slice(0, first) };
}
