import type { Comment } from '../ports.js';
import type { Conversation } from '../records.js';
import { judgeCompletion } from './completion.js';
import type { ThreadCommand } from './thread-command.js';

/** What is to become of a conversation in `awaiting-response`. */
export type WaitingDecision =
  | { kind: 'wait' }
  /** Something was said that wants an answer; `judge`: perhaps it is only thanks, the model decides. */
  | { kind: 'answer'; judge: boolean }
  /** It ends; `silent`: without a comment. */
  | {
      kind: 'close';
      why: 'completion' | 'timeout' | 'closed' | 'merged' | 'gone' | 'label_removed' | 'handling_off' | 'stop_command';
      silent: boolean;
    };

export interface WaitingFacts {
  handlingEnabled: boolean;
  /** What the item is now; `asked_again`: it carries the request label; `paused`: a person put the paused label on. */
  item: 'listed' | 'asked_again' | 'paused' | 'open_without_label' | 'closed' | 'merged' | 'gone';
  fresh: Comment[];
  commands: ThreadCommand[];
  /** Somebody spoke of whom it is not known yet whether they count. */
  undecided: boolean;
  keywords: string[];
  /** Our account's name, by which people speak to us; null: not known. */
  ourName: string | null;
  timeoutMs: number;
  now: number;
}

/** The table of section 4, row `awaiting-response`: people's acts come before what they say, and that before the clock. */
export function decideWaiting(conversation: Conversation, facts: WaitingFacts): WaitingDecision {
  if (facts.item === 'gone' || facts.item === 'closed' || facts.item === 'merged') return silently(facts.item);
  if (facts.item === 'asked_again') return { kind: 'wait' }; // the request itself is taken up, and answers everything
  if (facts.item === 'paused') return { kind: 'wait' };
  if (facts.item === 'open_without_label') return silently('label_removed');
  const asked = conversation.reason === 'question';
  if (!facts.handlingEnabled && !asked) return silently('handling_off');
  const command = facts.commands.findLast((each) => each !== 'status');
  if (command === 'stop') return { kind: 'close', why: 'stop_command', silent: false };
  if (command === 'resume' || command === 'retry') return { kind: 'answer', judge: false };
  if (facts.fresh.length > 0) return asked ? { kind: 'answer', judge: false } : decideOnWords(facts);
  if (facts.undecided) return { kind: 'wait' };
  const since = Math.max(conversation.lastProcessedAt, conversation.lastCommentAt ?? 0);
  return facts.now - since > facts.timeoutMs ? { kind: 'close', why: 'timeout', silent: false } : { kind: 'wait' };
}

/** Thanks and nothing else in every new comment: finished. One that says more is asked about, unless no keyword is there. */
function decideOnWords({ fresh, keywords, ourName }: WaitingFacts): WaitingDecision {
  const judgements = fresh.map((comment) => judgeCompletion(comment.body, keywords, ourName));
  if (judgements.every((judgement) => judgement === 'complete'))
    return { kind: 'close', why: 'completion', silent: false };
  return { kind: 'answer', judge: judgements.every((judgement) => judgement !== 'no') };
}

function silently(why: 'closed' | 'merged' | 'gone' | 'label_removed' | 'handling_off'): WaitingDecision {
  return { kind: 'close', why, silent: true };
}
