import type { Comment } from '../ports.js';
import { readCommand } from './thread-command.js';
import { cutMiddle } from '../lib/cut.js';
import { sanitizeForeign } from './sanitize.js';
import { HEAD_TOKENS, selectComments } from './select-comments.js';

const SHARE_OF_CONTEXT = 0.25;
const LEAST_TOKENS = 100;

/** What is said of new comments, and which of them found no room. */
export interface News {
  text: string;
  told: Comment[];
  untold: Comment[];
}

/** New comments in exactly the form the contract gives. What would crowd out the context is shortened, then left out. */
export function tellNews(comments: Comment[], contextLength: number): News {
  const all = contextLength * SHARE_OF_CONTEXT;
  const longest = Math.max(LEAST_TOKENS, Math.floor(all / comments.length) - HEAD_TOKENS);
  const { kept, skipped } = selectComments(comments, { all, longest });
  const left = `\n\n(${skipped.length} earlier comments are left out: there is no room for them.)`;
  return { text: formOf(kept, longest) + (skipped.length > 0 ? left : ''), told: kept, untold: skipped };
}

function formOf(comments: Comment[], longest: number): string {
  const [only] = comments;
  if (comments.length === 1 && only) return `[New Comment from @${only.author}]:\n${bodyOf(only, longest)}`;
  const parts = comments.map(
    (comment, index) =>
      `Comment ${index + 1} from @${comment.author} (${comment.updatedAt}):\n${bodyOf(comment, longest)}`,
  );
  return ['[New Comments Detected]:', ...parts].join('\n\n');
}

/** A comment's own words, without what cannot be seen, and where in a change it stands. */
export function bodyOf(comment: Comment, maxTokens: number): string {
  const place = comment.path ? `(${comment.path}${comment.line ? `:${comment.line}` : ''})\n` : '';
  return place + cutMiddle(sanitizeForeign(readCommand(comment.body)?.rest ?? comment.body), maxTokens);
}
