import type { Job, JobReport, Workshop } from './jobs.js';
import { ForgeError } from './ports.js';
import type { AttemptRow } from './records.js';
import { taskName } from './task/key.js';
import { hasLabel } from './task/labels.js';
import { forgeOf, labelsOf, type Agent } from './agent/agent.js';
import { claim, claimFollowUp, takeUp, writeLabels, type ModelFacts } from './agent/claim.js';
import { conclude } from './agent/conclude.js';
import { Park, Stop } from './agent/interrupts.js';
import { saysFinished } from './agent/judge.js';
import { outcomeOf, type Outcome } from './agent/outcome.js';
import { parkUnopened } from './agent/park.js';
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
        return await begin(agent, job, await openWorkshop());
      case 'follow_up':
        return await followUp(agent, job, await openWorkshop());
      case 'resume':
      case 'end':
        return await goOn(agent, job, openWorkshop);
    }
  } catch (error) {
    agent.signal.throwIfAborted();
    if (!(error instanceof ForgeError || error instanceof Park)) throw error;
    agent.log.write('warning', 'a task could not be taken up', { task: taskName(job.key), error: error.message });
    return outcomeOf(error, agent.config); // before anything was claimed: the next tick finds it again
  }
}

/** A stranger's label: taken off, a log line, no comment. */
async function refuse(agent: Agent, job: Job & { kind: 'refuse' }): Promise<Result> {
  const { botLabel } = labelsOf(agent.config, job.key.source);
  await forgeOf(agent, job.key.source).changeLabels(job.key, [], [botLabel]);
  agent.log.write('warning', 'the request label was put on by somebody who may not ask for work; taken off', {
    task: taskName(job.key),
    by: job.by,
  });
  return { kind: 'refused' };
}

async function begin(agent: Agent, job: Job & { kind: 'first' }, shop: Workshop): Promise<Result> {
  const known = agent.store.conversations.find(job.key);
  const retried = known !== null && agent.store.wishes.of(known.id).includes('retry');
  const labels = labelsOf(agent.config, job.key.source);
  const item = await forgeOf(agent, job.key.source).getItem(job.key);
  if (!item || item.state !== 'open') {
    if (retried) agent.store.wishes.take(known.id, 'retry');
    return { kind: 'skipped', why: 'the item is no longer open' };
  }
  if (!retried && !hasLabel(item, labels.botLabel) && !hasLabel(item, labels.processingLabel)) {
    return { kind: 'skipped', why: 'the label was taken off again' };
  }
  const row = agent.store.atomically(() => {
    if (retried) agent.store.wishes.take(known.id, 'retry');
    return claim(agent, item, job.event, factsOf(shop));
  });
  return work(agent, row, shop);
}

/** New comments: perhaps they only say thanks in more words; otherwise a new attempt answers them all. */
async function followUp(agent: Agent, job: Job & { kind: 'follow_up' }, shop: Workshop): Promise<Result> {
  const { conversation, mail, judge } = job;
  if (judge && (await saysFinished(agent, shop.model, conversation, mail.fresh))) {
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
  const row = claimFollowUp(agent, conversation, factsOf(shop));
  agent.store.conversations.update(conversation.id, { lastCommentAt: agent.clock.now() });
  const acknowledged = acknowledge(agent, job);
  const outcome = await work(agent, row, shop);
  await acknowledged;
  if (outcome.kind === 'completed') {
    agent.log.write('info', `[COMMENT] Issue #${job.key.id} - Comment processed successfully`, {
      task: taskName(job.key),
    });
  }
  return outcome;
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
  let shop: Workshop;
  try {
    shop = await openWorkshop();
  } catch (error) {
    if (!(error instanceof Park) || job.kind === 'end') throw error;
    return parkUnopened(agent, job.row, error);
  }
  if (job.kind === 'resume') takeUp(agent, job.row, job.event);
  for (const wish of ['resume', 'retry'] as const) agent.store.wishes.take(job.row.conversationId, wish);
  return work(agent, agent.store.attempts.get(job.row.uuid)!, shop, job.kind === 'end' ? new Stop(job.reason) : null);
}

async function work(agent: Agent, row: AttemptRow, shop: Workshop, end: Error | null = null): Promise<Outcome> {
  const log = agent.logFor({ task: taskName(row.key), attempt: row.uuid });
  const own: Agent = { ...agent, log };
  let tools: Awaited<ReturnType<Workshop['toolsFor']>>;
  try {
    tools = await shop.toolsFor(row.uuid);
  } catch (error) {
    if (!(error instanceof Park)) throw error;
    await writeLabels(own, row.conversationId);
    return parkUnopened(own, row, error);
  }
  try {
    log.write('info', 'attempt begins', { followUp: row.followUp, takeUps: row.takeUps });
    return await workOn({ agent: own, model: shop.model, tools }, row, end);
  } finally {
    await tools.close();
  }
}

function factsOf({ model }: Workshop): ModelFacts {
  return { llmProvider: model.provider, model: model.name, contextLength: model.contextLength };
}
