import { ForgeError, type Item } from '../ports.js';
import { forgeOf, type Agent } from './agent.js';
import { fetchMail, NO_MAIL, type Mail } from './inbox.js';
import type { Conversation } from '../records.js';

const SHORTEST_GAP_MS = 1000;
const LABELS_GAP_MS = 60_000;
const LONGEST_BACK_OFF_MS = 60_000;

/** What a look at the forge showed: the item (null: it is gone) and what is new in its thread. */
export interface Sight {
  item: Item | null;
  mail: Mail;
}

export interface LookStatistics {
  checks: number;
  detections: number;
  found: number;
  added: number;
  errors: number;
}

/**
 * Looks at the forge for a working attempt: two conditional requests, at most once a second, every
 * `check_interval`-th time it is asked, and less often while the forge says that we ask too much.
 */
export class Lookout {
  readonly statistics: LookStatistics = { checks: 0, detections: 0, found: 0, added: 0, errors: 0 };
  private asked = 0;
  private lookedAt = -Infinity;
  private notBefore = 0;
  private backOffMs = 0;
  private awaitsAnswer = false;
  private labelsTriedAt: number;

  constructor(
    private readonly agent: Agent,
    private readonly conversation: Conversation,
    private readonly uuid: string,
  ) {
    this.labelsTriedAt = agent.clock.now(); // the work begins with writing them
  }

  /** Null when it is not time to look, or the forge did not answer: work goes on, next time again. */
  async look({ always }: { always: boolean }): Promise<Sight | null> {
    const now = this.agent.clock.now();
    if (!this.isTime(now, always)) return null;
    this.lookedAt = now;
    this.statistics.checks++;
    try {
      const sight = await forgeOf(this.agent, this.conversation.key.source).promptly(() => this.see());
      this.backOffMs = 0;
      return sight;
    } catch (error) {
      this.agent.signal.throwIfAborted();
      if (!(error instanceof ForgeError)) throw error;
      this.backOff(error);
      return null;
    }
  }

  /** A label that could not be written is tried again, once a minute. */
  isTimeForLabels(): boolean {
    const now = this.agent.clock.now();
    if (now - this.labelsTriedAt < LABELS_GAP_MS) return false;
    this.labelsTriedAt = now;
    return true;
  }

  /** While `ask` runs, comments are read even where comment detection is off: an answer is waited for. */
  async forAnswer<T>(ask: () => Promise<T>): Promise<T> {
    this.awaitsAnswer = true;
    try {
      return await ask();
    } finally {
      this.awaitsAnswer = false;
    }
  }

  private isTime(now: number, always: boolean): boolean {
    const due = this.asked++ % this.agent.config.commentDetection.checkInterval === 0;
    const waitMs = this.notBefore - now;
    if (waitMs > 0 && waitMs <= this.backOffMs) return false; // further away only where the clock was set back
    return always || (due && Math.abs(now - this.lookedAt) >= SHORTEST_GAP_MS);
  }

  private async see(): Promise<Sight> {
    const item = await forgeOf(this.agent, this.conversation.key.source).getItem(this.conversation.key);
    const listening = this.awaitsAnswer || this.agent.config.commentDetection.enabled;
    const mail = item !== null && listening ? await fetchMail(this.agent, this.conversation) : NO_MAIL;
    this.statistics.errors += mail.undecided.length;
    return { item, mail };
  }

  private backOff(error: ForgeError): void {
    this.statistics.errors++;
    this.agent.log.write('warning', `コメント取得中にエラー発生: ${error.message} (Task: ${this.uuid})`, {
      status: error.details.status,
    });
    if (error.kind !== 'rate') return;
    this.backOffMs = Math.min(LONGEST_BACK_OFF_MS, this.backOffMs * 2 || 1000);
    this.notBefore = this.agent.clock.now() + this.backOffMs;
  }
}
