import type { Config, LlmConfig } from '../../config/config.js';
import { ModelError, type Model } from '../../ports.js';
import { grouped } from '../../report/format.js';
import { nearest } from '../../tools/nearest.js';
import type { CommandIo } from '../io.js';
import { hasProxy } from '../workshop.js';
import { limited, messageOf, ok, problem, warning, type Check } from './check.js';
import { answerInJson, callTool } from './model-exchange.js';
import { lookUp, type Listing } from './model-listing.js';

const LIMIT_MS = 60_000;
const LIST_LIMIT_MS = 10_000;
const SHOWN_NAMES = 5;

/** Is the model there, how long is its context, does it call tools and answer in JSON? */
export async function checkModel(config: Config, io: CommandIo): Promise<Check[]> {
  const llm: LlmConfig = { ...config.llm, timeoutSeconds: Math.min(config.llm.timeoutSeconds, LIMIT_MS / 1000) };
  const listing = await lookUp(llm, limited(io.signal, LIST_LIMIT_MS), fetch);
  io.signal.throwIfAborted();
  if (listing.kind === 'down')
    return [problem('model', `${llm.url} does not answer: ${listing.message}`, downFix(llm))];
  if (listing.kind === 'refused')
    return [problem('model', `${llm.url} refuses the key (${listing.status})`, keyFix(llm))];
  try {
    const exchanges = await converse(llm, config, io);
    return [...listingChecks(listing, llm), ...exchanges];
  } catch (error) {
    io.signal.throwIfAborted();
    return [failedCheck(error, listing, llm)];
  }
}

async function converse(llm: LlmConfig, config: Config, io: CommandIo): Promise<Check[]> {
  const { createModel } = await import('../../models/create.js');
  const memory = new Map<string, string>();
  const model: Model = await createModel(llm, {
    clock: io.clock,
    log: { write: () => undefined },
    memory: { get: (key) => memory.get(key) ?? null, set: (key, value) => void memory.set(key, value) },
    ...(hasProxy(io) && { fetch }),
  });
  const tools = await callTool(model, limited(io.signal, LIMIT_MS));
  const json = await answerInJson(model, limited(io.signal, LIMIT_MS), {
    needed: config.planning.enabled || !tools.native,
  });
  return [tools.check, json];
}

function listingChecks(listing: Listing, llm: LlmConfig): Check[] {
  if (listing.kind === 'found') return [ok('model', `${llm.model} at ${llm.url}`), contextCheck(listing, llm)];
  const configured = ok('context', `the server does not tell; ${grouped(llm.contextLength)} tokens are configured`);
  if (listing.kind !== 'unknown') return [ok('model', `${llm.model} at ${llm.url}`), configured];
  return [
    warning('model', `${llm.model} answers, but is not in the list of ${llm.url}`, `Check llm.${llm.provider}.model.`),
    configured,
  ];
}

function contextCheck({ contextLength, loaded }: Listing & { kind: 'found' }, llm: LlmConfig): Check {
  const key = `llm.${llm.provider}.context_length`;
  const configured = grouped(llm.contextLength);
  if (contextLength === null) return ok('context', `the server does not tell; ${configured} tokens are configured`);
  const real = `${grouped(contextLength)} tokens${loaded ? '' : ' at most (it is not loaded now)'}`;
  if (llm.contextLength > contextLength) {
    const other = llm.provider === 'lmstudio' ? ', or load the model with a longer context' : '';
    return problem(
      'context',
      `${configured} tokens are configured, but ${llm.model} has ${real}`,
      `Set ${key}: ${contextLength}${other}.`,
    );
  }
  return ok('context', `${configured} of ${real}`);
}

function failedCheck(error: unknown, listing: Listing, llm: LlmConfig): Check {
  const key = `llm.${llm.provider}.model`;
  if (listing.kind === 'unknown') {
    const near = nearest(llm.model, listing.others, SHOWN_NAMES);
    const names = near.length > 0 ? `; it has ${near.join(', ')}` : '; it has none';
    return problem('model', `${llm.url} does not know the model "${llm.model}"${names}`, unknownFix(llm, key));
  }
  if (!(error instanceof ModelError)) {
    return problem(
      'model',
      `${llm.model} gave no answer within ${LIMIT_MS / 1000} s: ${messageOf(error)}`,
      'It may still be loading: try again, or take a smaller model.',
    );
  }
  if (error.kind === 'refused') return problem('model', error.message, keyFix(llm));
  if (error.kind === 'unreachable') return problem('model', error.message, downFix(llm));
  return problem('model', error.message, `Check ${key} and the other settings under llm.${llm.provider}.`);
}

function unknownFix({ provider, model }: LlmConfig, key: string): string {
  if (provider === 'ollama') return `Run \`ollama pull ${model}\`, or set ${key} to one it has.`;
  return provider === 'lmstudio'
    ? `Download it in LM Studio, or set ${key} to one it has.`
    : `Set ${key} to one it has.`;
}

function keyFix({ provider }: LlmConfig): string {
  return provider === 'openai'
    ? 'Check llm.openai.api_key and the variable it is taken from.'
    : 'The server asks for a key; check its settings.';
}

function downFix({ provider }: LlmConfig): string {
  if (provider === 'ollama') return 'Start it (`ollama serve`), or correct llm.ollama.endpoint.';
  return provider === 'lmstudio'
    ? 'Start its server (`lms server start`), or correct llm.lmstudio.base_url.'
    : 'Check the network and llm.openai.base_url.';
}
