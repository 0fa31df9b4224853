import type { Job, JobReport, Workshop } from './jobs.js';
import { isDiskTrouble } from './lib/disk.js';
import { ForgeError, type Tools } from './ports.js';
import type { AttemptRow, Conversation } from './records.js';
import { taskName } from './task/key.js';
import { hasLabel } from './task/labels.js';
import { forgeOf, labelsOf, type Agent } from './agent/agent.js';
import { claim, claimFollowUp, takeUp, type NewAttempt } from './agent/claim.js';
import { writeLabels } from './agent/write-labels.js';
import { conclude } from './agent/conclude.js';
import { fetchMail, type Mail } from './agent/inbox.js';
import { Park, Stop, type StopReason } from './agent/interrupts.js';
import { saysFinished } from './agent/judge.js';
import type { Bench } from './agent/open.js';
import { outcomeOf, type Outcome } from './agent/outcome.js';
import { failUnopened, parkUnopened } from './agent/park.js';
import { workOn } from './agent/work.js';

type Result = JobReport['outcome'];

/** Does one job. What fails inside a task is settled with it; only an abort or a broken disk is thrown. */
export async function perform(agent: Agent, job: Job, openWorkshop: () => Promise<Workshop>): Promise<Result> {
  try {
    switch (job.kind) {
      case 'refuse':
        return await refuse(agent, job);
      case 'close':
        await conclude(agent, job.conversation, job.mail, job.decision);
        return { kind: 'closed', why: job.decision.why };
      case 'first':
        return await begin(agent, job, openWorkshop);
      case 'follow_up':
        return await followUp(agent, job, await openWorkshop());
      case 'resume':
      case 'end':
        return await goOn(agent, job, openWorkshop);
    }
  } catch (error) {
    if (!agent.signal.aborted && !isDiskTrouble(error)) return brokenOff(agent, job, error);
    leave(agent, job);
    agent.signal.throwIfAborted();
    throw error;
  }
}

/** A signal or the disk ends this take-up: it did not vanish, and does not count as in vain. */
function leave({ store }: Agent, { key }: Job): void {
  try {
    const conversation = store.conversations.find(key);
    const row = conversation && store.attempts.unsettledOf(conversation.id);
    if (row) store.attempts.update(row.uuid, { takeUps: 0 });
  } catch {
    // a disk that takes nothing else does not take this either
  }
}

/** Before anything was claimed, the next tick finds it again; an attempt that broke in a way nobody foresaw is settled. */
async function brokenOff(agent: Agent, { key }: Job, error: unknown): Promise<Result> {
  const expected = error instanceof ForgeError || error instanceof Park;
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const fields = { task: taskName(key), error: message, ...(!expected && { stack }) };
  agent.log.write(expected ? 'warning' : 'error', 'a task could not be taken up', fields);
  const conversation = agent.store.conversations.find(key);
  const row = expected || !conversation ? null : agent.store.attempts.unsettledOf(conversation.id);
  return row ? failUnopened(agent, row, error) : outcomeOf(error, agent.config);
}

/** A stranger's label: taken off, a log line, no comment. */
async function refuse(agent: Agent, job: Job & { kind: 'refuse' }): Promise<Result> {
  const { botLabel } = labelsOf(agent.config, job.key.source);
  const asSpelled = job.head.labels.filter((label) => hasLabel({ labels: [botLabel] }, label));
  await forgeOf(agent, job.key.source).changeLabels(job.key, [], asSpelled);
  agent.log.write('warning', 'the request label was put on by somebody who may not ask for work; taken off', {
    task: taskName(job.key),
    by: job.by,
  });
  return { kind: 'refused' };
}

/** The servers start while the item is read; nothing is claimed before they are there. */
async function begin(
  agent: Agent,
  job: Job & { kind: 'first' },
  openWorkshop: () => Promise<Workshop>,
): Promise<Result> {
  const opening = openWorkshop();
  opening.catch(() => undefined); // awaited below, unless there is nothing to do after all
  const known = agent.store.conversations.find(job.key);
  const retried = known !== null && agent.store.wishes.of(known.id).includes('retry');
  if (known && agent.store.attempts.unsettledOf(known.id)) return { kind: 'skipped', why: 'it is being worked on' };
  const labels = labelsOf(agent.config, job.key.source);
  const item = await forgeOf(agent, job.key.source).getItem(job.key);
  if (!item || item.state !== 'open') {
    if (retried) agent.store.wishes.take(known.id, 'retry');
    return { kind: 'skipped', why: 'the item is no longer open' };
  }
  if (!retried && !hasLabel(item, labels.botLabel) && !hasLabel(item, labels.processingLabel)) {
    return { kind: 'skipped', why: 'the label was taken off again' };
  }
  const shop = await opening;
  await shop.ready();
  return claimAndWork(agent, shop, (made) =>
    agent.store.atomically(() => {
      if (retried) agent.store.wishes.take(known.id, 'retry');
      return claim(agent, item, job.event, made);
    }),
  );
}

/** New comments: perhaps they only say thanks in more words; otherwise a new attempt answers them all. */
async function followUp(agent: Agent, job: Job & { kind: 'follow_up' }, shop: Workshop): Promise<Result> {
  const { conversation, mail, judge } = job;
  await shop.ready(); // a server that is down would have the model asked again at every tick
  const finished = judge && (await saysFinished(agent, shop.model, conversation, mail.fresh));
  if (finished && !(await moreWasSaid(agent, conversation, mail))) {
    await conclude(agent, conversation, mail, { kind: 'close', why: 'completion', silent: false });
    return { kind: 'closed', why: 'completion' };
  }
  agent.log.write(
    'info',
    `[COMMENT] Issue #${job.key.id} - Processing comment from ${mail.fresh.at(-1)?.author ?? 'a command'}`,
    {
      task: taskName(job.key),
    },
  );
  let acknowledged: Promise<void> | undefined;
  const outcome = await claimAndWork(agent, shop, (made) => {
    const row = claimFollowUp(agent, conversation, made);
    acknowledged = acknowledge(agent, job);
    return row;
  });
  await acknowledged;
  if (outcome.kind === 'completed') {
    agent.log.write('info', `[COMMENT] Issue #${job.key.id} - Comment processed successfully`, {
      task: taskName(job.key),
    });
  }
  return outcome;
}

/** While the model was asked whether this is the end, somebody may have gone on. */
async function moreWasSaid(agent: Agent, conversation: Conversation, { fresh }: Mail): Promise<boolean> {
  const now = await fetchMail(agent, conversation);
  return now.fresh.some(({ id, body }) => !fresh.some((known) => known.id === id && known.body === body));
}

async function acknowledge(agent: Agent, { key, mail }: Job & { kind: 'follow_up' }): Promise<void> {
  const forge = forgeOf(agent, key.source);
  const courtesy = (error: unknown): void =>
    agent.log.write('debug', 'no reaction could be put on a comment', { error: String(error) });
  await Promise.all([
    ...mail.fresh.map((comment) => forge.react(key, comment, 'eyes').catch(courtesy)),
    ...mail.commands.map(({ comment }) => forge.react(key, comment, '+1').catch(courtesy)),
  ]);
}

async function goOn(
  agent: Agent,
  job: Job & { kind: 'resume' | 'end' },
  openWorkshop: () => Promise<Workshop>,
): Promise<Result> {
  const shop = await openWorkshop();
  try {
    if (job.kind === 'resume') await shop.ready();
  } catch (error) {
    if (!(error instanceof Park)) throw error;
    const over = await endOfItem(agent, job.row);
    return over ? work(agent, job.row, shop, new Stop(over)) : parkUnopened(agent, job.row, error);
  }
  if (job.kind === 'resume') takeUp(agent, job.row, job.event);
  for (const wish of ['resume', 'retry'] as const) agent.store.wishes.take(job.row.conversationId, wish);
  return work(agent, agent.store.attempts.get(job.row.uuid)!, shop, job.kind === 'end' ? new Stop(job.reason) : null);
}

/** An item that was closed while its attempt rests is settled, whatever its work would have needed. */
async function endOfItem(agent: Agent, { key }: AttemptRow): Promise<StopReason | null> {
  const item = await forgeOf(agent, key.source).getItem(key);
  if (item === null) return 'item_gone';
  return item.state === 'open' ? null : item.state;
}

/** What is only settled needs no tools, and waits for no server. */
const NO_TOOLS: Tools & { close(): Promise<void> } = {
  list: () => [],
  prompts: () => [],
  call: () => Promise.resolve({ ok: false, error: 'there are no tools' }),
  close: () => Promise.resolve(),
};

/** Nothing is claimed before the servers that start in its own folder are there as well. */
async function claimAndWork(
  agent: Agent,
  { model, toolsFor }: Workshop,
  claimAs: (made: NewAttempt) => AttemptRow,
): Promise<Outcome> {
  const uuid = agent.newUuid();
  const tools = await toolsFor(uuid).catch((error: unknown) => {
    agent.store.deleteFiles(uuid);
    throw error;
  });
  try {
    const facts = { llmProvider: model.provider, model: model.name, contextLength: model.contextLength };
    return await workWith({ agent, model, tools }, claimAs({ uuid, ...facts }));
  } finally {
    await tools.close();
  }
}

async function work(agent: Agent, row: AttemptRow, shop: Workshop, end: Error | null = null): Promise<Outcome> {
  let tools: Awaited<ReturnType<Workshop['toolsFor']>>;
  try {
    tools = end ? NO_TOOLS : await shop.toolsFor(row.uuid);
  } catch (error) {
    if (!(error instanceof Park)) throw error;
    await writeLabels(agent, row.conversationId);
    return parkUnopened(agent, row, error);
  }
  try {
    return await workWith({ agent, model: shop.model, tools }, row, end);
  } finally {
    await tools.close();
  }
}

function workWith({ agent, model, tools }: Bench, row: AttemptRow, end: Error | null = null): Promise<Outcome> {
  const log = agent.logFor({ task: taskName(row.key), attempt: row.uuid });
  log.write('info', 'attempt begins', { followUp: row.followUp, takeUps: row.takeUps });
  return workOn({ agent: { ...agent, log }, model, tools }, row, end);
}
