import { estimateTokens } from '../lib/tokens.js';
import type { AttemptRow, Conversation, Post } from '../records.js';
import { openDoor } from '../report/door.js';
import { marker } from '../report/marker.js';
import { sendPosts } from '../report/outbox.js';
import { texts } from '../report/texts.js';
import { keywordIn } from '../task/completion.js';
import type { WaitingDecision } from '../task/waiting.js';
import { taskName } from '../task/key.js';
import { forgeOf, labelsOf, type Agent } from './agent.js';
import { stateChange } from './claim.js';
import { writeLabels } from './write-labels.js';
import { recordMail, seenAs, type Mail } from './inbox.js';

/** Closes a conversation that waited: in one transaction, and then, unless silent, with a comment that says why. */
export async function conclude(
  agent: Agent,
  conversation: Conversation,
  mail: Mail,
  decision: WaitingDecision & { kind: 'close' },
): Promise<void> {
  const [attempt] = agent.store.attempts.ofConversation(conversation.id);
  const completed = decision.why !== 'stop_command' && !(decision.why === 'timeout' && conversation.unfinished);
  logClosing(agent, conversation, mail, decision.why, completed);
  if (attempt?.status === 'paused') leaveSummary(agent, conversation, attempt);
  agent.store.atomically(() => {
    if (decision.why === 'stop_command') dropWishes(agent, conversation);
    recordMail(agent, conversation, [
      ...mail.fresh.map((comment) => seenAs(comment, 'completion')),
      ...mail.commands.map(({ comment }) => seenAs(comment, 'command')),
    ]);
    agent.store.commit({
      ...(attempt?.status === 'paused' && {
        attempt: {
          uuid: attempt.uuid,
          status: 'stopped',
          outcome: decision.why,
          completedAt: agent.clock.now(),
          pausedBy: null,
        },
      }),
      conversation: {
        id: conversation.id,
        ...stateChange(agent, conversation, completed ? 'completed' : 'stopped'),
        reason: decision.why,
        ...(mail.fresh.length > 0 && { lastCommentId: mail.fresh.at(-1)!.id }),
      },
      posts: decision.silent || !attempt ? [] : [closingPost(agent, conversation, attempt.uuid, decision.why)],
    });
  });
  for (const { comment } of mail.commands)
    await forgeOf(agent, conversation.key.source)
      .react(conversation.key, comment, '+1')
      .catch(() => undefined); // a courtesy
  await sendPosts(agent, conversation.id);
  if (decision.why !== 'gone') await writeLabels(agent, conversation.id);
}

/** Whoever stops it now does not want what was wished for before. */
function dropWishes({ store }: Agent, { id }: Conversation): void {
  for (const wish of store.wishes.of(id)) store.wishes.take(id, wish);
}

/** An attempt that waited for an answer ends with its conversation: what it knew is kept for the next one. */
function leaveSummary(agent: Agent, { title }: Conversation, row: AttemptRow): void {
  const files = agent.store.files(row.uuid);
  const earlier = files.summaries();
  if (earlier.some((line) => line.final)) return;
  const plan = typeof row.progress['pinned'] === 'string' ? row.progress['pinned'] : '';
  const summary = agent.redact(
    [`Goal: ${title}`, `It waited for an answer that never came. Last: ${row.lastMessage ?? '-'}`, plan]
      .filter(Boolean)
      .join('\n\n'),
  );
  const tokens = estimateTokens(summary);
  files.appendSummary({
    id: earlier.length + 1,
    start_seq: 1,
    end_seq: row.lastSeq,
    summary,
    original_tokens: tokens,
    summary_tokens: tokens,
    ratio: 1,
    timestamp: new Date(agent.clock.now()).toISOString(),
    final: true,
  });
  files.close();
}

function closingPost(agent: Agent, conversation: Conversation, attempt: string, why: string): Post {
  const catalogue = texts(conversation.language);
  const { botLabel } = labelsOf(agent.config, conversation.key.source);
  const hours = agent.config.commentHandling.timeoutHours;
  const [kind, body] =
    why === 'stop_command'
      ? (['stopped', catalogue.stopped({ reason: { id: 'command' }, botLabel })] as const)
      : ([
          'closing',
          catalogue.closing(why === 'timeout' ? { why, hours, botLabel } : { why: 'completion', botLabel }),
        ] as const);
  const n = conversation.commentCount + 1;
  const door = openDoor({
    redact: agent.redact,
    source: conversation.key.source,
    maxLength: forgeOf(agent, conversation.key.source).maxCommentLength,
    involved: (login) => login.toLowerCase() === conversation.author.toLowerCase(),
  });
  return { attempt, conversationId: conversation.id, kind, n, body: door(body, marker({ attempt, kind, n })) };
}

function logClosing(agent: Agent, { key }: Conversation, { fresh }: Mail, why: string, completed: boolean): void {
  const task = taskName(key);
  const keyword = keywordIn(fresh.at(-1)?.body ?? '', agent.config.commentHandling.completionKeywords);
  if (why === 'completion')
    agent.log.write('info', `[COMMENT] Issue #${key.id} - Completion keyword detected: "${keyword ?? ''}"`, { task });
  agent.log.write('info', `[COMMENT] Issue #${key.id} - Marking as ${completed ? 'completed' : 'stopped'}`, {
    task,
    why,
  });
}
