import { ModelError, type AskRequest } from '../ports.js';
import type { CurrentLine } from '../records.js';
import type { Phase } from '../report/words.js';
import { rowOf, type Attempt } from './attempt.js';
import { checkpoint } from './checkpoint.js';
import { fitContext } from './compression.js';
import { requestTokens } from './context-limits.js';
import { Failure } from './interrupts.js';
import { weighTools } from './llm-client.js';
import { consequenceOf } from './outcome.js';
import type { Act } from './reply.js';
import type { Unreadable } from './reply-complaints.js';
import { promptListsTools, useJsonProtocol } from './system-prompt.js';
import { carryOut } from './tool-use.js';

/** What a reply to an ask turned out to be. */
export type Understood<T> = Act | { kind: 'answer'; value: T; comment: string | null } | Unreadable;

/** What the model is asked for: `done` in normal mode, a plan, a reflection … in planning mode. */
export interface Ask<T> {
  /** Planning mode: whose turn it is, for the LLM-call comments. */
  phase?: Phase;
  taskId?: string;
  /** Tools may be used on the way to the answer. */
  tools: boolean;
  /** The shape of the answer, for servers that offer structured output. */
  schema: NonNullable<AskRequest['schema']>;
  /** The answer ends the attempt: the thread is looked at once more before it is accepted. */
  final?: boolean;
  read(reply: CurrentLine): Understood<T>;
}

const UNREADABLE_IN_A_ROW = 5;

/** Turns until the model gives what was asked for. Both modes are made of this. */
export async function converse<T>(attempt: Attempt, ask: Ask<T>): Promise<T> {
  for (;;) {
    const reply = attempt.history.openReply() ?? (await turn(attempt, ask));
    const understood = ask.read(reply);
    if (understood.kind === 'unreadable') {
      complain(attempt, understood);
      continue;
    }
    attempt.history.understood();
    await attempt.progress.turn(reply.seq, ask, understood.comment);
    if (understood.kind === 'act') await carryOut(attempt, reply, understood);
    else if (!ask.final || !(await somethingCameIn(attempt))) return understood.value;
  }
}

/** One LLM call: the only way in which an attempt asks its model, and the only door the world comes in by. */
async function turn<T>(attempt: Attempt, ask: Ask<T>): Promise<CurrentLine> {
  await checkpoint(attempt);
  if (!(await takesTools(attempt)) && !promptListsTools(attempt)) useJsonProtocol(attempt);
  const before = attempt.history.messages;
  await fitContext(attempt, { extra: await toolTokens(attempt, ask) });
  if (attempt.history.messages !== before) await checkpoint(attempt); // a summary takes its time, in which people go on talking
  const mended = new Set<ModelError['kind']>();
  for (;;) {
    try {
      return await askModel(attempt, ask);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      countFailedCalls(attempt, error);
      if (mended.has(error.kind)) throw consequenceOf(error);
      await mend(attempt, error);
      mended.add(error.kind);
    }
  }
}

/** What can be mended is, once a turn for each kind; anything else ends the attempt. */
async function mend(attempt: Attempt, error: ModelError): Promise<void> {
  if (error.kind === 'overflow') return fitContext(attempt, { force: true, cause: error });
  if (error.kind !== 'no_tools') throw consequenceOf(error);
  useJsonProtocol(attempt);
  await fitContext(attempt, {});
}

async function askModel<T>(attempt: Attempt, ask: Ask<T>): Promise<CurrentLine> {
  const { history, llm, progress, tools } = attempt;
  const native = ask.tools && (await takesTools(attempt));
  const reply = await llm.getResponse({
    ...(native ? { tools: tools.list() } : { schema: ask.schema }),
    estimatedTokens: requestTokens(history, native ? weighTools(tools.list()) : 0),
    onRetry: (failure) => progress.modelFailed(ask.phase, failure.message),
  });
  return reply.line;
}

async function toolTokens<T>(attempt: Attempt, ask: Ask<T>): Promise<number> {
  return ask.tools && (await takesTools(attempt)) ? weighTools(attempt.tools.list()) : 0;
}

function takesTools({ agent, model }: Attempt): Promise<boolean> {
  return model.supportsTools(agent.signal);
}

/** Every call counts, also those that failed. */
function countFailedCalls(attempt: Attempt, error: ModelError): void {
  const { llmCallCount } = rowOf(attempt);
  attempt.agent.store.attempts.update(attempt.uuid, { llmCallCount: llmCallCount + error.details.calls });
}

function complain(attempt: Attempt, { complaint, reason }: Unreadable): void {
  const n = attempt.history.complaintsInARow() + 1;
  attempt.log.write('warning', 'a reply could not be read', { reason, inARow: n });
  if (n >= UNREADABLE_IN_A_ROW)
    throw new Failure('unreadable', `${n} replies in a row could not be read; the last one was answered: ${complaint}`);
  attempt.history.append({ role: 'user', content: complaint, complaint: n });
}

async function somethingCameIn(attempt: Attempt): Promise<boolean> {
  return checkpoint(attempt, { always: true, budget: false });
}
