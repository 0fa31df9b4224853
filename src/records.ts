/** What is kept between ticks, as the core sees it. `store/` keeps it in SQLite and files. */
import type { ChatMessage, CommentKind, ResponseCache } from './ports.js';
import type { TaskKey } from './task/key.js';

export type Language = 'ja' | 'en';

// ---------------------------------------------------------------- conversations

export type ConversationState =
  'requested' | 'processing' | 'awaiting-response' | 'paused' | 'completed' | 'stopped' | 'failed';

/** What lasts between attempts at the same task. */
export interface Conversation {
  id: number;
  key: TaskKey;
  state: ConversationState;
  title: string;
  url: string;
  author: string;
  language: Language;
  /** The newest comment that was read, and follow-up attempts since the label was put on. */
  lastCommentId: string | null;
  commentCount: number;
  firstProcessedAt: number;
  lastProcessedAt: number;
  /** Why it is in this state, in a word (`reasons` of the catalogue) or a sentence. */
  reason: string | null;
  /** What waits is not finished: over budget, not verified, or a question. */
  unfinished: boolean;
  /** When somebody last said something; the time-out runs from the later of this and settling. */
  lastCommentAt: number | null;
  /** The item's `updatedAt` when its comments were last looked at. */
  seenUpdatedAt: string | null;
  /** The newest `updatedAt` of a comment seen. */
  cursor: string | null;
  /** The event that put the request label on, as stored with the last attempt. */
  labelEvent: { id: string; at: string } | null;
  /** The label this state wants to show; null once it was written. */
  wantedLabel: string | null;
  /** When our last label write was known to have succeeded. */
  labelsWrittenAt: number | null;
}

// ---------------------------------------------------------------- attempts

export type AttemptStatus = 'running' | 'completed' | 'stopped' | 'failed' | 'paused';
export type PausedBy = 'person' | 'signal_file' | 'parked' | 'question';

/** One go at a task: a row in `tasks` and a folder. */
export interface AttemptRow {
  uuid: string;
  key: TaskKey;
  conversationId: number;
  status: AttemptStatus;
  pausedBy: PausedBy | null;
  pausedAt: number | null;
  notBefore: number | null;
  /** How often it was parked in a row: the wait doubles. */
  parkCount: number;
  followUp: boolean;
  createdAt: number;
  startedAt: number;
  completedAt: number | null;
  llmProvider: string;
  model: string;
  contextLength: number;
  llmCallCount: number;
  /** Calls that are numbered in LLM-call comments: house-keeping left out. */
  turnCount: number;
  toolCallCount: number;
  totalTokens: number;
  compressionCount: number;
  /** Tokens that compressions cost. */
  compressionTokens: number;
  workedMs: number;
  errorMessage: string | null;
  outcome: string | null;
  user: string;
  /** The last message whose effect is in this row. */
  lastSeq: number;
  /** What the mode needs to go on: merged from `progress` of the messages. */
  progress: Record<string, unknown>;
  phase: string | null;
  lastMessage: string | null;
  /** Times it was taken up without getting anywhere since. */
  takeUps: number;
}

/** What `settle` and `park` write in one transaction with everything that follows from it. */
export interface Transition {
  attempt?: { uuid: string } & Partial<
    Pick<
      AttemptRow,
      | 'status'
      | 'pausedBy'
      | 'pausedAt'
      | 'notBefore'
      | 'parkCount'
      | 'completedAt'
      | 'errorMessage'
      | 'outcome'
      | 'takeUps'
      | 'workedMs'
      | 'lastMessage'
    >
  >;
  conversation?: { id: number } & Partial<Omit<Conversation, 'id' | 'key'>>;
  posts?: Post[];
}

// ---------------------------------------------------------------- messages

/** A line of messages.jsonl: what was said, and what the rows will say because of it. */
export interface MessageLine {
  seq: number;
  role: ChatMessage['role'];
  content: string;
  timestamp: string;
  tokens: number;
  tool_name?: string;
  tool_calls?: NonNullable<ChatMessage['toolCalls']>;
  tool_call_id?: string;
  /** Answers to a call: its number in tools.jsonl, by which the row counts. */
  tool_seq?: number;
  /** The comments it brings in, as text; `comments` has all that their rows will say. */
  comment_ids?: string[];
  comments?: SeenComment[];
  /** Assistant lines: how the reply ended and what it cost. */
  finish?: 'stop' | 'tool_calls' | 'length';
  usage?: { prompt: number; completion: number };
  /** Our estimate of request and reply, where the provider gave no usage. */
  estimated?: number;
  calls?: number;
  /** User lines: the n-th complaint in a row about replies that could not be read. */
  complaint?: number;
  /** Answers to a call: more calls of the same reply follow. */
  more?: true;
  /** What the mode's progress becomes with this message. */
  progress?: Record<string, unknown>;
}

export interface SummaryLine {
  id: number;
  start_seq: number;
  end_seq: number;
  summary: string;
  original_tokens: number;
  summary_tokens: number;
  ratio: number;
  timestamp: string;
  final?: true;
}

export interface ToolLine {
  seq: number;
  tool: string;
  args: unknown;
  status: 'started' | 'success' | 'error' | 'unknown';
  result?: string;
  error?: string;
  duration_ms?: number;
  timestamp: string;
  /** Which call of which message it is, so that a resumed attempt finds it again. */
  call: { message: number; id: string };
}

export interface PlanningLine {
  type: 'plan' | 'revision' | 'reflection' | 'verification' | 'replan_decision';
  timestamp: string;
  task_uuid: string;
  [field: string]: unknown;
}

/** What the model sees now: a chat message with its place in the history. */
export interface CurrentLine extends ChatMessage {
  seq: number;
  finish?: 'stop' | 'tool_calls' | 'length';
  usage?: { prompt: number; completion: number };
  complaint?: number;
  more?: true;
}

/** The files of one attempt. Appends are synced before they return; reading repairs what a crash tore. */
export interface AttemptFiles {
  readonly dir: string;
  /** What the model sees: current.jsonl, extended by what only messages.jsonl has. */
  current(): CurrentLine[];
  messagesAfter(seq: number): MessageLine[];
  firstMessage(): MessageLine | null;
  appendMessage(line: MessageLine): void;
  /** Replaces what the model sees as a whole: temporary file, fsync, rename. */
  replaceCurrent(lines: CurrentLine[]): void;
  appendTool(line: ToolLine): void;
  /** The last line of each call, in order. */
  tools(): ToolLine[];
  /** Every line, one at a time: a call that has ended has two. */
  toolLines(): Iterable<ToolLine>;
  appendSummary(line: SummaryLine): void;
  summaries(): SummaryLine[];
  appendPlanning(line: PlanningLine): void;
  planning(): PlanningLine[];
  close(): void;
}

// ---------------------------------------------------------------- comments and posts

/** What became of a comment that was seen. */
export type CommentFate = 'read' | 'own' | 'ignored' | 'command' | 'completion' | 'skipped';

export interface SeenComment {
  kind: CommentKind;
  id: string;
  updatedAt: string;
  fate: CommentFate;
  /** What tells an edit from a reaction, which changes `updatedAt` on GitLab too. Rows of the first release have none. */
  bodyHash?: string;
}

export type PostKind =
  'progress' | 'phase' | 'checklist' | 'question' | 'result' | 'failure' | 'paused' | 'stopped' | 'closing' | 'refused';

/** Something to be said in the thread, exactly once. `body` is what passed the door, marker included. */
export interface Post {
  attempt: string;
  conversationId: number;
  kind: PostKind;
  n: number;
  body: string;
}

export interface OutboxRow extends Post {
  id: number;
  key: TaskKey;
  /** What stands in the thread; null: not known to be posted. */
  commentId: string | null;
  sentBody: string | null;
  tries: number;
  /** The forge will not take it, or its comment was deleted: nothing more is tried. */
  dropped: boolean;
}

/** A line of the progress comment's history: what was said to people, by the message it belongs to. */
export interface Entry {
  n: number;
  at: number;
  text: string;
}

export type Wish = 'pause' | 'resume' | 'stop' | 'retry';

// ---------------------------------------------------------------- the store

/** The database. Synchronous; throws only what the disk or SQLite throws. */
export interface Store {
  readonly conversations: {
    find(key: TaskKey): Conversation | null;
    get(id: number): Conversation;
    all(): Conversation[];
    inState(...states: ConversationState[]): Conversation[];
    /** Those whose label or posts an earlier tick could not write. */
    withUnwritten(): Conversation[];
    create(conversation: Omit<Conversation, 'id'>): Conversation;
    update(id: number, change: Partial<Omit<Conversation, 'id' | 'key'>>): void;
  };
  readonly attempts: {
    get(uuid: string): AttemptRow | null;
    byPrefix(prefix: string): AttemptRow[];
    /** Running or paused. */
    unsettled(): AttemptRow[];
    unsettledOf(conversationId: number): AttemptRow | null;
    ofConversation(conversationId: number): AttemptRow[];
    create(row: AttemptRow): void;
    update(uuid: string, change: Partial<Omit<AttemptRow, 'uuid' | 'key'>>): void;
    /** Brings the row up to a message that is already in the file; once for each `seq`. */
    applyMessage(uuid: string, line: MessageLine): void;
    delete(uuid: string): void;
  };
  readonly comments: {
    fateOf(conversationId: number, comment: { kind: CommentKind; id: string }): SeenComment | null;
    record(conversationId: number, comments: SeenComment[]): void;
    count(conversationId: number): number;
  };
  readonly outbox: {
    /** Inserts the post; one that is already there keeps its row and gets the new body. */
    put(post: Post): OutboxRow;
    find(attempt: string, kind: PostKind, n: number): OutboxRow | null;
    /** Rows of the conversation that are to be posted or edited, in their order. */
    unsent(conversationId: number): OutboxRow[];
    ofConversation(conversationId: number): OutboxRow[];
    hasComment(conversationId: number, commentId: string): boolean;
    update(id: number, change: Partial<Pick<OutboxRow, 'commentId' | 'sentBody' | 'tries' | 'dropped' | 'body'>>): void;
  };
  readonly entries: {
    /** Once for each n. */
    add(attempt: string, entry: Entry): void;
    newest(attempt: string, limit: number): Entry[];
    count(attempt: string): number;
  };
  readonly wishes: {
    add(conversationId: number, wish: Wish): void;
    of(conversationId: number): Wish[];
    all(): { conversationId: number; wish: Wish }[];
    take(conversationId: number, wish: Wish): void;
  };
  /** Small facts that outlive a tick: what a model refuses, when a warning was last printed. */
  readonly facts: { get(key: string): string | null; set(key: string, value: string): void };
  readonly cache: ResponseCache;
  readonly servers: {
    record(server: { pid: number; startTime: string; name: string }): void;
    forget(pid: number): void;
    list(): { pid: number; startTime: string; name: string }[];
  };
  readonly usage: { add(day: string, tokens: number): void; of(day: string): number };
  /** Everything in one transaction. */
  commit(transition: Transition): void;
  atomically<T>(change: () => T): T;
  /** The folder of an attempt; `create` makes it. */
  files(uuid: string): AttemptFiles;
  createFiles(uuid: string, metadata: Record<string, unknown>): AttemptFiles;
  deleteFiles(uuid: string): void;
  close(): void;
}
