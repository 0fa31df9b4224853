import { localDay } from '../lib/clock.js';
import { cutMiddle } from '../lib/cut.js';
import { estimateMessages, estimateTokens } from '../lib/tokens.js';
import { ModelError } from '../ports.js';
import { rowOf, type Attempt } from './attempt.js';
import { frameOf, requestTokens } from './context-limits.js';
import { toolOutline } from './outline.js';
import { finalInstructions } from './summary-prompts.js';
import { summarise } from './summarise.js';

/** How an attempt ended, for the one that comes after it. */
export interface Ending {
  kind: 'completed' | 'stopped' | 'failed';
  /** The model's own last word, the reason it was stopped, or the error. */
  detail: string;
  /** False: the model is the problem, and asking it again is no use. */
  askModel: boolean;
}

const MOST_TOKENS = 1500;
const REQUEST_TOKENS = 600;
const COMMENT_TOKENS = 150;
const COMMENTS = 5;

/** Leaves the final summary in summaries.jsonl, by the model or without it; one that is there already stays. */
export async function writeFinalSummary(attempt: Attempt, ending: Ending): Promise<void> {
  const { agent, files, history } = attempt;
  const before = files.summaries();
  if (before.some((line) => line.final)) return;
  const asked = isWorthAsking(attempt, ending) ? await askedSummary(attempt, ending) : null;
  const summary = asked ?? agent.redact(composedSummary(attempt, ending));
  const [original, tokens] = [estimateMessages([...history.messages]), estimateTokens(summary)];
  files.appendSummary({
    id: before.length + 1,
    start_seq: 1,
    end_seq: history.messages.at(-1)?.seq ?? 0,
    summary,
    original_tokens: original,
    summary_tokens: tokens,
    ratio: Number((tokens / Math.max(1, original)).toFixed(3)),
    timestamp: new Date(agent.clock.now()).toISOString(),
    final: true,
  });
}

/**
 * Whether a summary by the model is worth its tokens: not where the model failed or the process is leaving, not
 * where a token limit is spent, and not after a single turn, when request and last word already say everything.
 */
function isWorthAsking(attempt: Attempt, { askModel }: Ending): boolean {
  const { agent } = attempt;
  const { maxTokensPerTask, maxTokensPerDay } = agent.config.limits;
  const { turnCount, totalTokens } = rowOf(attempt);
  if (!askModel || agent.signal.aborted || turnCount <= 1) return false;
  if (maxTokensPerTask !== null && totalTokens >= maxTokensPerTask) return false;
  return maxTokensPerDay === null || agent.store.usage.of(localDay(agent.clock.now())) < maxTokensPerDay;
}

async function askedSummary(attempt: Attempt, { kind, detail }: Ending): Promise<string | null> {
  const { agent, conversation, history, model } = attempt;
  const limit = Math.round(
    Math.min(MOST_TOKENS, model.contextLength / 8, agent.config.contextInheritance.maxInheritedTokens),
  );
  const instructions = finalInstructions(conversation.language, limit, `${kind}. ${cutMiddle(detail, COMMENT_TOKENS)}`);
  const frame = frameOf(attempt, { tokens: requestTokens(history, 0), extra: 0, force: false, kept: [] });
  const capacity = frame.capacity - estimateTokens(instructions) - limit;
  const lines = history.messages.filter((line) => line.role !== 'system');
  try {
    return await summarise(attempt, { instructions, lines, capacity, purpose: 'final' });
  } catch (error) {
    if (!(error instanceof ModelError) && !agent.signal.aborted) throw error;
    attempt.log.write('warning', 'the final summary is composed without the model', {
      reason: (error as Error).message,
    });
    return null;
  }
}

const HEADINGS = {
  en: {
    request: 'Request',
    tools: 'Tool calls',
    said: 'Last comments',
    completed: 'Result',
    stopped: 'Stopped',
    failed: 'Error',
  },
  ja: {
    request: '依頼',
    tools: 'ツール実行',
    said: '最後のコメント',
    completed: '結果',
    stopped: '停止理由',
    failed: 'エラー',
  },
} as const;

/** Without a model: the request, the tool calls, what was said last and how it ended. */
function composedSummary(attempt: Attempt, { kind, detail }: Ending): string {
  const { agent, conversation, files, history, uuid } = attempt;
  const headings = HEADINGS[conversation.language];
  const request = history.messages.find((line) => line.role === 'user')?.content ?? conversation.title;
  const said = agent.store.entries.newest(uuid, COMMENTS).map((entry) => cutMiddle(entry.text, COMMENT_TOKENS));
  const parts: [string, string][] = [
    [headings.request, cutMiddle(request, REQUEST_TOKENS)],
    [headings.tools, toolOutline(files.tools())],
    [headings.said, said.join('\n\n')],
    [headings[kind], cutMiddle(detail, REQUEST_TOKENS)],
  ];
  return parts.flatMap(([heading, text]) => (text.trim() ? [`${heading}:\n${text.trim()}`] : [])).join('\n\n');
}
