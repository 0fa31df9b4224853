import type { ChatMessage } from '../../ports.js';

/** What the canned model says, or does wrong, at one request. */
export type Step = { delayMs?: number } & (Saying | Finishing | Refusing | Misbehaving);

/** A reply. Tool calls go out natively where tools are offered, and in the JSON protocol where not. */
export interface Saying {
  text?: string;
  toolCalls?: { tool: string; args: Record<string, unknown> }[];
  finish?: 'stop' | 'tool_calls' | 'length';
  reasoning?: string;
  usage?: { promptTokens: number; completionTokens: number } | null;
}

/** The end of the task: the `done` function where tools are offered, `{"done": true}` where not. */
export interface Finishing {
  done: true;
  comment?: string;
}

export interface Refusing {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export type Misbehaving =
  /** The connection is closed without an answer. */
  | { drop: true }
  /** No answer ever. */
  | { hang: true }
  /** 200 with a page of HTML. */
  | { garbage: true }
  /** The prompt does not fit, said in the dialect of the server. */
  | { overflow: true };

export type ModelServer = 'openai' | 'lmstudio' | 'ollama';

/** A request as a script sees it: tools in our spelling, whatever the protocol. */
export interface CannedRequest {
  provider: ModelServer;
  messages: ChatMessage[];
  /** `server/tool` and `done`; null where none are offered. */
  tools: string[] | null;
  schema: Record<string, unknown> | null;
  /** How many steps were taken before this one. */
  n: number;
}

export type Script = Step[] | ((request: CannedRequest) => Step | Promise<Step>);

/** A script that follows the conversation and not the count: the same history always gets the same answer. */
export function byTurns(steps: Step[]): (request: CannedRequest) => Step {
  return ({ messages }) => stepAt(steps, messages.filter((message) => message.role === 'assistant').length);
}

export function nextStep(script: Script, request: CannedRequest): Step | Promise<Step> {
  return Array.isArray(script) ? stepAt(script, request.n) : script(request);
}

function stepAt(steps: Step[], n: number): Step {
  return (
    steps[n] ?? { status: 400, body: { error: { message: `the script has ${steps.length} steps, not ${n + 1}` } } }
  );
}

/** A step in the words of the protocol that the request uses. */
export interface Spoken {
  text: string;
  calls: { tool: string; args: Record<string, unknown> }[];
  finish: 'stop' | 'tool_calls' | 'length';
  reasoning: string | undefined;
  usage: Saying['usage'];
}

export function speak(step: Saying | Finishing, nativeTools: boolean): Spoken {
  const { text = '', calls } = spokenParts(step);
  const said = 'done' in step ? {} : step;
  const native = nativeTools || calls.length === 0;
  return {
    text: native ? text : inJson(text, calls),
    calls: native ? calls : [],
    finish: said.finish ?? (native && calls.length > 0 ? 'tool_calls' : 'stop'),
    reasoning: said.reasoning,
    usage: said.usage,
  };
}

function spokenParts(step: Saying | Finishing): Pick<Spoken, 'calls'> & { text?: string } {
  if ('done' in step) return { calls: [{ tool: 'done', args: { comment: step.comment ?? '' } }] };
  return { calls: step.toolCalls ?? [], ...(step.text === undefined ? {} : { text: step.text }) };
}

function inJson(comment: string, calls: Spoken['calls']): string {
  const replies = calls.map(({ tool, args }, index) => {
    const why = comment && index === 0 ? { comment } : {};
    return tool === 'done' ? { done: true, ...args } : { ...why, command: { tool, args } };
  });
  return JSON.stringify(replies.length === 1 ? replies[0] : replies);
}
