import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { chatCompletionsDialect } from './model/chat-completions.js';
import type { Behaviour, ChatDialect, HttpAnswer, Parsed } from './model/dialect.js';
import { listing } from './model/listing.js';
import { ollamaDialect } from './model/ollama.js';
import { type CannedRequest, nextStep, type Script, speak, type Step } from './model/steps.js';

export interface CannedModelOptions extends Partial<Behaviour> {
  script: Script;
}

/** What a client asked, kept for whoever wants to look. */
export interface RecordedRequest extends Omit<CannedRequest, 'n'> {
  body: Record<string, unknown>;
  headers: IncomingMessage['headers'];
}

/** Awaited when a chat request has arrived, and when its answer is decided but not sent. `'hang'`: never answer. */
export type OnModelRequest = (index: number, phase: 'before' | 'after') => Promise<void | 'hang'> | void | 'hang';

/** A model server whose replies are scripted: no model thinks here, but the protocols are real. */
export interface CannedModel {
  /** What goes into the configuration: `/v1` for OpenAI and LM Studio, the bare origin for Ollama. */
  urls: { openai: string; lmstudio: string; ollama: string };
  /** Chat requests in their order, also those that were refused. */
  requests: RecordedRequest[];
  onRequest: OnModelRequest | null;
  /** How the server behaves; may be changed while it runs. */
  behaviour: Behaviour;
  close(): Promise<void>;
}

/** Starts the server on a free port of 127.0.0.1. */
export async function startCannedModel({ script, ...told }: CannedModelOptions): Promise<CannedModel> {
  const closing = new AbortController();
  const server = createServer((message, response) => {
    serve(message)
      .then((outcome) => send(response, outcome))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model: CannedModel = {
    urls: { openai: `${origin}/v1`, lmstudio: `${origin}/v1`, ollama: origin },
    requests: [],
    onRequest: null,
    behaviour: { ...POLITE, ...told },
    close: () => shut(server, closing),
  };
  let steps = 0;
  return model;

  async function serve(message: IncomingMessage): Promise<Outcome> {
    const body = await readBody(message);
    const path = (message.url ?? '/').split('?')[0] ?? '/';
    const { apiKey } = model.behaviour;
    if (apiKey && message.headers.authorization !== `Bearer ${apiKey}`) return wrongKey;
    const dialect = chatDialect(path, model.behaviour);
    return dialect ? chat(dialect, body, message.headers) : listing(path, body, model.behaviour);
  }

  async function chat(dialect: ChatDialect, body: Body, headers: IncomingMessage['headers']): Promise<Outcome> {
    const parsed = dialect.parse(body);
    const { messages, tools, schema } = parsed;
    const asked = { provider: dialect.provider, messages, tools, schema };
    const index = model.requests.push({ ...asked, body, headers }) - 1;
    if ((await model.onRequest?.(index, 'before')) === 'hang') return 'hang';
    const outcome = screened(dialect, parsed, body) ?? (await follow(asked, dialect, parsed, body));
    return (await model.onRequest?.(index, 'after')) === 'hang' ? 'hang' : outcome;
  }

  function screened(dialect: ChatDialect, parsed: Parsed, body: Body): Outcome | null {
    const refusal = dialect.refuse(body, parsed, model.behaviour);
    if (refusal) return refusal;
    return parsed.promptTokens > model.behaviour.contextLength ? dialect.overflow(parsed, body, model.behaviour) : null;
  }

  async function follow(asked: Omit<CannedRequest, 'n'>, dialect: ChatDialect, parsed: Parsed, body: Body) {
    const step = await nextStep(script, { ...asked, n: steps++ });
    if (step.delayMs) await wait(step.delayMs, undefined, { signal: closing.signal });
    return carryOut(step, dialect, parsed, body, model.behaviour);
  }
}

type Body = Record<string, unknown>;
type Outcome = HttpAnswer | 'drop' | 'hang';

const POLITE: Behaviour = {
  dialect: 'openai',
  model: 'canned',
  contextLength: 128_000,
  apiKey: null,
  takesTools: true,
  takesSchema: true,
  strictRoles: false,
};

function chatDialect(path: string, behaviour: Behaviour): ChatDialect | null {
  if (path === '/api/chat') return ollamaDialect;
  return path === '/v1/chat/completions' ? chatCompletionsDialect(behaviour.dialect) : null;
}

function carryOut(step: Step, dialect: ChatDialect, parsed: Parsed, body: Body, behaviour: Behaviour): Outcome {
  if ('drop' in step) return 'drop';
  if ('hang' in step) return 'hang';
  if ('garbage' in step)
    return { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' };
  if ('overflow' in step) return dialect.overflow(parsed, body, behaviour);
  if ('status' in step) return { body: { error: { message: `scripted ${step.status}` } }, ...step };
  return dialect.answer(speak(step, parsed.tools !== null), parsed, body);
}

const wrongKey: HttpAnswer = {
  status: 401,
  body: { error: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' } },
};

async function readBody(message: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text ? (JSON.parse(text) as Body) : {};
}

function send(response: ServerResponse, outcome: Outcome): void {
  if (outcome === 'hang') return;
  if (outcome === 'drop') return void response.destroy();
  response.writeHead(outcome.status, { 'content-type': 'application/json', ...outcome.headers });
  if (Array.isArray(outcome.body)) for (const line of outcome.body) response.write(`${JSON.stringify(line)}\n`);
  response.end(Array.isArray(outcome.body) ? undefined : asText(outcome.body));
}

function asText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function shut(server: Server, closing: AbortController): Promise<void> {
  closing.abort();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
