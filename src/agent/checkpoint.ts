import { localDay } from '../lib/clock.js';
import type { Item } from '../ports.js';
import { tellNews } from '../task/comments-prompt.js';
import { hasLabel } from '../task/labels.js';
import { isPausedByFile, labelsOf, whoWeAre } from './agent.js';
import { rowOf, type Attempt } from './attempt.js';
import { recordMail, rowsOf, saysMore, seenAs, type Mail } from './inbox.js';
import { OverBudget, Park, Pause, Stop } from './interrupts.js';
import { sameLogin } from './trust.js';
import { writeLabels } from './write-labels.js';

/**
 * The one place, just before a model call, where the outside world may change the attempt: pause? stop?
 * new comments? budget left? Returns whether comments came in, or throws what ends the attempt.
 */
export async function checkpoint(attempt: Attempt, { always = false, budget = true } = {}): Promise<boolean> {
  attempt.agent.signal.throwIfAborted();
  heedSignalFile(attempt);
  heedWishes(attempt);
  const sight = await attempt.lookout.look({ always });
  if (sight) {
    sight.mail = heedCommands(attempt, sight.mail);
    heedWishes(attempt);
    await heedItem(attempt, sight.item);
    await showLabels(attempt);
  }
  const spent = spentBudget(attempt);
  if (spent && budget) throw spent;
  return sight !== null && spent === null && admit(attempt, sight.mail); // what cannot be answered any more is left to the next attempt
}

function heedSignalFile({ agent }: Attempt): void {
  if (isPausedByFile(agent.config)) throw new Pause('signal_file', { id: 'signal_file' });
}

/** What `agent pause` and `agent stop` left in the database. */
function heedWishes({ agent, conversation }: Attempt): void {
  const { wishes } = agent.store;
  const wished = wishes.of(conversation.id);
  for (const done of ['resume', 'retry'] as const) if (wished.includes(done)) wishes.take(conversation.id, done);
  if (wished.includes('pause')) throw new Pause('person', { id: 'command' });
  if (wished.includes('stop')) throw new Stop('person');
}

/**
 * `/agent …` in the thread: acknowledged by a reaction, never shown to the model; the last one counts. It becomes a
 * wish, so that a crash does not lose it. Where the work goes on, what stands below a command is a comment like others.
 */
function heedCommands(attempt: Attempt, mail: Mail): Mail {
  const { agent, conversation, progress } = attempt;
  const last = mail.commands
    .map(({ command }) => command)
    .findLast((command) => command !== 'status' && command !== 'retry');
  const wish = last === 'pause' || last === 'stop' ? last : null;
  const worded = wish ? [] : mail.commands.filter(saysMore).map(({ comment }) => comment);
  const obeyed = mail.commands.map(({ comment }) => comment);
  const heard = obeyed.filter((comment) => !worded.includes(comment)).map((comment) => seenAs(comment, 'command'));
  agent.store.atomically(() => {
    if (wish) agent.store.wishes.add(conversation.id, wish);
    recordMail(agent, conversation, heard, [...mail.fresh, ...worded, ...mail.undecided]);
  });
  progress.acknowledge(obeyed, '+1');
  if (mail.commands.some(({ command }) => command === 'status')) progress.refresh();
  return { ...mail, fresh: [...mail.fresh, ...worded] };
}

/** Closing, merging, taking our label off, unassigning us means stop; the paused label means pause. */
async function heedItem(attempt: Attempt, item: Item | null): Promise<void> {
  if (item === null) throw new Stop('item_gone');
  if (item.state !== 'open') throw new Stop(item.state);
  await heedLabels(attempt, item);
  await heedAssignment(attempt, item);
}

async function heedLabels(attempt: Attempt, item: Item): Promise<void> {
  const { agent, conversation } = attempt;
  const { wantedLabel, labelsWrittenAt } = agent.store.conversations.get(conversation.id);
  const labels = labelsOf(agent.config, conversation.key.source);
  const since = labelsWrittenAt ?? attempt.takenUpAt;
  if (hasLabel(item, labels.pausedLabel) && (await wasPutOn(attempt, labels.pausedLabel, since)))
    throw new Pause('person', { id: 'paused_label' });
  const writtenByUs = wantedLabel === null && labelsWrittenAt !== null;
  if (writtenByUs && !hasLabel(item, labels.processingLabel)) throw new Stop('label_removed');
}

/**
 * By a person, and not before `since`; forges tell whole seconds. We put it on only where an attempt comes to rest, so
 * what our account did since is the act of the person who lent it, unless it is configured as ours alone.
 */
async function wasPutOn({ agent, conversation, forge }: Attempt, label: string, since: number): Promise<boolean> {
  const event = await forge.promptly(() => forge.newestLabelEvent(conversation.key, label)).catch(() => null);
  const self = await whoWeAre(agent, conversation.key.source).catch(() => null);
  if (event === null || (self?.configured && self.login && sameLogin(event.actor, self.login))) return false;
  return Date.parse(event.at) + 1000 > since;
}

async function heedAssignment(attempt: Attempt, item: Item): Promise<void> {
  const { agent, conversation } = attempt;
  const self = await whoWeAre(agent, conversation.key.source).catch(() => null);
  if (!self?.login) return;
  const assigned = item.assignees.some((login) => sameLogin(login, self.login!));
  const fact = `assigned:${attempt.uuid}`;
  if (assigned) agent.store.facts.set(fact, 'yes');
  else if (agent.store.facts.get(fact) === 'yes') throw new Stop('unassigned');
}

/** The label of our work is written until it is there, but not with every turn. */
async function showLabels({ agent, conversation, forge, lookout }: Attempt): Promise<void> {
  if (agent.store.conversations.get(conversation.id).wantedLabel === null || !lookout.isTimeForLabels()) return;
  await forge.promptly(() => writeLabels(agent, conversation.id));
}

/** Puts new comments of people who count into the history, in the form the contract gives. */
function admit(attempt: Attempt, mail: Mail): boolean {
  const { agent, conversation, log, lookout } = attempt;
  const { logLevel } = agent.config.commentDetection;
  if (mail.fresh.length === 0) {
    recordMail(agent, conversation, mail.others, mail.undecided);
    log.write('debug', `新規コメントなし (Task: ${attempt.uuid})`);
    return false;
  }
  const count = mail.fresh.length;
  log.write(logLevel, `新規コメントを検出しました: ${count}件 (Task: ${attempt.uuid})`);
  lookout.statistics.detections++;
  lookout.statistics.found += count;
  const news = tellNews(mail.fresh, attempt.model.contextLength);
  const rows = rowsOf(news);
  attempt.history.append({
    role: 'user',
    content: news.text,
    ...rows,
    progress: { commentsHeard: Number(rowOf(attempt).progress['commentsHeard'] ?? 0) + count },
  });
  recordMail(agent, conversation, [...(rows.comments ?? []), ...mail.others], mail.undecided);
  const added = news.told.length;
  lookout.statistics.added += added;
  log.write(logLevel, `新規コメントをコンテキストに追加しました: ${added}件 (Task: ${attempt.uuid})`);
  if (added < count)
    log.write('warning', 'comments were left out: there is no room for them', { count: count - added });
  attempt.progress.acknowledge(news.told);
  return true;
}

function spentBudget(attempt: Attempt): OverBudget | Park | null {
  const { agent } = attempt;
  const { limits, maxLlmProcessNum } = agent.config;
  const row = rowOf(attempt);
  if (row.llmCallCount >= maxLlmProcessNum) return new OverBudget('max_llm_process_num');
  if (limits.maxTokensPerTask !== null && row.totalTokens >= limits.maxTokensPerTask)
    return new OverBudget('max_tokens_per_task');
  const workedMs = row.workedMs + agent.clock.now() - attempt.takenUpAt;
  if (limits.maxMinutesPerTask !== null && workedMs >= limits.maxMinutesPerTask * 60_000)
    return new OverBudget('max_minutes_per_task');
  if (limits.maxTokensPerDay !== null && agent.store.usage.of(localDay(agent.clock.now())) >= limits.maxTokensPerDay) {
    return new Park('daily_tokens', 'max_tokens_per_day', { retryAt: nextMidnight(agent.clock.now()) });
  }
  return null;
}

function nextMidnight(now: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
}
