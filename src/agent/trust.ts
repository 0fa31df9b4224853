import { ForgeError, type Access } from '../ports.js';
import type { Conversation } from '../records.js';
import { forgeOf, type Agent } from './agent.js';

const RANK: Record<Access, number> = { none: 0, read: 1, triage: 2, write: 3 };

/** Whose words are instructions, by `respond_to`. Throws `ForgeError` where the forge cannot say now. */
export async function counts(agent: Agent, conversation: Conversation, login: string): Promise<boolean> {
  const { respondTo } = agent.config.commentHandling;
  if (respondTo === 'anyone' || sameLogin(login, conversation.author)) return true;
  return respondTo === 'trusted' && isTrusted(agent, conversation, login);
}

/** The task's author, `security.trusted_users`, and people with write access: they may also give commands. */
export async function isTrusted(agent: Agent, conversation: Conversation, login: string): Promise<boolean> {
  if (sameLogin(login, conversation.author) || isTrustedUser(agent, login)) return true;
  return mayAtLeast(agent, conversation, login, 'write').catch((error: unknown) => {
    if (!(error instanceof ForgeError) || error.kind !== 'forbidden') throw error;
    warnOnce(agent, conversation, login);
    return false;
  });
}

/** A token that may not ask will not be told tomorrow either; the operator has to know, but only once. */
function warnOnce({ store, log }: Agent, { key }: Conversation, login: string): void {
  const path = `${key.owner}/${key.repo}`;
  const fact = `may-not-ask:${key.source}:${path}`;
  if (store.facts.get(fact)) return;
  store.facts.set(fact, 'yes');
  log.write('warning', 'the token may not ask for the access of people here: only the author and trusted_users count', {
    repository: path,
    login,
  });
}

/** Whether the person who put the request label on may ask for work. */
export async function mayRequest(
  agent: Agent,
  conversation: Pick<Conversation, 'key'>,
  login: string,
): Promise<boolean> {
  return isTrustedUser(agent, login) || mayAtLeast(agent, conversation, login, 'triage');
}

async function mayAtLeast(
  agent: Agent,
  { key }: Pick<Conversation, 'key'>,
  login: string,
  wanted: Access,
): Promise<boolean> {
  const access = await forgeOf(agent, key.source).access(`${key.owner}/${key.repo}`, login);
  return RANK[access] >= RANK[wanted];
}

function isTrustedUser(agent: Agent, login: string): boolean {
  return agent.config.security.trustedUsers.some((user) => sameLogin(user, login));
}

export function sameLogin(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
