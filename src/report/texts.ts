import { checklist, type ChecklistView } from './checklist.js';
import { localTime, shortUuid } from './format.js';
import type { Language } from './language.js';
import { progress, type ProgressView } from './progress-text.js';
import { failure, result, type FailureView, type ResultView } from './result-text.js';
import { en } from './texts-en.js';
import { ja } from './texts-ja.js';
import type { Closing, Phase, Reason, Words } from './words.js';

/** Every text posted in a thread, in one language. Bodies only: the door adds the marker. */
export interface Texts {
  language: Language;
  phaseName(phase: Phase): string;
  reason(reason: Reason): string;
  /** In front of the inherited summary, in the model's history. */
  inheritedPrefix: string;
  /** The notice of section 11, part of the progress comment. */
  inherited(from: { uuid: string; at: number }): string;
  /** What a phase says after each LLM call; an empty comment counts as none. */
  phaseCall(call: { phase: Phase; n: number; at: number; comment?: string; taskId?: string }): string;
  toolError(failure: { tool: string; error: string; at: number; taskId?: string }): string;
  callError(failure: { phase: Phase; error: string; at: number; retrying: boolean }): string;
  progress(view: ProgressView): string;
  checklist(view: ChecklistView): string;
  result(view: ResultView): string;
  failure(view: FailureView): string;
  paused(notice: { reason: Reason; pausedLabel: string }): string;
  /** Also for a pause that expired. */
  stopped(notice: { reason: Reason; botLabel: string }): string;
  question(notice: { questions: string[]; comment?: string }): string;
  closing(notice: Closing & { botLabel: string }): string;
}

/** The one catalogue. */
export function texts(language: Language): Texts {
  const words = language === 'ja' ? ja : en;
  return {
    language,
    phaseName: (phase) => words.phase[phase],
    reason: words.reason,
    inheritedPrefix: words.inheritedPrefix,
    inherited: ({ uuid, at }) => words.inherited(shortUuid(uuid), localTime(at)),
    ...forms(words),
    ...notices(words),
    progress: (view) => progress(words, view),
    checklist: (view) => checklist(words, view),
    result: (view) => result(words, view),
    failure: (view) => failure(words, view),
  };
}

function forms(words: Words): Pick<Texts, 'phaseCall' | 'toolError' | 'callError'> {
  return {
    phaseCall({ phase, n, at, comment, taskId }) {
      const name = words.phase[phase];
      const said = comment?.trim();
      return said
        ? paragraphs(words.callHeading(name, n), said, stamp(at))
        : paragraphs(words.callDoneHeading(name, n), words.phaseDone(phase, taskId), stamp(at));
    },
    toolError({ tool, error, at, taskId }) {
      const action = taskId && `${words.actionLabel}: ${taskId}`;
      return paragraphs(words.toolErrorHeading(tool), `${words.errorLabel}: ${error.trim()}`, action, stamp(at));
    },
    callError({ phase, error, at, retrying }) {
      const heading = words.callErrorHeading(words.phase[phase]);
      return paragraphs(heading, `${words.errorLabel}: ${error.trim()}`, retrying && words.retrying, stamp(at));
    },
  };
}

function notices(words: Words): Pick<Texts, 'paused' | 'stopped' | 'question' | 'closing'> {
  return {
    paused: ({ reason, pausedLabel }) =>
      paragraphs(words.pausedHeading, words.reason(reason), words.toResume(pausedLabel)),
    stopped: ({ reason, botLabel }) => paragraphs(words.stoppedHeading, words.reason(reason), words.toGoOn(botLabel)),
    question: ({ questions, comment }) =>
      paragraphs(
        words.questionHeading,
        comment?.trim(),
        words.questionIntro,
        questions.map((question, at) => `${at + 1}. ${question.trim()}`).join('\n'),
        words.toAnswer,
      ),
    closing: (notice) => paragraphs(words.closingHeading, words.closing(notice), words.toGoOn(notice.botLabel)),
  };
}

function stamp(at: number): string {
  return `*${localTime(at)}*`;
}

function paragraphs(...parts: (string | false | undefined)[]): string {
  return parts.filter(Boolean).join('\n\n');
}
