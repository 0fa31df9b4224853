import type { LlmConfig } from '../config/config.js';
import { type Verdict, withRetry } from '../lib/retry.js';
import type { AskRequest, Clock, Log, Model, Reply, ToolSpec } from '../ports.js';
import { meaningOf, modelError, RequestFailed, type Sent } from './failures.js';
import { type ModelMemory, refusalsOf } from './memory.js';
import { within } from './within.js';

export interface ModelDeps {
  clock: Clock;
  log: Log;
  memory: ModelMemory;
  /** Another way to the network, a proxy for example; without it, one that waits as long as `timeout_seconds` says. */
  fetch?: typeof fetch;
}

/** One request, sent once: what a provider is given. */
export interface Sending {
  messages: AskRequest['messages'];
  tools: ToolSpec[] | undefined;
  schema: AskRequest['schema'];
  /** False: the server takes no native tools, so the history must not show any either. */
  nativeTools: boolean;
  estimatedTokens: number;
  signal: AbortSignal;
}

export type Answer = Omit<Reply, 'calls'>;

/** What a protocol must do. Stateless; throws `RequestFailed`. */
export interface Provider {
  send(sending: Sending): Promise<Answer>;
  /** Where the server can be asked whether the model takes tools. */
  takesTools?(signal: AbortSignal): Promise<boolean>;
}

/** What one question has cost so far, and how to go on with it. */
interface Trial extends Sent {
  calls: number;
  signal: AbortSignal;
  onRetry?: AskRequest['onRetry'];
}

/** A model over a provider: what is offered, what is tried again, what is remembered, and what a failure means. */
export function modelOver(provider: Provider, config: LlmConfig, deps: ModelDeps): Model {
  const refusals = refusalsOf(config, deps.memory);
  let asked: boolean | undefined;
  /** The last refusal spoke of tools; whether it was about them shows when the same conversation passes without. */
  let toolsDoubted = false;
  const toolsRefused = () => toolsDoubted || refusals.has('tools');

  return { provider: config.provider, name: config.model, contextLength: config.contextLength, supportsTools, ask };

  async function supportsTools(signal: AbortSignal): Promise<boolean> {
    if (config.functionCalling !== 'auto') return config.functionCalling;
    if (toolsRefused()) return false;
    asked ??= await askServer({ tools: false, estimatedTokens: 0, calls: 0, signal });
    return asked;
  }

  async function askServer(trial: Trial): Promise<boolean> {
    if (!provider.takesTools) return true;
    try {
      return await attempt((signal) => provider.takesTools?.(signal) ?? Promise.resolve(true), trial);
    } catch (error) {
      throw understood(error, trial);
    }
  }

  async function ask(request: AskRequest): Promise<Reply> {
    const { tools, estimatedTokens, signal, onRetry } = request;
    const trial: Trial = { tools: tools !== undefined, estimatedTokens, signal, calls: 0, onRetry };
    try {
      signal.throwIfAborted();
      if (tools && toolsRefused()) throw new RequestFailed('the server refuses tools', { status: 400, param: 'tools' });
      const answer = await askInShape(request, trial);
      if (toolsDoubted && isTurn(request)) rememberNoTools();
      return { ...answer, calls: trial.calls };
    } catch (error) {
      throw understood(error, trial);
    }
  }

  /** A summary asks for no shape: it is another conversation, and proves nothing. */
  function isTurn({ schema }: AskRequest): boolean {
    return schema !== undefined;
  }

  function rememberNoTools(): void {
    toolsDoubted = false;
    refusals.add('tools');
    deps.log.write('info', 'The model server refuses tools; going on with the JSON protocol', { model: config.model });
  }

  /** A 400 may be about the shape or about something else: that the request passes without it is the proof. */
  async function askInShape(request: AskRequest, trial: Trial): Promise<Answer> {
    if (request.tools || !request.schema || refusals.has('schema')) return send(request, undefined, trial);
    try {
      return await send(request, request.schema, trial);
    } catch (error) {
      if (!mayBeTheShape(error, trial)) throw error;
      const answer = await send(request, undefined, trial);
      refusals.add('schema');
      deps.log.write('info', 'The model server refuses structured output; going on without', { model: config.model });
      return answer;
    }
  }

  function mayBeTheShape(error: unknown, trial: Trial): boolean {
    if (!(error instanceof RequestFailed) || meaningOf(error, trial, config).kind !== 'rejected') return false;
    return error.facts.status === 400 || error.facts.status === 422;
  }

  function send(request: AskRequest, schema: AskRequest['schema'], trial: Trial): Promise<Answer> {
    const { messages, tools, estimatedTokens } = request;
    const nativeTools = config.functionCalling !== false && !toolsRefused() && asked !== false;
    return attempt((signal) => provider.send({ messages, tools, schema, nativeTools, estimatedTokens, signal }), trial);
  }

  function attempt<T>(work: (signal: AbortSignal) => Promise<T>, trial: Trial): Promise<T> {
    const once = () => {
      trial.calls += 1;
      return within(config.timeoutSeconds * 1000, trial.signal, work);
    };
    return withRetry(once, {
      clock: deps.clock,
      signal: trial.signal,
      judge: (error) => verdict(error, trial),
      onRetry: ({ error, retry, waitMs }) => {
        const message = error instanceof Error ? error.message : String(error);
        deps.log.write('warning', 'The model request failed and is tried again', { error: message, retry, waitMs });
        trial.onRetry?.({ message, retry, waitMs });
      },
    });
  }

  function verdict(error: unknown, trial: Trial): Verdict {
    if (!(error instanceof RequestFailed) || !meaningOf(error, trial, config).again) return { again: false };
    const { retryAfterMs } = error.facts;
    return retryAfterMs === undefined ? { again: true } : { again: true, afterMs: retryAfterMs };
  }

  /** What the caller is to see: a `ModelError`, the abort's reason, or a bug as it is. */
  function understood(error: unknown, trial: Trial): unknown {
    if (trial.signal.aborted) return trial.signal.reason;
    if (!(error instanceof RequestFailed)) return error;
    const { kind } = meaningOf(error, trial, config);
    const insisted = kind === 'no_tools' && config.functionCalling === true;
    toolsDoubted = (kind === 'no_tools' && !insisted) || (toolsDoubted && kind !== 'rejected');
    return modelError(error, insisted ? 'rejected' : kind, config, { calls: trial.calls, now: deps.clock.now() });
  }
}
