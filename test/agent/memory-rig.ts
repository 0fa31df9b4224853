import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '../../src/agent/agent.js';
import type { Attempt } from '../../src/agent/attempt.js';
import { History } from '../../src/agent/history.js';
import { LlmClient } from '../../src/agent/llm-client.js';
import { loadConfig } from '../../src/config/load.js';
import { createRedactor } from '../../src/lib/redact.js';
import { estimateMessages, estimateTokens } from '../../src/lib/tokens.js';
import type { AskRequest, Clock, Log, Model, Reply } from '../../src/ports.js';
import type { AttemptRow, Conversation } from '../../src/records.js';
import { texts } from '../../src/report/texts.js';
import { openStore } from '../../src/store/store.js';
import type { TaskKey } from '../../src/task/key.js';

export const SECRET = 'ghs_verySecretToken0123456789';
export const NOW = Date.parse('2026-03-01T12:00:00Z');
export const DAY_MS = 86_400_000;

export interface Rig {
  dir: string;
  agent: Agent;
  clock: { now(): number; set(ms: number): void };
  log: { level: string; message: string; fields: Record<string, unknown> }[];
  abort: AbortController;
  close(): void;
}

/** A real store in a folder of its own, a configuration read from YAML, and a clock that stands still. */
export async function memoryRig(yaml = ''): Promise<Rig> {
  const dir = mkdtempSync(join(tmpdir(), 'memory-'));
  writeFileSync(join(dir, 'config.yaml'), `github: { repositories: [owner/repo] }\n${yaml}`);
  const env = { GITHUB_TOKEN: SECRET, OPENAI_API_KEY: 'sk-another-secret-1234' };
  const config = await loadConfig({ env, cwd: dir });
  let time = NOW;
  const clock: Clock = { now: () => time, sleep: () => Promise.resolve() };
  const lines: Rig['log'] = [];
  const log: Log = { write: (level, message, fields = {}) => void lines.push({ level, message, fields }) };
  const store = openStore(config.contextStorage.baseDir, {
    worker: { pid: process.pid, hostname: 'here' },
    clock,
    log,
  });
  const abort = new AbortController();
  const agent = {
    ...{ config, clock, log, store, user: 'tester', hostname: 'here', signal: abort.signal },
    redact: createRedactor(config.secrets, []),
    logFor: () => log,
    forges: new Map(),
    newUuid: () => crypto.randomUUID(),
  } as unknown as Agent;
  const close = (): void => {
    store.close();
    rmSync(dir, { recursive: true });
  };
  return { dir, agent, clock: { now: () => time, set: (ms) => (time = ms) }, log: lines, abort, close };
}

export const KEY: TaskKey = { source: 'github', owner: 'owner', repo: 'repo', type: 'issue', id: '12' };

export function conversationIn({ agent }: Rig, change: Partial<Conversation> = {}): Conversation {
  return agent.store.conversations.create({
    key: KEY,
    state: 'processing',
    title: 'A title',
    url: 'http://127.0.0.1/owner/repo/issues/12',
    author: 'alice',
    language: 'en',
    lastCommentId: null,
    commentCount: 0,
    firstProcessedAt: NOW,
    lastProcessedAt: NOW,
    reason: null,
    unfinished: false,
    lastCommentAt: null,
    seenUpdatedAt: null,
    cursor: null,
    labelEvent: null,
    wantedLabel: null,
    labelsWrittenAt: null,
    ...change,
  });
}

export function rowIn({ agent }: Rig, conversation: Conversation, change: Partial<AttemptRow> = {}): AttemptRow {
  const row: AttemptRow = {
    uuid: crypto.randomUUID(),
    key: conversation.key,
    conversationId: conversation.id,
    status: 'running',
    pausedBy: null,
    pausedAt: null,
    notBefore: null,
    parkCount: 0,
    followUp: false,
    createdAt: NOW,
    startedAt: NOW,
    completedAt: null,
    llmProvider: 'openai',
    model: 'some-model',
    contextLength: 8192,
    llmCallCount: 0,
    turnCount: 0,
    toolCallCount: 0,
    totalTokens: 0,
    compressionCount: 0,
    compressionTokens: 0,
    workedMs: 0,
    errorMessage: null,
    outcome: null,
    user: 'tester',
    lastSeq: 0,
    progress: {},
    phase: null,
    lastMessage: null,
    takeUps: 0,
    ...change,
  };
  agent.store.attempts.create(row);
  return row;
}

export type Answer = (request: AskRequest) => Partial<Omit<Reply, 'usage'>>;

/** A model that counts as the estimate does, times `scale`, and says what the function says. */
export function scripted(answer: Answer, { contextLength = 8192, scale = 1 } = {}): Model & { requests: AskRequest[] } {
  const requests: AskRequest[] = [];
  return {
    ...{ provider: 'openai', name: 'some-model', contextLength, requests },
    supportsTools: () => Promise.resolve(true),
    ask(request) {
      requests.push(structuredClone({ ...request, signal: undefined }) as unknown as AskRequest);
      const said: Omit<Reply, 'usage'> = { text: '', toolCalls: [], finish: 'stop', calls: 1, ...answer(request) };
      const promptTokens = Math.ceil(estimateMessages(request.messages) * scale);
      return Promise.resolve({ ...said, usage: { promptTokens, completionTokens: estimateTokens(said.text) + 10 } });
    },
  };
}

/** An attempt over the files of its row, as far as memory is concerned with it. */
export function attemptOf({ agent }: Rig, conversation: Conversation, row: AttemptRow, model: Model): Attempt {
  const files = agent.store.files(row.uuid);
  const history = new History(row.uuid, files, agent.store.attempts, agent.clock, agent.redact);
  return {
    ...{ agent, conversation, model, files, history, uuid: row.uuid, log: agent.log },
    llm: new LlmClient(model, history, agent.signal),
    texts: texts(conversation.language),
  } as unknown as Attempt;
}

/** A fresh attempt whose opening is written: system prompt and request. */
export function openedAttempt(
  rig: Rig,
  model: Model,
  request = 'Please mend the parser.',
  language: 'en' | 'ja' = 'en',
): Attempt {
  const conversation = conversationIn(rig, { language });
  const row = rowIn(rig, conversation);
  rig.agent.store.createFiles(row.uuid, { uuid: row.uuid }).close();
  const attempt = attemptOf(rig, conversation, row, model);
  attempt.history.append({ role: 'system', content: 'You are a coding agent.' });
  attempt.history.append({ role: 'user', content: request, progress: { requestEnd: 2 } });
  return attempt;
}

/** A turn with a native call and its result, as the loop would leave it. */
export function addTurn(
  attempt: Attempt,
  n: number,
  output: string,
  usage?: { prompt: number; completion: number },
): void {
  const id = `call_${n}`;
  attempt.history.append({
    ...{ role: 'assistant', content: `Step ${n}`, finish: 'tool_calls', calls: 1 },
    toolCalls: [{ id, tool: 'files/read', args: { path: `src/file-${n}.ts` } }],
    ...(usage && { usage }),
  });
  attempt.history.append({ role: 'tool', content: output, toolCallId: id, tool_name: 'files/read' });
}

export function isSummaryRequest({ messages }: AskRequest): boolean {
  return messages.length === 2 && messages[1]!.content.startsWith('<conversation>');
}
