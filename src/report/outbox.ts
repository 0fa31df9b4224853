import { forgeOf, whoWeAre, type Agent } from '../agent/agent.js';
import { sameLogin } from '../agent/trust.js';
import { ForgeError, type Comment, type Forge } from '../ports.js';
import type { OutboxRow, PostKind } from '../records.js';
import { taskName } from '../task/key.js';
import { lastLineMarker } from './marker.js';

const TRIES = 3;

/**
 * Sends what a conversation has to say, in its order, each thing once. What cannot be sent now stays for
 * the next tick: a failed post never stops the work. Only an abort is thrown.
 */
export async function sendPosts(agent: Agent, conversationId: number, { edits = true } = {}): Promise<void> {
  for (const row of agent.store.outbox.unsent(conversationId)) {
    if (row.commentId !== null && !edits) continue;
    if (!(await send(agent, row))) return;
  }
}

/** Brings one comment up to date, if it stands already. It posts nothing, so it may run beside `sendPosts`. */
export async function sendEdit(agent: Agent, attempt: string, kind: PostKind, n: number): Promise<void> {
  const row = agent.store.outbox.find(attempt, kind, n);
  if (row?.commentId) await send(agent, row);
}

/** True when the next row may go: this one stands in the thread, or never will. */
async function send(agent: Agent, row: OutboxRow): Promise<boolean> {
  const forge = forgeOf(agent, row.key.source);
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      await (row.commentId === null ? post(agent, forge, row) : edit(agent, forge, row));
      return true;
    } catch (error) {
      agent.signal.throwIfAborted();
      if (!(error instanceof ForgeError)) throw error;
      agent.log.write('warning', 'a comment could not be sent', {
        task: taskName(row.key),
        attempt: row.attempt,
        kind: row.kind,
        error: error.message,
      });
      if (willNeverGo(error, row)) return drop(agent, row);
      if (error.kind === 'forbidden' && row.commentId !== null) return true; // somebody else's comment by now: it holds no post up
      if (error.kind !== 'open' && error.kind !== 'rejected') return false;
      row = { ...row, tries: row.tries + 1 };
    }
  }
  return false;
}

/** A post that is refused may be refused because it stands there already: it is looked for before that is believed. */
function willNeverGo({ kind }: ForgeError, { commentId, tries }: OutboxRow): boolean {
  return kind === 'gone' || (kind === 'rejected' && (commentId !== null || tries > 0));
}

/** A post that may have gone through before is looked for by its marker first. */
async function post(agent: Agent, forge: Forge, row: OutboxRow): Promise<void> {
  const { outbox, attempts } = agent.store;
  const found = row.tries > 0 ? await findOurs(agent, forge, row) : null;
  if (found) {
    outbox.update(row.id, { commentId: found.id, sentBody: found.body });
    if (found.body !== row.body) await edit(agent, forge, { ...row, commentId: found.id });
  } else {
    outbox.update(row.id, { tries: row.tries + 1 });
    const id = await forge.postComment(row.key, row.body);
    outbox.update(row.id, { commentId: id, sentBody: row.body });
  }
  if (attempts.get(row.attempt)) attempts.update(row.attempt, { takeUps: 0 });
}

/** A marker copied by somebody else fools nobody. */
async function findOurs(agent: Agent, forge: Forge, row: OutboxRow): Promise<Comment | null> {
  const { login } = await whoWeAre(agent, row.key.source);
  const marker = lastLineMarker(row.body);
  return forge.findComment(row.key, ({ author, body }) => {
    return lastLineMarker(body) === marker && (login === null || sameLogin(author, login));
  });
}

async function edit(agent: Agent, forge: Forge, row: OutboxRow): Promise<void> {
  await forge.editComment(row.key, row.commentId!, row.body);
  agent.store.outbox.update(row.id, { sentBody: row.body });
}

function drop(agent: Agent, row: OutboxRow): boolean {
  agent.store.outbox.update(row.id, { dropped: true });
  return true;
}
