import { fenced, inlineCode } from './format.js';
import { readMarker } from './marker.js';
import { countWords, type Counts } from './progress-text.js';
import { en } from './texts-en.js';
import { ja } from './texts-ja.js';
import type { Reason, Words } from './words.js';

/** A command that was run to verify the work; null: it could not be run. */
export interface Check {
  command: string;
  exitCode: number | null;
}

/** How far the result can be relied on. `unchecked`: nobody asked for a verification. */
export type Verification =
  | { kind: 'unchecked' }
  | { kind: 'verified'; checks: Check[]; how?: string }
  | { kind: 'not_verified'; checks: Check[]; missing: string[] };

export interface ResultView {
  /** What was done, in the agent's own words. */
  done: string;
  /** What to look at: links, branches, files; Markdown, one a line. */
  look: string[];
  verification: Verification;
  /** Present: the attempt ended because a limit was reached. */
  overBudget?: { reason: Reason; left: string[]; again: Again };
  counts: Counts;
}

/** How a person has it go on. `comment`: the thread still listens. `label`: it does not. */
export type Again = { by: 'label'; botLabel: string } | { by: 'comment' };

export interface FailureView {
  reason: Reason;
  /** What was tried, one a line, oldest first. */
  tried: string[];
  /** The step that failed; absent: it is not known. */
  step?: string;
  /** The real error, word for word. */
  error: string;
  saved: string[];
  again: Again;
}

export function result(words: Words, view: ResultView): string {
  const { done, look, verification, overBudget, counts } = view;
  return joined(
    resultHeading(words, view),
    overBudget && words.limitReached(words.reason(overBudget.reason)),
    done.trim() || words.nothingSaid,
    look.length > 0 && joined(words.look, bullets(look)),
    verificationPart(words, verification),
    overBudget && leftPart(words, overBudget),
    words.statistics(countWords(words, counts)),
  );
}

function resultHeading(words: Words, { verification, overBudget }: ResultView): string {
  if (overBudget) return words.partialHeading;
  return failsVerification(verification) ? words.unverifiedHeading : words.resultHeading;
}

/** A check that failed is not a success, whatever else is claimed. */
function failsVerification(verification: Verification): boolean {
  if (verification.kind === 'unchecked') return false;
  return verification.kind === 'not_verified' || verification.checks.some((check) => check.exitCode !== 0);
}

function verificationPart(words: Words, verification: Verification): string {
  if (verification.kind === 'unchecked') return joined(words.verification, words.notChecked);
  const checks = verification.checks.map((check) => words.check(inlineCode(check.command), check.exitCode)).join('\n');
  if (!failsVerification(verification)) {
    return joined(words.verification, words.verified, verification.kind === 'verified' && verification.how, checks);
  }
  const missing = verification.kind === 'not_verified' ? bullets(verification.missing) : undefined;
  return joined(words.verification, words.notVerified, missing, checks);
}

function leftPart(words: Words, { left, again }: NonNullable<ResultView['overBudget']>): string {
  const toContinue = again.by === 'label' ? words.toGoOn(again.botLabel) : words.toContinue;
  return joined(words.left, left.length > 0 ? bullets(left) : words.leftUnknown, toContinue);
}

export function failure(words: Words, { reason, tried, step, error, saved, again }: FailureView): string {
  return joined(
    words.failureHeading,
    words.reason(reason),
    tried.length > 0 && joined(words.tried, bullets(tried)),
    step && joined(words.step, step.trim()),
    joined(words.error, fenced(error.trim())),
    joined(words.saved, saved.length > 0 ? bullets(saved) : words.nothingSaved),
    joined(words.retry, again.by === 'label' ? words.tryAgain(again.botLabel) : words.tryAgainByComment),
  );
}

/** A result of ours as we said it: without heading, marker and statistics. */
export function stripOurs(body: string): string {
  const lines = body.replaceAll('\r\n', '\n').trim().split('\n');
  if (readMarker(body)) lines.pop();
  if (HEADINGS.has(lines[0]?.trim() ?? '')) lines.shift();
  const text = lines.join('\n').trimEnd();
  const lastLine = text.slice(text.lastIndexOf('\n') + 1);
  return (STATISTICS.test(lastLine) ? text.slice(0, text.length - lastLine.length) : text).trim();
}

const HEADINGS = new Set(
  [ja, en].flatMap(({ resultHeading, unverifiedHeading, partialHeading, failureHeading }) => [
    resultHeading,
    unverifiedHeading,
    partialHeading,
    failureHeading,
  ]),
);

const STATISTICS =
  /^\*(?:ターン: [\d,]+ ・ ツール呼び出し: [\d,]+ ・ トークン: [\d,]+ ・ 時間: |Turns: [\d,]+ · tool calls: [\d,]+ · tokens: [\d,]+ · time: )[^*]+\*$/;

function bullets(items: string[]): string {
  return items.map((item) => `- ${item.trim().replaceAll('\n', '\n  ')}`).join('\n');
}

function joined(...parts: (string | false | undefined)[]): string {
  return parts.filter(Boolean).join('\n\n');
}
