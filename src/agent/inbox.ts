import { createHash } from 'node:crypto';
import { readMarker } from '../report/marker.js';
import { ForgeError, type Comment } from '../ports.js';
import type { CommentFate, Conversation, SeenComment } from '../records.js';
import type { News } from '../task/comments-prompt.js';
import { taskName } from '../task/key.js';
import { sanitizeForeign } from '../task/sanitize.js';
import { readCommand, type ThreadCommand } from '../task/thread-command.js';
import { forgeOf, whoWeAre, type Agent, type Self } from './agent.js';
import { counts, isTrusted, sameLogin } from './trust.js';

/** What came in since the thread was last read, sorted by what is to become of it. */
export interface Mail {
  /** Comments of people who count, oldest first: to be shown to the model and then recorded as read. */
  fresh: Comment[];
  /** `/agent …` by trusted people. */
  commands: { comment: Comment; command: ThreadCommand }[];
  /** Everything else, recorded as it is: own comments, bots, people who do not count. */
  others: SeenComment[];
  /** Comments whose author's access could not be asked now: the next look reads them again. */
  undecided: Comment[];
}

export const NO_MAIL: Readonly<Mail> = { fresh: [], commands: [], others: [], undecided: [] };

/** Fetches only what is new and says what it is. Throws `ForgeError` where the thread cannot be read. */
export async function fetchMail(agent: Agent, conversation: Conversation): Promise<Mail> {
  const { cursor } = conversation;
  // A reaction moves an old comment up on GitLab: only below the cursor does a known one mean that the rest is known.
  const known = (comment: Comment): boolean => comment.updatedAt < cursor! && wasSeen(agent, conversation, comment);
  const comments = await forgeOf(agent, conversation.key.source).commentsSince(
    conversation.key,
    cursor === null ? null : { updatedAt: cursor, known },
    { reviews: agent.config.commentDetection.includeReviewComments },
  );
  return sortMail(
    agent,
    conversation,
    comments.filter((comment) => !wasSeen(agent, conversation, comment)),
  );
}

/** Who wrote what, and does it count? What cannot be decided now holds nobody else up. */
export async function sortMail(agent: Agent, conversation: Conversation, comments: Comment[]): Promise<Mail> {
  const self = await whoWeAre(agent, conversation.key.source);
  const mail: Mail = { fresh: [], commands: [], others: [], undecided: [] };
  keepUpWithReactions(agent, conversation, comments);
  for (const comment of comments) {
    try {
      const fate = await fateOf(agent, conversation, self, comment);
      put(mail, fate === 'read' ? await withTrust(agent, conversation, comment) : comment, fate);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      logUndecided(agent, conversation, comment, error);
      mail.undecided.push(comment);
    }
  }
  return mail;
}

/** Where everybody counts, the model is told whom to trust; somebody who cannot be looked up is a stranger. */
async function withTrust(agent: Agent, conversation: Conversation, comment: Comment): Promise<Comment> {
  if (agent.config.commentHandling.respondTo !== 'anyone') return comment;
  const trusted = await isTrusted(agent, conversation, comment.author).catch((error: unknown) => {
    if (!(error instanceof ForgeError)) throw error;
    return false;
  });
  return { ...comment, trusted };
}

/** Below the command the person wrote something else as well. */
export function saysMore({ comment }: Mail['commands'][number]): boolean {
  return readCommand(comment.body)?.rest !== '';
}

function put(mail: Mail, comment: Comment, fate: CommentFate): void {
  if (fate === 'command') mail.commands.push({ comment, command: readCommand(comment.body)!.command });
  else if (fate === 'read') mail.fresh.push(comment);
  else mail.others.push(seenAs(comment, fate));
}

function logUndecided(agent: Agent, { id, key }: Conversation, comment: Comment, { message }: ForgeError): void {
  const task = agent.store.attempts.unsettledOf(id)?.uuid ?? taskName(key);
  agent.log.write('warning', `コメント取得中にエラー発生: ${message} (Task: ${task})`, { comment: comment.id });
}

/** Remembers what became of comments, and how far the thread was read: not beyond what is `pending`, so that the next look finds it. */
export function recordMail(
  agent: Agent,
  conversation: Conversation,
  seen: SeenComment[],
  pending: Comment[] = [],
): void {
  if (seen.length === 0) return;
  agent.store.comments.record(conversation.id, seen);
  const latest = seen.map((comment) => comment.updatedAt).reduce((a, b) => (a > b ? a : b));
  const newest = pending.map((comment) => comment.updatedAt).reduce((a, b) => (a < b ? a : b), latest);
  if (conversation.cursor === null || newest > conversation.cursor) {
    agent.store.conversations.update(conversation.id, { cursor: newest });
    conversation.cursor = newest;
  }
}

export function seenAs(comment: Comment, fate: CommentFate): SeenComment {
  return { kind: comment.kind, id: comment.id, updatedAt: comment.updatedAt, fate, bodyHash: hashOf(comment.body) };
}

/** What the message that tells news carries: the rows of what is told by it, and of what is only recorded. */
export function rowsOf({ told, untold }: Pick<News, 'told' | 'untold'>): {
  comment_ids?: string[];
  comments?: SeenComment[];
} {
  if (told.length + untold.length === 0) return {};
  const comments = [
    ...told.map((comment) => seenAs(comment, 'read')),
    ...untold.map((comment) => seenAs(comment, 'skipped')),
  ];
  return { comment_ids: told.map((comment) => comment.id), comments };
}

function hashOf(body: string): string {
  return createHash('sha256').update(body).digest('base64url');
}

/** Ours: its id is recorded, or it is by our account and carries the marker of an attempt we know. */
export function isOurs(agent: Agent, conversation: Conversation, self: Self, comment: Comment): boolean {
  if (comment.kind === 'comment' && agent.store.outbox.hasComment(conversation.id, comment.id)) return true;
  if (self.login !== null && !sameLogin(comment.author, self.login)) return false;
  if (self.login !== null && self.configured) return true;
  const mark = readMarker(comment.body);
  return mark !== null && agent.store.attempts.get(mark.attempt) !== null;
}

async function fateOf(agent: Agent, conversation: Conversation, self: Self, comment: Comment): Promise<CommentFate> {
  if (isOurs(agent, conversation, self, comment)) return 'own';
  if (comment.bot || !sanitizeForeign(comment.body).trim()) return 'ignored'; // nobody, or nothing that anybody sees
  if (readCommand(comment.body)) return (await isTrusted(agent, conversation, comment.author)) ? 'command' : 'ignored';
  return (await counts(agent, conversation, comment.author)) ? 'read' : 'ignored';
}

/** What was only reacted to has a new time on GitLab; whoever compares times is to find it unchanged. */
function keepUpWithReactions({ store }: Agent, { id }: Conversation, comments: Comment[]): void {
  const moved = comments.flatMap((comment): SeenComment[] => {
    const seen = store.comments.fateOf(id, comment);
    const same = seen?.bodyHash === hashOf(comment.body) && seen.updatedAt !== comment.updatedAt;
    return same ? [{ ...seen, updatedAt: comment.updatedAt }] : [];
  });
  if (moved.length > 0) store.comments.record(id, moved);
}

/** Told by what it says: a reaction changes the time on GitLab, and an edit within the second does not on GitHub. */
export function wasSeen(agent: Agent, conversation: Conversation, comment: Comment): boolean {
  const seen = agent.store.comments.fateOf(conversation.id, comment);
  if (!seen?.bodyHash) return seen?.updatedAt === comment.updatedAt;
  return seen.bodyHash === hashOf(comment.body);
}
