import type { LlmConfig } from '../../config/config.js';
import { messageOf } from './check.js';

/** What a model server tells of its models. */
export type Listing =
  /** `contextLength`: what the model really has; null where the server does not say. */
  | { kind: 'found'; contextLength: number | null; loaded: boolean }
  | { kind: 'unknown'; others: string[] }
  | { kind: 'refused'; status: number }
  | { kind: 'down'; message: string }
  /** The server has no such list. */
  | { kind: 'untold' };

interface Entry {
  name: string;
  contextLength: number | null;
  loaded: boolean;
}

type Fields = Record<string, unknown>;

/** Asks the server, in its own way, whether it has the model and how long its context is. */
export async function lookUp(llm: LlmConfig, signal: AbortSignal, ask: typeof fetch): Promise<Listing> {
  const get = jsonGetter(llm, signal, ask);
  try {
    if (llm.provider === 'ollama') return await askOllama(llm, get);
    const entries = llm.provider === 'lmstudio' ? await lmStudioModels(llm, get) : await openAiModels(get);
    const found = entries.find((entry) => entry.name === llm.model);
    return found ? { kind: 'found', ...found } : { kind: 'unknown', others: entries.map((entry) => entry.name) };
  } catch (error) {
    if (!(error instanceof BadAnswer)) return { kind: 'down', message: messageOf(error) };
    const { status } = error;
    return status === 401 || status === 403 ? { kind: 'refused', status } : { kind: 'untold' };
  }
}

async function askOllama({ model }: LlmConfig, get: GetJson): Promise<Listing> {
  const shown = await get('/api/show', { model }).catch((error: unknown) => {
    if (error instanceof BadAnswer && error.status === 404) return null;
    throw error;
  });
  if (shown) return { kind: 'found', contextLength: contextIn(shown['model_info']), loaded: true };
  const { models } = await get('/api/tags');
  return { kind: 'unknown', others: listOf(models).map((entry) => String(entry['name'])) };
}

/** The key begins with the architecture: `llama.context_length`. */
function contextIn(info: unknown): number | null {
  const found = Object.entries((info ?? {}) as Fields).find(([key]) => key.endsWith('.context_length'));
  return numberOf(found?.[1]);
}

async function openAiModels(get: GetJson): Promise<Entry[]> {
  const data = modelsIn(await get('/models'));
  // OpenAI itself does not tell the length; gateways and local servers do, each under its own name.
  return data.map((entry) => ({
    name: String(entry['id']),
    contextLength: numberOf(entry['context_length'] ?? entry['max_model_len'] ?? entry['context_window']),
    loaded: true,
  }));
}

/** Its own API knows more than the OpenAI-like one, but is newer. */
async function lmStudioModels(llm: LlmConfig, get: GetJson): Promise<Entry[]> {
  const answer = await get(new URL('/api/v0/models', llm.url).href)
    .then(modelsIn)
    .catch((error: unknown) => {
      if (error instanceof BadAnswer && (error.status === 404 || error.status === 200)) return null;
      throw error;
    });
  if (!answer) return openAiModels(get);
  return answer.map((entry) => {
    const loaded = entry['state'] === 'loaded';
    const contextLength = numberOf(
      loaded ? (entry['loaded_context_length'] ?? entry['max_context_length']) : entry['max_context_length'],
    );
    return { name: String(entry['id']), contextLength, loaded };
  });
}

/** LM Studio answers 200 and an error on routes that it does not know. */
function modelsIn({ data }: Fields): Fields[] {
  if (!Array.isArray(data)) throw new BadAnswer(200);
  return data as Fields[];
}

class BadAnswer extends Error {
  constructor(readonly status: number) {
    super(`the server answered ${status}`);
  }
}

type GetJson = (path: string, body?: object) => Promise<Fields>;

function jsonGetter(llm: LlmConfig, signal: AbortSignal, ask: typeof fetch): GetJson {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (llm.apiKey) headers['authorization'] = `Bearer ${llm.apiKey}`;
  return async (path, body) => {
    const url = path.startsWith('/') ? llm.url.replace(/\/+$/, '') + path : path;
    const post = body && { method: 'POST', body: JSON.stringify(body) };
    const response = await ask(url, { ...post, headers, redirect: 'manual', signal });
    if (!response.ok) throw new BadAnswer(response.status);
    const answer: unknown = await response.json().catch(() => null);
    if (typeof answer !== 'object' || answer === null) throw new BadAnswer(response.status);
    return answer as Fields;
  };
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : [];
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && value > 0 ? value : null;
}
