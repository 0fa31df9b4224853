import type { AttemptRow, Conversation } from '../records.js';

const WORDS: Record<string, string> = {
  person: 'paused by a person',
  command: 'by a command in the thread or the shell',
  stop_command: 'by a command in the thread or the shell',
  signal_file: 'everything was paused by the signal file',
  paused_label: 'the paused label was put on',
  question: 'a question waits for an answer in the thread',
  completion: 'the thread said that it is finished',
  timeout: 'nobody answered in time',
  maximum: 'the last follow-up was answered',
  handling_off: 'comment_handling is switched off',
  label_removed: 'the label was taken off',
  unassigned: 'the bot was unassigned',
  closed: 'the item was closed',
  merged: 'it was merged',
  gone: 'the item is gone',
  item_gone: 'the item is gone',
  expired: 'it was paused for too long',
  max_calls: 'over budget: max_llm_process_num',
  max_tokens: 'over budget: limits.max_tokens_per_task',
  max_minutes: 'over budget: limits.max_minutes_per_task',
  daily_tokens: 'the tokens of the day are spent',
  unreachable: 'the forge or the model could not be reached',
  rate_limit: 'the forge or the model asked us to wait',
  refused_credentials: 'the forge or the model refused our credentials',
  mcp_down: 'an MCP server does not start',
  unreadable_replies: "the model's replies could not be read",
  same_error: 'the same call failed again and again',
  context_full: 'the context could not be made to fit',
  vanished: 'the process ended without a trace, several times',
  unexpected: 'an unexpected error',
};

/** Why a task is in its state, in words, with the real error where there is one; null: nothing special. */
export function reasonInWords({ reason }: Conversation, newest: AttemptRow | null): string | null {
  const words = reason === null ? null : (WORDS[reason] ?? reason.replaceAll('_', ' '));
  const error = newest && (newest.status === 'failed' || newest.pausedBy === 'parked') ? newest.errorMessage : null;
  return [words, error].filter(Boolean).join(': ') || null;
}
