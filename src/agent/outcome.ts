import { ForgeError, ModelError } from '../ports.js';
import type { Verification } from '../report/result-text.js';
import type { Reason } from '../report/words.js';
import { Interrupted } from '../lib/exit.js';
import { Failure, OverBudget, Park, Pause, Question, Stop, type ParkCause } from './interrupts.js';
import type { Config } from '../config/config.js';

/** How an attempt ended, or why it rests. */
export type Outcome =
  | { kind: 'completed'; comment: string; verification: Verification }
  | { kind: 'over_budget'; reason: Reason }
  | { kind: 'stopped'; reason: Reason }
  | { kind: 'failed'; reason: Reason; error: string; cause: unknown }
  | { kind: 'paused'; by: 'person' | 'signal_file'; reason: Reason }
  | { kind: 'parked'; blame: ParkCause; reason: Reason; message: string; retryAt: number | null }
  | { kind: 'question'; questions: string[]; comment: string | null; n: number }
  | { kind: 'interrupted' };

/** The one place where what was thrown becomes what is done about it. */
export function outcomeOf(thrown: unknown, config: Config): Outcome {
  if (thrown instanceof Interrupted) return { kind: 'interrupted' };
  if (thrown instanceof Pause) return { kind: 'paused', by: thrown.by, reason: thrown.reason };
  if (thrown instanceof Stop) return { kind: 'stopped', reason: stopReason(thrown, config) };
  if (thrown instanceof OverBudget) return { kind: 'over_budget', reason: limitReason(thrown, config) };
  if (thrown instanceof Question)
    return { kind: 'question', questions: thrown.questions, comment: thrown.comment, n: thrown.n };
  if (thrown instanceof Park) return parked(thrown, config);
  if (thrown instanceof ForgeError) return parkedByForge(thrown);
  if (thrown instanceof ModelError) return outcomeOf(consequenceOf(thrown), config);
  const error = thrown instanceof Error ? thrown.message : String(thrown);
  return { kind: 'failed', reason: failureReason(thrown), error, cause: thrown };
}

/** A model that cannot be had now is nobody's fault; one that will not take the request fails the task. */
export function consequenceOf(error: ModelError): Park | Failure {
  const { retryAt, status } = error.details;
  const later = { cause: error, ...(retryAt !== undefined && { retryAt }) };
  if (error.kind === 'refused') return new Park('credentials', error.message, later);
  if (error.kind === 'rate' || error.kind === 'unreachable' || status === 404)
    return new Park('model', error.message, later);
  if (error.kind === 'overflow') return new Failure('context', error.message, { cause: error });
  return new Failure('model_rejected', error.message, { cause: error });
}

function stopReason({ reason }: Stop, config: Config): Reason {
  if (reason === 'person') return { id: 'command' };
  if (reason === 'paused_too_long') return { id: 'expired', days: config.pauseResume.pausedTaskExpiryDays };
  return { id: reason };
}

function limitReason({ limit }: OverBudget, config: Config): Reason {
  if (limit === 'max_llm_process_num') return { id: 'max_calls', limit: config.maxLlmProcessNum };
  if (limit === 'max_tokens_per_task') return { id: 'max_tokens', limit: config.limits.maxTokensPerTask ?? 0 };
  return { id: 'max_minutes', limit: config.limits.maxMinutesPerTask ?? 0 };
}

function parked(park: Park, config: Config): Outcome {
  const { blame, message, details } = park;
  const reasons: Record<ParkCause, Reason> = {
    model: { id: isRateLimit(details.cause) ? 'rate_limit' : 'unreachable', what: 'model' },
    forge: { id: 'unreachable', what: 'forge' },
    tools: { id: 'mcp_down', server: message },
    daily_tokens: { id: 'daily_tokens', limit: config.limits.maxTokensPerDay ?? 0 },
    credentials: { id: 'refused_credentials', what: 'model' },
  };
  return { kind: 'parked', blame, reason: reasons[blame], message, retryAt: details.retryAt ?? null };
}

function isRateLimit(cause: unknown): boolean {
  return cause instanceof ModelError && cause.kind === 'rate';
}

/** A forge that fails is not the task's fault, unless it says that the item itself is the problem. */
function parkedByForge(error: ForgeError): Outcome {
  if (error.kind === 'gone') return { kind: 'stopped', reason: { id: 'item_gone' } };
  const { retryAt } = error.details;
  const refused = error.kind === 'refused' || error.kind === 'forbidden';
  const blame = refused ? 'credentials' : 'forge';
  const id = refused ? 'refused_credentials' : error.kind === 'rate' ? 'rate_limit' : 'unreachable';
  return { kind: 'parked', blame, reason: { id, what: 'forge' }, message: error.message, retryAt: retryAt ?? null };
}

function failureReason(thrown: unknown): Reason {
  if (!(thrown instanceof Failure)) return { id: 'unexpected' };
  if (thrown.details.says) return thrown.details.says;
  if (thrown.reason === 'unreadable') return { id: 'unreadable_replies', count: 5 };
  if (thrown.reason === 'context') return { id: 'context_full' };
  return { id: thrown.reason === 'vanished' ? 'vanished' : 'unexpected' };
}
