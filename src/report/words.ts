import type { Language } from './language.js';

/** The phases of planning mode. */
export type Phase =
  'pre_planning' | 'planning' | 'execution' | 'reflection' | 'revision' | 'verification' | 'replan_decision';

/** Whom an outage or a refusal is about. */
export type Counterpart = 'model' | 'forge';

/** Why an attempt was parked, paused, stopped, ended over budget or failed. Plain data, fit for the database. */
export type Reason =
  | { id: 'label_removed' }
  | { id: 'unassigned' }
  | { id: 'closed' }
  | { id: 'merged' }
  | { id: 'item_gone' }
  /** `/agent …` in the thread or `agent …` in the shell; `by`: who, where known. */
  | { id: 'command'; by?: string }
  | { id: 'paused_label' }
  | { id: 'signal_file' }
  | { id: 'expired'; days: number }
  | { id: 'max_calls'; limit: number }
  | { id: 'max_tokens'; limit: number }
  | { id: 'max_minutes'; limit: number }
  | { id: 'unreadable_replies'; count: number }
  | { id: 'same_error'; tool: string; times: number }
  | { id: 'context_full' }
  | { id: 'mcp_down'; server: string }
  | { id: 'unreachable'; what: Counterpart }
  | { id: 'rate_limit'; what: Counterpart }
  | { id: 'refused_credentials'; what: Counterpart }
  | { id: 'daily_tokens'; limit: number }
  | { id: 'vanished' }
  /** Something we did not foresee; the real error stands beside it. */
  | { id: 'unexpected' };

/** Why a conversation was closed. */
export type Closing = { why: 'completion' } | { why: 'timeout'; hours: number } | { why: 'maximum'; count: number };

/** The bare sentences of one language; `texts.ts` lays them out. */
export interface Words {
  language: Language;
  phase: Record<Phase, string>;
  phaseDone(phase: Phase, taskId: string | undefined): string;
  reason(reason: Reason): string;
  inheritedPrefix: string;
  inherited(from: string, time: string): string;
  cutNote(characters: string): string;

  callHeading(phase: string, n: number): string;
  callDoneHeading(phase: string, n: number): string;
  toolErrorHeading(tool: string): string;
  callErrorHeading(phase: string): string;
  errorLabel: string;
  actionLabel: string;
  retrying: string;

  progressHeading(attempt: string): string;
  working(phase: string | undefined): string;
  parked(reason: string, until: string | undefined): string;
  interrupted: string;
  finished: string;
  paused(reason: string): string;
  stopped(reason: string): string;
  failed: string;
  asking: string;
  counts(counts: { turns: string; toolCalls: string; tokens: string; elapsed: string }): string;
  history(entries: number): string;
  olderLeftOut(entries: number): string;
  lastUpdate(time: string): string;
  planProgress(done: number, total: number, percent: number): string;

  resultHeading: string;
  unverifiedHeading: string;
  partialHeading: string;
  nothingSaid: string;
  look: string;
  verification: string;
  check(command: string, exitCode: number | null): string;
  verified: string;
  notVerified: string;
  notChecked: string;
  limitReached(reason: string): string;
  left: string;
  leftUnknown: string;
  toContinue: string;
  statistics(counts: { turns: string; toolCalls: string; tokens: string; elapsed: string }): string;

  failureHeading: string;
  tried: string;
  step: string;
  error: string;
  saved: string;
  nothingSaved: string;
  retry: string;
  tryAgain(label: string): string;
  tryAgainByComment: string;

  pausedHeading: string;
  toResume(pausedLabel: string): string;
  stoppedHeading: string;
  toGoOn(label: string): string;
  questionHeading: string;
  questionIntro: string;
  toAnswer: string;
  closingHeading: string;
  closing(closing: Closing): string;
}
