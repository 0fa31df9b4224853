import type { Comment } from '../ports.js';
import { readCommand } from './thread-command.js';
import { cutMiddle } from '../lib/cut.js';
import { sanitizeForeign } from './sanitize.js';

/** New comments in exactly the form the contract gives; what would crowd out the context is shortened. */
export function formatNewComments(comments: Comment[], contextLength: number): string {
  const room = Math.max(500, Math.floor((contextLength * 0.25) / comments.length)); // tokens for each
  const [only] = comments;
  if (comments.length === 1 && only) return `[New Comment from @${only.author}]:\n${bodyOf(only, room)}`;
  const parts = comments.map(
    (comment, index) =>
      `Comment ${index + 1} from @${comment.author} (${comment.updatedAt}):\n${bodyOf(comment, room)}`,
  );
  return ['[New Comments Detected]:', ...parts].join('\n\n');
}

/** A comment's own words, without what cannot be seen, and where in a change it stands. */
export function bodyOf(comment: Comment, maxTokens: number): string {
  const place = comment.path ? `(${comment.path}${comment.line ? `:${comment.line}` : ''})\n` : '';
  return place + cutMiddle(sanitizeForeign(readCommand(comment.body)?.rest ?? comment.body), maxTokens);
}
