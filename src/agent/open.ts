import { cutMiddle } from '../lib/cut.js';
import { isDiskTrouble } from '../lib/disk.js';
import { estimateTokens } from '../lib/tokens.js';
import type { Item, Model, Tools } from '../ports.js';
import type { AttemptFiles, AttemptRow, Conversation, ToolLine } from '../records.js';
import { ProgressComment } from '../report/progress.js';
import { stripOurs } from '../report/result-text.js';
import { texts } from '../report/texts.js';
import { bodyOf, tellNews, type News } from '../task/comments-prompt.js';
import { itemText, requestText, roomForComments } from '../task/request.js';
import { selectComments } from '../task/select-comments.js';
import type { Comment } from '../ports.js';
import { forgeOf, whoWeAre, type Agent } from './agent.js';
import { rowOf, type Attempt } from './attempt.js';
import { History, type Addition } from './history.js';
import { isOurs, recordMail, rowsOf, seenAs, sortMail, wasSeen, type Mail } from './inbox.js';
import { inherit, type Inherited } from './inheritance.js';
import { Stop } from './interrupts.js';
import { LlmClient } from './llm-client.js';
import { Lookout } from './lookout.js';
import { LoopWatch } from './loop-watch.js';
import { systemPrompt } from './system-prompt.js';

/** What attempts are made with once there is work. */
export interface Bench {
  agent: Agent;
  model: Model;
  tools: Tools;
}

/** The attempt as it is stored, or as it begins; nothing is asked of anybody yet. */
export function openAttempt(bench: Bench, conversation: Conversation, row: AttemptRow): Attempt {
  const { agent } = bench;
  const files = agent.store.files(row.uuid);
  if (readyToGoOn(agent, files, row)) return assemble(bench, conversation, row, files, inheritedNotice(row));
  agent.store.attempts.update(row.uuid, { lastSeq: 0, progress: {} }); // nothing was asked yet: the opening is written anew
  return assemble(bench, conversation, row, newFiles(agent, row), inheritFor(agent, conversation));
}

type InheritedNotice = Pick<Inherited, 'from'>;

function assemble(
  { agent, model, tools }: Bench,
  conversation: Conversation,
  row: AttemptRow,
  files: AttemptFiles,
  inherited: Inherited | InheritedNotice | null,
): Attempt {
  const forge = forgeOf(agent, row.key.source);
  const catalogue = texts(conversation.language);
  const history = new History(row.uuid, files, agent.store.attempts, agent.clock, agent.redact);
  const { sameError } = agent.config.limits;
  return {
    agent,
    uuid: row.uuid,
    conversation,
    forge,
    model,
    tools,
    files,
    history,
    llm: new LlmClient(model, history, agent.signal),
    texts: catalogue,
    inherited: inherited && 'text' in inherited ? inherited : null,
    progress: new ProgressComment({
      agent,
      forge,
      conversation,
      uuid: row.uuid,
      texts: catalogue,
      inherited: inherited?.from ?? null,
    }),
    lookout: new Lookout(agent, conversation, row.uuid),
    loops: LoopWatch.over(answeredCalls(files, history), sameError),
    resumedReply: history.openReply(),
    log: agent.log,
    takenUpAt: agent.clock.now(),
  };
}

/** Calls of a reply that is taken up again are noted once their answer is written. */
function* answeredCalls(files: AttemptFiles, history: History): Generator<ToolLine> {
  const reply = history.openReply();
  const answered = reply && history.answeredSince(reply);
  for (const line of files.toolLines()) {
    if (line.call.message !== reply?.seq || answered?.has(line.call.id)) yield line;
  }
}

/** Brings the row up to the files, and says whether the opening is complete: a broken or missing folder is not. */
function readyToGoOn(agent: Agent, files: AttemptFiles, row: AttemptRow): boolean {
  try {
    for (const line of files.messagesAfter(row.lastSeq)) agent.store.attempts.applyMessage(row.uuid, line);
    const { progress } = agent.store.attempts.get(row.uuid)!;
    return typeof progress['requestEnd'] === 'number' && files.firstMessage()?.role === 'system';
  } catch (error) {
    if (isDiskTrouble(error)) throw error;
    agent.log.write('warning', 'the files of an attempt cannot be read; it starts anew', { error: String(error) });
    return false;
  }
}

function newFiles(agent: Agent, row: AttemptRow): AttemptFiles {
  return agent.store.createFiles(row.uuid, {
    uuid: row.uuid,
    task_key: {
      task_source: row.key.source,
      owner: row.key.owner,
      repo: row.key.repo,
      task_type: row.key.type,
      task_id: row.key.id,
    },
    created_at: new Date(row.createdAt).toISOString(),
    process_id: process.pid,
    hostname: agent.hostname,
    config: {
      llm_provider: row.llmProvider,
      model: row.model,
      context_length: row.contextLength,
      compression_threshold: agent.config.contextStorage.compressionThreshold,
    },
    user: row.user,
  });
}

function inheritFor(agent: Agent, conversation: Conversation): Inherited | null {
  return inherit(agent, conversation, { planning: agent.config.planning.enabled });
}

function inheritedNotice(row: AttemptRow): InheritedNotice | null {
  const from = row.progress['inherited'] as InheritedNotice['from'] | undefined;
  return from ? { from } : null;
}

/** System prompt, what was done before, the item with its thread; the last line closes the opening. */
export async function writeOpening(attempt: Attempt): Promise<void> {
  if (rowOf(attempt).progress['requestEnd'] !== undefined) return;
  const { agent, conversation, forge, history, model } = attempt;
  const item = await forge.getItem(conversation.key);
  if (!item) throw new Stop('item_gone');
  const reviews = { reviews: conversation.key.type !== 'issue' };
  const comments = await forge.commentsSince(conversation.key, null, reviews);
  const mail = laterCommandsLeft(agent, conversation, await sortMail(agent, conversation, comments));
  const native = await model.supportsTools(agent.signal);
  history.append({
    role: 'system',
    content: systemPrompt(agent.config.systemPrompt, attempt.tools, { language: conversation.language, native }),
  });
  if (attempt.inherited) appendInherited(attempt, attempt.inherited);
  const rest = rowOf(attempt).followUp
    ? await followUpOpening(attempt, item, comments, mail)
    : await firstOpening(attempt, item, mail);
  closeOpening(attempt, rest, mail.undecided);
}

function appendInherited({ history, texts: catalogue }: Attempt, { from, text }: Inherited): void {
  history.append({ role: 'assistant', content: catalogue.inheritedPrefix + text, progress: { inherited: from } });
}

async function firstOpening(attempt: Attempt, item: Item, mail: Mail): Promise<Addition[]> {
  const { agent, conversation, forge, model } = attempt;
  const { kept, skipped } = selectComments(mail.fresh, roomForComments(model.contextLength));
  const ignored = mail.others.filter((comment) => comment.fate === 'ignored').length;
  rememberOthers(agent, conversation, mail, skipped);
  const files = await forge.changedFiles(item.key);
  const content = requestText({
    item,
    files,
    comments: kept,
    leftOut: skipped.length + ignored,
    contextLength: model.contextLength,
  });
  return [{ role: 'user', content, ...rowsOf({ told: kept, untold: [] }) }];
}

/** The item, the conversation so far with our results as assistant turns, and last what is new. */
async function followUpOpening(attempt: Attempt, item: Item, comments: Comment[], mail: Mail): Promise<Addition[]> {
  const { agent, conversation, model } = attempt;
  const { includeReviewComments } = agent.config.commentDetection;
  const isNew = (comment: Comment): boolean =>
    (includeReviewComments || comment.kind === 'comment') && !wasSeen(agent, conversation, comment);
  const self = await whoWeAre(agent, conversation.key.source);
  const isResult = (comment: Comment): boolean =>
    /kind=(?:result|failure) /.test(comment.body.slice(-120)) && isOurs(agent, conversation, self, comment);
  const old = new Set(mail.fresh.filter((comment) => !isNew(comment)).map(nameOf));
  const said = comments.filter((comment) => old.has(nameOf(comment)) || isResult(comment));
  const news = newWords(mail.fresh.filter(isNew), model.contextLength);
  const room = roomForComments(model.contextLength);
  const { kept } = selectComments(said, { ...room, all: room.all - estimateTokens(news.text) });
  rememberOthers(agent, conversation, mail);
  return [
    { role: 'user', content: itemText(item, model.contextLength) },
    ...kept.map((comment): Addition => {
      if (isResult(comment)) return { role: 'assistant', content: cutMiddle(stripOurs(comment.body), room.longest) };
      return { role: 'user', content: `Comment from @${comment.author}:\n${bodyOf(comment, room.longest)}` };
    }),
    { role: 'user', content: news.text, ...rowsOf(news) },
  ];
}

/** Ids are unique among comments of one kind only. */
function nameOf({ kind, id }: Comment): string {
  return `${kind} ${id}`;
}

/** Without a new comment (a retry) the request is simply to go on. */
function newWords(fresh: Comment[], contextLength: number): News {
  if (fresh.length === 0) return { text: 'Please go on with this task.', told: [], untold: [] };
  return tellNews(fresh, contextLength);
}

/** Commands given since the work was asked for are left to the first checkpoint, which obeys them. */
function laterCommandsLeft(agent: Agent, conversation: Conversation, mail: Mail): Mail {
  const asked = Date.parse(conversation.labelEvent?.at ?? '') || conversation.firstProcessedAt;
  const isLater = ({ comment }: Mail['commands'][number]): boolean =>
    !wasSeen(agent, conversation, comment) && Date.parse(comment.updatedAt) >= asked;
  return {
    ...mail,
    commands: mail.commands.filter((each) => !isLater(each)),
    undecided: [...mail.undecided, ...mail.commands.filter(isLater).map(({ comment }) => comment)],
  };
}

function rememberOthers(agent: Agent, conversation: Conversation, mail: Mail, skipped: Comment[] = []): void {
  const seen = [
    ...mail.others,
    ...mail.commands.map(({ comment }) => seenAs(comment, 'command')),
    ...skipped.map((comment) => seenAs(comment, 'skipped')),
  ];
  recordMail(agent, conversation, seen, mail.undecided);
}

/** The last line carries that the opening is complete; from here on a crash loses nothing of it. */
function closeOpening({ agent, conversation, history }: Attempt, additions: Addition[], pending: Comment[]): void {
  for (const addition of additions.slice(0, -1)) history.append(addition);
  const last = additions.at(-1)!;
  history.append({ ...last, progress: { requestEnd: history.nextSeq } });
  recordMail(agent, conversation, last.comments ?? [], pending);
}
