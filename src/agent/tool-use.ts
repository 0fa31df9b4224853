import { cutMiddle } from '../lib/cut.js';
import { redactStrings } from '../lib/redact.js';
import type { ToolCall, ToolOutcome } from '../ports.js';
import type { CurrentLine, ToolLine } from '../records.js';
import { rowOf, type Attempt } from './attempt.js';
import { outputTokens } from './context-limits.js';
import { Failure } from './interrupts.js';
import type { Act } from './reply.js';

/**
 * Carries out the calls of a reply, in their order, each at most once: a line in tools.jsonl before it
 * starts and one for its outcome. A reply whose work was interrupted is continued where it stood.
 */
export async function carryOut(attempt: Attempt, reply: CurrentLine, act: Act): Promise<void> {
  const before = callsAlreadyMade(attempt, reply);
  const answered = attempt.history.answeredSince(reply);
  const torn = [...before.values()].some((line) => line.status === 'started');
  for (const [index, call] of act.calls.entries()) {
    if (answered.has(call.id)) continue;
    const line = before.get(call.id) ?? (torn ? null : await makeCall(attempt, reply, call));
    const { text, enough } = line === null ? NOT_CARRIED_OUT : settled(attempt, line);
    const more = index < act.calls.length - 1;
    answer(attempt, reply, call, text, { more, ignoredDone: act.ignoredDone, seq: line?.seq });
    if (enough) throw enough;
  }
  attempt.history.answerOpenCalls(IGNORED_DONE); // a native `done` beside the calls wants an answer of its own
}

const NOT_CARRIED_OUT: Settled = { text: 'not carried out: interrupted', enough: null };
const UNKNOWN =
  'unknown: the work was interrupted while this call ran, and nobody knows whether it took effect. Look before you act again.';
const IGNORED_DONE =
  '"done" came together with a call and was ignored. Say it alone, once the result is as you want it.';

/** What tools.jsonl has of this reply's calls; only a reply taken up again can have any. */
function callsAlreadyMade(attempt: Attempt, reply: CurrentLine): Map<string, ToolLine> {
  if (reply !== attempt.resumedReply) return new Map();
  const made = new Map<string, ToolLine>();
  for (const line of attempt.files.toolLines()) if (line.call.message === reply.seq) made.set(line.call.id, line);
  return made;
}

async function makeCall(attempt: Attempt, reply: CurrentLine, asked: ToolCall): Promise<ToolLine> {
  const { agent, files } = attempt;
  const call = redactStrings(asked, agent.redact); // what was masked in the text may come back by being unescaped
  const seq = rowOf(attempt).toolCallCount + 1;
  const startedAt = agent.clock.now();
  const started: ToolLine = {
    seq,
    tool: call.tool,
    args: call.args ?? call.raw ?? {},
    status: 'started',
    timestamp: new Date(startedAt).toISOString(),
    call: { message: reply.seq, id: call.id },
  };
  files.appendTool(started);
  const outcome = await outcomeOf(attempt, call);
  const finished = {
    ...started,
    duration_ms: agent.clock.now() - startedAt,
    timestamp: new Date(agent.clock.now()).toISOString(),
  };
  const line: ToolLine = outcome.ok
    ? { ...finished, status: 'success', result: agent.redact(outcome.output) }
    : { ...finished, status: 'error', error: agent.redact(outcome.error) };
  files.appendTool(line);
  if (!outcome.ok) attempt.progress.toolFailed(seq, call.tool, line.error!);
  return line;
}

async function outcomeOf(attempt: Attempt, call: ToolCall): Promise<ToolOutcome> {
  if (call.args === null) return { ok: false, error: `the arguments are no JSON object: ${call.raw ?? ''}` };
  return attempt.tools.call(call.tool, call.args, attempt.agent.signal);
}

interface Settled {
  /** What the model is shown. */
  text: string;
  /** It runs in circles: this ends the attempt. */
  enough: Failure | null;
}

/** A call that never got its outcome is recorded as unknown. */
function settled(attempt: Attempt, line: ToolLine): Settled {
  if (line.status === 'started') {
    attempt.files.appendTool({
      ...line,
      status: 'unknown',
      timestamp: new Date(attempt.agent.clock.now()).toISOString(),
    });
    return { text: UNKNOWN, enough: null };
  }
  const text = line.status === 'success' ? (line.result ?? '') : `error: ${line.error ?? ''}`;
  const { times, verdict } = attempt.loops.note(line);
  const note =
    verdict === 'fine' ? '' : `\n\n[${times} times running this call ended the same way. Do something else.]`;
  return {
    text: cutMiddle(text, outputTokens(attempt.model.contextLength)) + note,
    enough: verdict === 'enough' ? inCircles(line, times) : null,
  };
}

function inCircles({ tool, status, error }: ToolLine, times: number): Failure {
  const ended = status === 'success' ? 'with the same result' : `failing the same way: ${error ?? ''}`;
  return new Failure('loop', `${tool} was called ${times} times running, ${ended}`, {
    says: { id: 'same_error', tool, times },
  });
}

/** In native mode the tool's own message; otherwise a user message with command, arguments and output. */
function answer(
  { history }: Attempt,
  reply: CurrentLine,
  call: ToolCall,
  output: string,
  { more, ignoredDone, seq }: { more: boolean; ignoredDone: boolean; seq: number | undefined },
): void {
  const about = { toolCallId: call.id, tool_name: call.tool, ...(seq !== undefined && { tool_seq: seq }) };
  const native = isNative(reply, call);
  const text = ignoredDone && !more && !(native && callsDone(reply)) ? `${output}\n\n${IGNORED_DONE}` : output;
  if (native) {
    history.append({ role: 'tool', content: text, ...about });
    return;
  }
  const command = JSON.stringify({ tool: call.tool, args: call.args ?? call.raw });
  history.append({
    role: 'user',
    content: `command: ${command}\nprevious_output:\n${text}`,
    ...about,
    ...(more && { more }),
  });
}

/** A command in the text beside a native `done` is none. */
function isNative(reply: CurrentLine, call: ToolCall): boolean {
  return reply.toolCalls?.some(({ id }) => id === call.id) ?? false;
}

/** Such a `done` gets an answer of its own. */
function callsDone({ toolCalls = [] }: CurrentLine): boolean {
  return toolCalls.some(({ tool }) => tool === 'done');
}
