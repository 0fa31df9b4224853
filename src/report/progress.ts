import type { Agent } from '../agent/agent.js';
import type { Comment, Forge } from '../ports.js';
import type { Conversation, Post, PostKind } from '../records.js';
import { openDoor } from './door.js';
import { marker } from './marker.js';
import { sendEdit, sendPosts } from './outbox.js';
import type { Counts, ProgressState } from './progress-text.js';
import type { Texts } from './texts.js';
import type { Phase } from './words.js';

/** Entries of the history that are shown: what a comment costs does not grow with the attempt. */
const SHOWN_ENTRIES = 50;
/** Another installation takes over what was not touched for an hour; this is well within it. */
const HEARTBEAT_MS = 8 * 60_000;

export interface ProgressDeps {
  agent: Agent;
  forge: Forge;
  conversation: Conversation;
  uuid: string;
  texts: Texts;
  inherited: { uuid: string; at: number } | null;
}

/** What the thread shows of a working attempt. Everything it says goes through the door and the outbox. */
export class ProgressComment {
  private readonly door: (body: string, marker: string) => string;
  private readonly involved: Set<string>;
  private readonly startedAt: number;
  private state: ProgressState = { kind: 'working' };
  private message: string | undefined;
  private taskId: string | undefined;
  private sentAt = -Infinity;
  private turnSeq = 0;
  private heart: NodeJS.Timeout | null = null;
  private courtesies: Promise<void>[] = [];

  constructor(private readonly deps: ProgressDeps) {
    const { agent, conversation, forge } = deps;
    this.startedAt = agent.clock.now();
    this.involved = new Set([conversation.author.toLowerCase()]);
    this.door = openDoor({
      redact: agent.redact,
      source: conversation.key.source,
      maxLength: forge.maxCommentLength,
      involved: (login) => this.involved.has(login.toLowerCase()),
    });
    this.message = agent.store.attempts.get(deps.uuid)?.lastMessage ?? undefined;
  }

  /** Announces the attempt, or says that it goes on. */
  async announce(): Promise<void> {
    this.update({ kind: 'working' });
    await this.send({ now: true });
    this.heart = setInterval(() => void this.beat(), HEARTBEAT_MS);
    this.heart.unref();
  }

  /** After each reply that was understood: what it says to people is in the outbox before its tool is called. */
  async turn(seq: number, ask: { phase?: Phase; taskId?: string }, comment: string | null): Promise<void> {
    this.turnSeq = seq;
    this.taskId = ask.taskId;
    const said = comment?.trim() ?? '';
    const text = ask.phase ? this.callForm(ask.phase, ask.taskId, said) : said;
    if (text === '' && !this.editsAreDue() && !this.isNewPhase(ask.phase)) return; // only the counts have changed
    if (said !== '') this.message = said;
    this.deps.agent.store.atomically(() => {
      if (text !== '') this.enter(seq * 1000, text, ask);
      this.update({ kind: 'working', ...(ask.phase && { phase: ask.phase }) });
    });
    await this.send({ now: false });
  }

  private isNewPhase(phase: Phase | undefined): boolean {
    return this.state.kind !== 'working' || this.state.phase !== phase;
  }

  toolFailed(toolSeq: number, tool: string, error: string): void {
    if (!this.planning || !this.callComments) return;
    const { agent, texts } = this.deps;
    const failure = { tool, error, at: agent.clock.now(), ...(this.taskId && { taskId: this.taskId }) };
    this.enter(this.turnSeq * 1000 + 1 + (toolSeq % 400), texts.toolError(failure), {});
  }

  modelFailed(phase: Phase | undefined, error: string): void {
    if (!phase || !this.callComments) return;
    const { agent, texts } = this.deps;
    const at = agent.clock.now();
    this.enter(this.turnSeq * 1000 + 500 + (at % 400), texts.callError({ phase, error, at, retrying: true }), {});
    this.update(this.state);
  }

  /** 👀: the comment was taken in; 👍: the command was heard. A courtesy beside the work, which may fail. */
  acknowledge(comments: Comment[], reaction: 'eyes' | '+1' = 'eyes'): void {
    const { forge, conversation, agent } = this.deps;
    for (const comment of comments) {
      this.involved.add(comment.author.toLowerCase());
      const courtesy = forge.react(conversation.key, comment, reaction).catch((error: unknown) => {
        agent.log.write('debug', 'no reaction could be put on a comment', {
          comment: comment.id,
          error: String(error),
        });
      });
      this.courtesies.push(courtesy);
    }
  }

  /** A comment of its own, or its edit. */
  async post(kind: PostKind, n: number, body: string): Promise<void> {
    this.deps.agent.store.outbox.put(this.postOf(kind, n, body));
    await this.send({ now: false });
  }

  /** The same, for a transition that is committed elsewhere. */
  postOf(kind: PostKind, n: number, body: string): Post {
    const { uuid, conversation } = this.deps;
    const text = this.door(body, marker({ attempt: uuid, kind, n }));
    return { attempt: uuid, conversationId: conversation.id, kind, n, body: text };
  }

  /** The last state of the progress comment, to be committed with what it tells. */
  final(state: ProgressState): Post {
    this.stop();
    return this.postOf('progress', 0, this.body(state));
  }

  refresh(): void {
    this.sentAt = -Infinity;
    this.update(this.state);
  }

  /** Reactions go out beside the work; this waits for those under way. */
  async acknowledged(): Promise<void> {
    await Promise.all(this.courtesies.splice(0));
  }

  stop(): void {
    if (this.heart) clearInterval(this.heart);
    this.heart = null;
  }

  counts(): Counts {
    const { agent, uuid } = this.deps;
    const row = agent.store.attempts.get(uuid)!;
    return {
      turns: row.turnCount,
      toolCalls: row.toolCallCount,
      tokens: row.totalTokens,
      elapsedMs: row.workedMs + Math.max(0, agent.clock.now() - this.startedAt),
    };
  }

  private get planning(): boolean {
    return this.deps.agent.config.planning.enabled;
  }

  private get callComments(): boolean {
    return this.deps.agent.config.planning.llmCallComments.enabled;
  }

  private callForm(phase: Phase, taskId: string | undefined, comment: string): string {
    if (!this.callComments) return '';
    const { agent, texts, uuid } = this.deps;
    const n = agent.store.attempts.get(uuid)!.turnCount;
    return texts.phaseCall({ phase, n, at: agent.clock.now(), comment, ...(taskId && { taskId }) });
  }

  /** Sticky: a line of the history. Append: a comment of its own, in planning mode one for each phase. */
  private enter(n: number, text: string, about: { phase?: Phase; taskId?: string }): void {
    const { agent, uuid } = this.deps;
    agent.store.entries.add(uuid, { n, at: agent.clock.now(), text });
    if (agent.config.progressComments === 'sticky') return;
    if (about.phase) this.extendPhase(n, text, about.phase, about.taskId);
    else agent.store.outbox.put(this.postOf('progress', Math.floor(n / 1000), text));
  }

  private extendPhase(n: number, text: string, phase: Phase, taskId: string | undefined): void {
    const { agent, uuid } = this.deps;
    const fact = `phase:${uuid}`;
    const last = JSON.parse(agent.store.facts.get(fact) ?? '{"key":"","n":0,"at":0,"texts":[]}') as PhaseComment;
    if (last.at >= n) return;
    const key = `${phase}:${taskId ?? ''}`;
    const next =
      key === last.key
        ? { ...last, at: n, texts: [...last.texts, text] }
        : { key, n: last.n + 1, at: n, texts: [text] };
    agent.store.outbox.put(this.postOf('phase', next.n, next.texts.join('\n\n---\n\n')));
    agent.store.facts.set(fact, JSON.stringify(next));
  }

  private update(state: ProgressState): void {
    const { agent, uuid } = this.deps;
    this.state = state;
    agent.store.attempts.update(uuid, {
      lastMessage: this.message ?? null,
      phase: state.kind === 'working' ? (state.phase ?? 'working') : state.kind,
    });
    agent.store.outbox.put(this.postOf('progress', 0, this.body(state)));
  }

  private body(state: ProgressState): string {
    const { agent, uuid, texts, inherited } = this.deps;
    const sticky = agent.config.progressComments === 'sticky';
    return texts.progress({
      attempt: uuid,
      state,
      counts: this.counts(),
      history: sticky ? agent.store.entries.newest(uuid, SHOWN_ENTRIES).map((entry) => entry.text) : [],
      updatedAt: agent.clock.now(),
      ...(this.message !== undefined && { message: this.message }),
      ...(inherited && { inherited }),
    });
  }

  private async send({ now }: { now: boolean }): Promise<void> {
    const { agent, conversation } = this.deps;
    const edits = now || this.editsAreDue();
    await sendPosts(agent, conversation.id, { edits });
    if (edits) this.sentAt = agent.clock.now();
  }

  /** At most every 3 s in the first minute, every 15 s up to ten minutes, then every minute. */
  private editsAreDue(): boolean {
    const now = this.deps.agent.clock.now();
    const age = now - this.startedAt;
    const gap = age < 60_000 ? 3000 : age < 600_000 ? 15_000 : 60_000;
    return Math.abs(now - this.sentAt) >= gap; // the clock may be set back
  }

  private async beat(): Promise<void> {
    try {
      this.refresh();
      await sendEdit(this.deps.agent, this.deps.uuid, 'progress', 0);
    } catch {
      // the next beat, or the turn itself, tries again and reports
    }
  }
}

interface PhaseComment {
  key: string;
  n: number;
  at: number;
  texts: string[];
}
