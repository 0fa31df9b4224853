import type { Closing, Counterpart, Phase, Reason, Words } from './words.js';

export const en: Words = {
  language: 'en',
  phase: {
    pre_planning: 'Pre-Planning',
    planning: 'Planning',
    execution: 'Execution',
    reflection: 'Reflection',
    revision: 'Revision',
    verification: 'Verification',
    replan_decision: 'Replan Decision',
  },
  phaseDone,
  reason,
  inheritedPrefix: 'Summary of the previous attempt: ',
  inherited: (from, time) =>
    [
      '📋 **Context of an earlier attempt was taken over**',
      '',
      `- Taken over from: #${from}`,
      `- Time of that attempt: ${time}`,
      '- What was taken over: its final summary',
      '',
      'The current request is worked on with the earlier work in mind.',
    ].join('\n'),
  cutNote: (characters) => `*… (too long: ${characters} characters left out here) …*`,

  callHeading: (phase, n) => `## ✅ ${phase} - LLM call #${n}`,
  callDoneHeading: (phase, n) => `## ✅ ${phase} - LLM call #${n} completed`,
  toolErrorHeading: (tool) => `## ❌ Error - ${tool}`,
  callErrorHeading: (phase) => `## ⚠️ LLM call error - ${phase}`,
  errorLabel: '**Error**',
  actionLabel: '**Action**',
  retrying: 'Trying again...',

  progressHeading: (attempt) => `## 🤖 Progress (#${attempt})`,
  working: (phase) => (phase ? `**Working** — ${phase}` : '**Working**'),
  parked: (why, until) =>
    `**Waiting** — ${why} ${until ? `The work goes on after ${until}.` : 'The next tick tries again.'}`,
  interrupted: '**Interrupted** — the work will go on with the next tick.',
  finished: '**Finished** — the result is in the comment below.',
  paused: (why) => `**Paused** — ${why}`,
  stopped: (why) => `**Stopped** — ${why}`,
  failed: '**Failed** — the comment below says why.',
  asking: '**Waiting for an answer** — the question is in the comment below.',
  counts: ({ turns, toolCalls, tokens, elapsed }) =>
    `Turns ${turns} · tool calls ${toolCalls} · tokens ${tokens} · elapsed ${elapsed}`,
  history: (entries) => `History (${entries})`,
  olderLeftOut: (entries) => `*${entries} earlier entries are left out*`,
  lastUpdate: (time) => `*Last update: ${time}*`,
  planProgress: (done, total, percent) => `*Progress: ${done}/${total} (${percent}%)*`,

  resultHeading: '## Completed',
  unverifiedHeading: '## Result (not verified)',
  partialHeading: '## Partial result (limit reached)',
  nothingSaid: 'The work has ended. The agent gave no description.',
  look: '### What to look at',
  verification: '### Verification',
  check: (command, exitCode) => `- ${command} — ${exitCode === null ? 'could not be run' : `exit code ${exitCode}`}`,
  verified: 'Verified.',
  notVerified: '⚠️ **Not verified.** This is missing:',
  notChecked: 'Not verified separately.',
  limitReached: (why) => `⚠️ **The work ended early because a limit was reached.** ${why}`,
  left: '### What is left',
  leftUnknown: 'What is left could not be determined; please see above.',
  toContinue: 'Comment "continue" to continue.',
  statistics: ({ turns, toolCalls, tokens, elapsed }) =>
    `*Turns: ${turns} · tool calls: ${toolCalls} · tokens: ${tokens} · time: ${elapsed}*`,

  failureHeading: '## Something went wrong',
  tried: '### What was tried',
  step: '### The step that failed',
  error: '### The error',
  saved: '### What was saved',
  nothingSaved: 'No changes were saved.',
  retry: '### How to try again',
  tryAgain: (label) => `Put the label \`${label}\` on again. If something needs explaining, comment on it first.`,
  tryAgainByComment: 'Reply in this thread: the work is taken up again with what you say.',

  pausedHeading: '## Paused',
  toResume: (label) =>
    `To go on, comment \`/agent resume\` or take the label \`${label}\` off. The work so far is saved.`,
  stoppedHeading: '## Stopped',
  toGoOn: (label) => `To go on, put the label \`${label}\` on again.`,
  questionHeading: '## A question',
  questionIntro: 'To go on, the following has to be known:',
  toAnswer: 'Answer in this thread, and the work goes on from here.',
  closingHeading: '## Closed',
  closing,
};

function phaseDone(phase: Phase, taskId: string | undefined): string {
  switch (phase) {
    case 'pre_planning':
      return 'The task was analysed and the information gathered';
    case 'planning':
      return 'The execution plan was made';
    case 'execution':
      return taskId ? `Action "${taskId}" was carried out` : 'The action was carried out';
    case 'reflection':
      return 'The results so far were analysed';
    case 'revision':
      return 'The plan was revised';
    case 'verification':
      return 'The implementation was checked';
    case 'replan_decision':
      return 'It was decided whether to plan again';
  }
}

function reason(reason: Reason): string {
  switch (reason.id) {
    case 'label_removed':
      return 'The processing label was taken off.';
    case 'unassigned':
      return 'The agent was unassigned.';
    case 'closed':
      return 'The item was closed.';
    case 'merged':
      return 'It was merged.';
    case 'item_gone':
      return 'The item is no longer there (deleted or moved).';
    case 'command':
      return reason.by ? `${reason.by} asked for it.` : 'A person asked for it.';
    case 'paused_label':
      return 'The paused label was put on.';
    case 'signal_file':
      return 'The operator has paused all work.';
    case 'expired':
      return `It had been paused for more than ${reason.days} days.`;
    case 'max_calls':
      return `The limit of ${reason.limit} LLM calls is used up.`;
    case 'max_tokens':
      return `The limit of ${reason.limit} tokens for this task is used up.`;
    case 'max_minutes':
      return `The time limit of ${reason.limit} minutes for this task has passed.`;
    case 'unreadable_replies':
      return `The model's reply could not be understood ${reason.count} times in a row.`;
    case 'same_error':
      return `The tool ${reason.tool} gave the same result ${reason.times} times running; there was no way forward.`;
    case 'context_full':
      return "The history does not fit the model's context, even when summarised.";
    case 'mcp_down':
      return `The MCP server ${reason.server} does not start.`;
    case 'unreachable':
      return `${counterpart(reason.what)} cannot be reached.`;
    case 'rate_limit':
      return `${counterpart(reason.what)} has reached its rate limit.`;
    case 'refused_credentials':
      return `${counterpart(reason.what)} refused the credentials; the operator has to look at the configuration.`;
    case 'daily_tokens':
      return `The limit of ${reason.limit} tokens for today is used up.`;
    case 'vanished':
      return 'The work broke off three times running without getting anywhere.';
    case 'unexpected':
      return 'Something unexpected happened.';
  }
}

function counterpart(what: Counterpart): string {
  return what === 'model' ? 'The model' : 'GitHub/GitLab';
}

function closing(closing: Closing): string {
  switch (closing.why) {
    case 'completion':
      return 'Your comment says that this is finished. Thank you.';
    case 'timeout':
      return `There was no comment for ${closing.hours} hours, so this is closed.`;
    case 'maximum':
      return `The limit of ${closing.count} follow-ups is reached, so this is closed.`;
  }
}
