import { ModelError, type ModelErrorKind } from '../ports.js';
import type { LlmConfig } from '../config/config.js';

interface Facts {
  /** None: no HTTP answer that could be read (connection, time-out, garbage). */
  status?: number | undefined;
  code?: string | undefined;
  param?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** One request that failed, before it is decided what that means. */
export class RequestFailed extends Error {
  constructor(
    message: string,
    readonly facts: Facts,
  ) {
    super(message, { cause: facts.cause });
    this.name = 'RequestFailed';
  }
}

/** What was in the request, as far as it helps to understand why it failed. */
export interface Sent {
  tools: boolean;
  estimatedTokens: number;
}

export interface Meaning {
  kind: ModelErrorKind;
  /** Whether the same request may succeed a little later. */
  again: boolean;
}

const OVERFLOW_CODES = new Set(['context_length_exceeded', 'exceed_context_size_error', 'string_above_max_length']);
const BRIEF = new Set([408, 409, 425]);
const PAYMENT_REQUIRED = 402;

// Local servers give no code for these: their sentences are all there is to go by.
const OVERFLOW_TEXTS = [
  /context.{0,20}(length|size|window|limit|overflow)/i,
  /context the overflows|tokens to keep|\bn_(keep|ctx)\b/i,
  /maximum (context|prompt)|exceeds the maximum.{0,20}(input length|tokens)/i,
  /(prompt|input) (is )?too long/i,
];
const LOADING_TEXT =
  /(model is|still) loading|loading model|no models? (is |are )?loaded|model (is |was )?(unloaded|not loaded)/i;
const TOOLS_TEXT = /\btools?\b|function.?call|tool.?(use|choice|call)/i;

/** Reads a failure: codes and statuses first, sentences only where a server gives nothing else. */
export function meaningOf(failure: RequestFailed, sent: Sent, config: LlmConfig): Meaning {
  const { status, code } = failure.facts;
  if (status === undefined)
    return isOverflow(failure) ? { kind: 'overflow', again: false } : { kind: 'unreachable', again: true };
  if (status === 401 || status === 403) return { kind: 'refused', again: false };
  if (status === 429) return { kind: 'rate', again: code !== 'insufficient_quota' };
  if (status === PAYMENT_REQUIRED) return { kind: 'rate', again: false };
  if (isElsewhere(status)) return { kind: 'unreachable', again: false };
  if (isOverflow(failure)) return { kind: 'overflow', again: false };
  if (status >= 500 || BRIEF.has(status) || isLoading(failure.message)) return { kind: 'unreachable', again: true };
  if (sent.tools && refusesTools(failure)) return { kind: 'no_tools', again: false };
  return { kind: isUnexplained(failure) && isNearlyFull(sent, config) ? 'overflow' : 'rejected', again: false };
}

/** The model is on its way into memory, or out of it. */
export function isLoading(message: string): boolean {
  return LOADING_TEXT.test(message);
}

/** Redirects, which are not followed, and servers that take no POST there: nobody's task is to blame for a wrong address. */
function isElsewhere(status: number): boolean {
  return (status >= 300 && status < 400) || status === 405;
}

function isOverflow(failure: RequestFailed): boolean {
  const { status, code, param } = failure.facts;
  if (param?.startsWith('tools')) return false;
  return status === 413 || OVERFLOW_CODES.has(code ?? '') || OVERFLOW_TEXTS.some((text) => text.test(failure.message));
}

/** A tool whose schema is bad is the operator's to deny; it does not mean that the model takes no tools. */
function refusesTools(failure: RequestFailed): boolean {
  const { status, code, param } = failure.facts;
  if ((status !== 400 && status !== 422) || code === 'invalid_function_parameters') return false;
  return param ? /^(tools|tool_choice)$/.test(param) : TOOLS_TEXT.test(failure.message);
}

function isUnexplained(failure: RequestFailed): boolean {
  return failure.facts.status === 400 && !failure.facts.code && !failure.facts.param;
}

function isNearlyFull(sent: Sent, config: LlmConfig): boolean {
  return sent.estimatedTokens > config.contextLength * 0.8;
}

/** The failure as the agent is to see it, with what to do about it. */
export function modelError(
  failure: RequestFailed,
  kind: ModelErrorKind,
  config: LlmConfig,
  details: { calls: number; now: number },
): ModelError {
  const { status, retryAfterMs } = failure.facts;
  const message = `${config.model} at ${shown(config.url)}: ${failure.message}${advice(kind, status, config)}`;
  return new ModelError(kind, message, {
    calls: details.calls,
    cause: failure,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAt: details.now + retryAfterMs }),
  });
}

function advice(kind: ModelErrorKind, status: number | undefined, config: LlmConfig): string {
  const section = `llm.${config.provider}`;
  if (kind === 'refused') return ` — check ${section}.api_key`;
  if (kind === 'unreachable' && (status === undefined || isElsewhere(status)))
    return ` — is the server running, and is its address in ${section} right?`;
  if (kind === 'rejected' && status === 404)
    return ` — ${unknownModel[config.provider](config.model)}, or correct the address in ${section}`;
  return '';
}

const unknownModel = {
  openai: (model: string) => `check that llm.openai.model "${model}" exists and that the key may use it`,
  lmstudio: (model: string) => `download and load it in LM Studio (lms load ${model}), or correct llm.lmstudio.model`,
  ollama: (model: string) => `run "ollama pull ${model}", or correct llm.ollama.model`,
};

/** The address without user, password and query. */
function shown(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return origin + (pathname === '/' ? '' : pathname);
}
