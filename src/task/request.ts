import type { ChangedFile, Comment, Item } from '../ports.js';
import { bodyOf } from './comments-prompt.js';
import { cutMiddle } from '../lib/cut.js';
import { taskName } from './key.js';
import { sanitizeForeign } from './sanitize.js';
import type { Room } from './select-comments.js';

const SHARE_OF_CONTEXT = 0.4;
const SHARE_OF_COMMENT = 0.1;

/** How much of an opening the comments may take. */
export function roomForComments(contextLength: number): Room {
  return { all: contextLength * SHARE_OF_CONTEXT, longest: Math.floor(contextLength * SHARE_OF_COMMENT) };
}

export interface RequestParts {
  item: Item;
  files: ChangedFile[];
  comments: Comment[];
  /** Comments of people who do not count, and older ones there was no room for. */
  leftOut: number;
  contextLength: number;
}

/** The first request: the item and what people who count said about it, each piece fenced with who wrote it. */
export function requestText({ item, files, comments, leftOut, contextLength }: RequestParts): string {
  return [
    itemText(item, contextLength),
    files.length > 0 && changedFiles(files),
    ...comments.map((comment) => commentText(comment, contextLength)),
    leftOut > 0 &&
      `(${leftOut} comments are left out: they are by people who do not count here, or older than there is room for.)`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** The item alone: title, description, labels, branches. */
export function itemText(item: Item, contextLength: number): string {
  const kind = { issue: 'Issue', pull_request: 'Pull request', merge_request: 'Merge request' }[item.key.type];
  const title = sanitizeForeign(item.title).replaceAll('\n', ' ');
  const body = cutMiddle(sanitizeForeign(item.body), Math.floor(contextLength * SHARE_OF_CONTEXT)).trim();
  return [
    `${kind} ${taskName(item.key)}: ${title}`,
    `Author: @${item.author}\nLabels: ${item.labels.join(', ')}${branchLine(item)}`,
    fence('description', item.author, body || '(no description)'),
  ].join('\n\n');
}

function branchLine({ branches }: Item): string {
  return branches ? `\nBranches: ${branches.source} -> ${branches.target}` : '';
}

function changedFiles(files: ChangedFile[]): string {
  const lines = files.map(({ path, status, additions, deletions }) => {
    const size = additions === undefined ? '' : ` (+${additions} -${deletions ?? 0})`;
    return `- ${path}: ${status}${size}`;
  });
  return `Changed files:\n${lines.join('\n')}`;
}

function commentText(comment: Comment, contextLength: number): string {
  const { author, createdAt: at, trusted } = comment;
  return fence('comment', author, bodyOf(comment, roomForComments(contextLength).longest), { at, trusted });
}

/** Text from the thread is data: it is fenced with who wrote it, and cannot close its own fence. */
function fence(
  what: string,
  author: string,
  text: string,
  { at, trusted = true }: { at?: string; trusted?: boolean | undefined } = {},
): string {
  const safe = text.replaceAll(/<(\/?)(description|comment)\b/gi, '< $1$2');
  return `<${what} by="@${author}" trusted="${trusted ? 'yes' : 'no'}"${at ? ` at="${at}"` : ''}>\n${safe}\n</${what}>`;
}
