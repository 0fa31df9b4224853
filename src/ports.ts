/**
 * All that the agent can do to the world, each with its failure contract. The core knows these
 * interfaces only; adapters implement them, and `commands/run.ts` brings the two together.
 */
import type { Source, TaskKey } from './task/key.js';

// ---------------------------------------------------------------- time

/** Time is an argument: logic never reads the global clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

// ---------------------------------------------------------------- log

export type LogLevel = 'error' | 'warning' | 'info' | 'debug';

/** A fixed message with fields. Never throws, never blocks the work. */
export interface Log {
  write(level: LogLevel, message: string, fields?: Record<string, unknown>): void;
}

// ---------------------------------------------------------------- forge

/** Where work is looked for: one repository, or everything an owner or group has (a search). */
export type Place = { kind: 'repository'; path: string } | { kind: 'owner'; name: string; query: string };

/** What a list of items tells of each one. */
export interface ItemHead {
  key: TaskKey;
  title: string;
  labels: string[];
  createdAt: string;
  updatedAt: string;
}

export interface Item extends ItemHead {
  body: string;
  author: string;
  state: 'open' | 'closed' | 'merged';
  assignees: string[];
  url: string;
  /** Pull and merge requests only. */
  branches?: { source: string; target: string };
}

export type CommentKind = 'comment' | 'review_comment' | 'review';

/** One comment by a person or a bot; system notes and empty bodies are never reported. */
export interface Comment {
  id: string;
  kind: CommentKind;
  author: string;
  /** The forge says that the account is a machine. */
  bot: boolean;
  body: string;
  createdAt: string;
  updatedAt: string;
  /** Review comments and diff notes: where in the change they stand. */
  path?: string;
  line?: number;
  /** Told where the words of people count who are not trusted. */
  trusted?: boolean;
}

/** How far a thread has been read. Everything changed at or after it is reported again. */
export interface CommentCursor {
  /** The newest `updatedAt` seen (ISO 8601), as the forge gave it. */
  updatedAt: string;
  /** Whether a comment was seen as it is, so that GitLab's newest-first list can be left early. */
  known(comment: Comment): boolean;
}

export interface ChangedFile {
  path: string;
  status: string;
  additions?: number;
  deletions?: number;
}

export interface LabelEvent {
  id: string;
  /** Who put the label on. */
  actor: string;
  at: string;
}

export interface LabelSpec {
  name: string;
  /** Six hex digits, no `#`. */
  color: string;
  description: string;
}

/** What somebody may do in a repository, by the forge's permission API. */
export type Access = 'none' | 'read' | 'triage' | 'write';

/** What `doctor` wants to know of a token. */
export interface TokenReport {
  login: string | null;
  /** Null where the forge does not tell (fine-grained tokens). */
  scopes: string[] | null;
  /** One sentence for each permission that is missing, with the fix. */
  problems: string[];
}

/**
 * GitHub or GitLab. Reads and idempotent writes are retried inside (one policy, `lib/retry.ts`);
 * what still fails is thrown as `ForgeError` and as nothing else (an abort throws the signal's reason).
 * Reads of lists, items and comments are conditional requests: an unchanged answer costs a 304.
 */
export interface Forge {
  readonly source: Source;
  /** The most characters a comment may have here. */
  readonly maxCommentLength: number;
  /** The account behind the token; null where the forge does not say. */
  whoAmI(): Promise<string | null>;
  /** Open items that carry the label, of every page, in no particular order. */
  findByLabel(place: Place, label: string): Promise<ItemHead[]>;
  /** Null: deleted, moved or no longer visible. */
  getItem(key: TaskKey): Promise<Item | null>;
  /** Comments changed since the cursor (null: all of them, every page), oldest first. */
  commentsSince(key: TaskKey, cursor: CommentCursor | null, options: { reviews: boolean }): Promise<Comment[]>;
  /** The files a pull or merge request changes; [] for an issue, and where the forge does not tell them. */
  changedFiles(key: TaskKey): Promise<ChangedFile[]>;
  /** The newest comment that is wanted; null: none is. */
  findComment(key: TaskKey, wanted: (comment: Comment) => boolean): Promise<Comment | null>;
  /** Sent once, never retried here. `ForgeError.kind` 'open': it may or may not have been posted. */
  postComment(key: TaskKey, body: string): Promise<string>;
  /** 'gone' if somebody deleted it. */
  editComment(key: TaskKey, id: string, body: string): Promise<void>;
  /** Already there is success. */
  react(key: TaskKey, comment: { id: string; kind: CommentKind }, reaction: 'eyes' | '+1'): Promise<void>;
  /** Adds before it removes (GitLab: both in one request). A label that is already so is success. */
  changeLabels(key: TaskKey, add: string[], remove: string[]): Promise<void>;
  /** Creates the labels that are missing (names compared without case); returns the names created. */
  ensureLabels(path: string, labels: LabelSpec[]): Promise<string[]>;
  /** The names of the repository's labels. */
  listLabels(path: string): Promise<string[]>;
  /** The newest event that put the label on, read from the last page; null: none yet. */
  newestLabelEvent(key: TaskKey, label: string): Promise<LabelEvent | null>;
  access(path: string, login: string): Promise<Access>;
  inspectToken(): Promise<TokenReport>;
  /** While `ask` runs, nothing is tried again or waited for: what fails is thrown at once. For looks that the work must not wait for. */
  promptly<T>(ask: () => Promise<T>): Promise<T>;
}

export type ForgeErrorKind =
  /** 401: the token is wrong or expired. */
  | 'refused'
  /** 403 that is no rate limit: the token may not do this. */
  | 'forbidden'
  /** 404 or 410. */
  | 'gone'
  /** 429, or GitHub's 403 for limits; `retryAt` says when to come back. */
  | 'rate'
  /** 5xx, connection lost, time-out, garbage instead of JSON, after the retries. */
  | 'unreachable'
  /** A post whose answer was lost: it may or may not have taken effect. */
  | 'open'
  /** 400, 409, 422: the forge will not take it, however often. */
  | 'rejected';

export class ForgeError extends Error {
  constructor(
    readonly kind: ForgeErrorKind,
    message: string,
    /** `guessed`: the forge named no time, `retryAt` is the least that is polite. */
    readonly details: { source: Source; status?: number; retryAt?: number; guessed?: boolean; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.name = 'ForgeError';
  }
}

/** What conditional requests remember between ticks: rows in tasks.db. */
export interface ResponseCache {
  get(key: string): { url: string; etag: string; body: string } | null;
  set(key: string, entry: { url: string; etag: string; body: string }): void;
}

// ---------------------------------------------------------------- model

/** One message as the model sees it. Tool names are `server/tool`, here and in the files. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  toolCalls?: ToolCall[];
  /** On role `tool`: the call this answers. */
  toolCallId?: string;
}

export interface ToolCall {
  id: string;
  /** `server/tool`, or `done`. */
  tool: string;
  /** Null: the model's arguments were no JSON object; `raw` has them. */
  args: Record<string, unknown> | null;
  raw?: string;
}

export interface ToolSpec {
  /** `server/tool`. */
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
}

export interface AskRequest {
  messages: ChatMessage[];
  /** Present: offer them as native tools, `done(comment)` beside them. */
  tools?: ToolSpec[];
  /** Present: ask for structured output of this shape where the server takes it. */
  schema?: { name: string; schema: Record<string, unknown> };
  /** Our own estimate of the prompt's tokens; Ollama's silent truncation is told by it. */
  estimatedTokens: number;
  signal: AbortSignal;
  /** Told before each wait, so that people can be told. */
  onRetry?: (failure: { message: string; retry: number; waitMs: number }) => void;
}

/** What came back, not yet read: `agent/reply.ts` makes sense of it. */
export interface Reply {
  text: string;
  toolCalls: ToolCall[];
  /** `length`: cut short, and never to be executed. */
  finish: 'stop' | 'tool_calls' | 'length';
  /** The provider's own count; null where it gives none. */
  usage: { promptTokens: number; completionTokens: number } | null;
  /** Requests it took, retries included: every one counts. */
  calls: number;
}

/** A model behind a protocol. Stateless; retries inside; throws `ModelError` and nothing else (or the abort's reason). */
export interface Model {
  readonly provider: 'openai' | 'lmstudio' | 'ollama';
  readonly name: string;
  readonly contextLength: number;
  /** Whether the model takes native tools; asked or learnt once, remembered. */
  supportsTools(signal: AbortSignal): Promise<boolean>;
  ask(request: AskRequest): Promise<Reply>;
}

export type ModelErrorKind =
  /** 401, 403: the key is wrong. */
  | 'refused'
  /** 429 after the retries; `retryAt` where the server said it. */
  | 'rate'
  /** Down, still loading, or timed out, after the retries. */
  | 'unreachable'
  /** The prompt does not fit the context, however the server put it. */
  | 'overflow'
  /** 400 because of `tools`; remembered, so that the next request goes without. */
  | 'no_tools'
  /** Any other 4xx: unknown model, bad parameter. */
  | 'rejected';

export class ModelError extends Error {
  constructor(
    readonly kind: ModelErrorKind,
    message: string,
    readonly details: { status?: number; retryAt?: number; calls: number; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.name = 'ModelError';
  }
}

// ---------------------------------------------------------------- tools

export type ToolOutcome = { ok: true; output: string } | { ok: false; error: string };

/** The tools of the MCP servers. */
export interface Tools {
  /** What the model may call, filtered by `allowed_tools`/`denied_tools`. */
  list(): ToolSpec[];
  /** Each server's own `system_prompt` text. */
  prompts(): string[];
  /**
   * Never throws but for an abort (the signal's reason): a server that died, a call that hangs, an
   * unknown name, arguments that do not fit, a refusal are outcomes that the model is shown.
   */
  call(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutcome>;
}
