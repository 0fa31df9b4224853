import type { LlmConfig } from '../../src/config/config.js';
import { REPLY_SCHEMA } from '../../src/agent/reply-schema.js';
import { createModel } from '../../src/models/create.js';
import { type CannedModel, type CannedModelOptions, startCannedModel } from '../../src/playground/model.js';
import type { AskRequest, ChatMessage, Model, ToolSpec } from '../../src/ports.js';

export const PROVIDERS = ['openai', 'lmstudio', 'ollama'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

export const TOOLS: ToolSpec[] = [
  {
    name: 'fs/read',
    description: 'Reads a file',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
];
export const SCHEMA = { name: 'reply', schema: REPLY_SCHEMA };
export const READ = { toolCalls: [{ tool: 'fs/read', args: { path: 'a.txt' } }], text: 'I look' };
export const HISTORY: ChatMessage[] = [
  { role: 'system', content: 'You work.' },
  { role: 'user', content: 'Fix the bug.' },
];

export let server: CannedModel;
export let clock: ReturnType<typeof fakeClock>;
let memory: ReturnType<typeof fakeMemory>;

beforeEach(() => {
  clock = fakeClock();
  memory = fakeMemory();
});
afterEach(() => server.close());

/** A canned server and a model that talks to it. */
export async function start(provider: ProviderName, options: CannedModelOptions, config: Partial<LlmConfig> = {}) {
  server = await startCannedModel({ dialect: provider === 'lmstudio' ? 'lmstudio' : 'openai', ...options });
  return connect(provider, config);
}

export function connect(provider: ProviderName, config: Partial<LlmConfig> = {}): Promise<Model> {
  const standard: LlmConfig = {
    provider,
    functionCalling: 'auto',
    timeoutSeconds: 5,
    model: 'canned',
    url: server.urls[provider],
    apiKey: 'secret-key',
    maxToken: null,
    contextLength: 8000,
    price: null,
  };
  return createModel({ ...standard, ...config }, { clock, log: { write: () => undefined }, memory });
}

export function request(parts: Partial<AskRequest> = {}): AskRequest {
  return { messages: HISTORY, estimatedTokens: 20, signal: new AbortController().signal, ...parts };
}

/** Never waits, and tells what it was asked to wait. */
function fakeClock() {
  const waits: number[] = [];
  return {
    waits,
    now: () => 1_000_000,
    sleep: (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    },
  };
}

function fakeMemory() {
  const rows = new Map<string, string>();
  return {
    get: (key: string) => rows.get(key) ?? null,
    set: (key: string, value: string) => void rows.set(key, value),
  };
}
