import type { PlanView } from '../agent/planning/plan.js';
import { withoutInvisible } from '../lib/invisible.js';
import { duration, grouped, localTime, oneLine, shortUuid } from '../report/format.js';
import { cutTo } from './columns.js';
import { age } from './status-table.js';
import type { TaskFacts } from './status-task.js';

interface View {
  now: number;
  width: number;
}

const NAME_WIDTH = 14;
const SHOWN_ATTEMPTS = 5;
const MARKS = { open: '[ ]', running: '[>]', done: '[x]', failed: '[!]' } as const;

/** All about one task, for a person who wonders what it is doing. */
export function taskPage(facts: TaskFacts, view: View): string {
  const lines = [
    `${facts.task}  ${visible(facts.title)}`,
    facts.url,
    '',
    ...field('state', facts.why ? `${facts.state}: ${visible(facts.why)}` : facts.state),
    ...field('wished', facts.wishes.join(', ')),
    ...field('label', facts.label.written ? facts.label.name : `${facts.label.name} (still to be written)`),
    ...field('next', nextLine(facts, view)),
    ...planLines(facts.plan, view),
    ...attemptLines(facts, view),
    ...field('last comment', commentLine(facts, view)),
    ...field('follow-ups', `${facts.follow_ups.done} of ${facts.follow_ups.most}`),
    ...pastLines(facts, view),
    ...field('files', facts.attempt?.folder ?? (facts.attempt ? 'deleted after their time' : 'none yet')),
    ...field('log', facts.log_dir),
    ...field('you can', commands(facts).join('\n')),
  ];
  return `${lines.join('\n')}\n`;
}

function field(name: string, value: string): string[] {
  if (value === '') return [];
  const [first = '', ...rest] = value.split('\n');
  return [name.padEnd(NAME_WIDTH) + first, ...rest.map((line) => ' '.repeat(NAME_WIDTH) + line)];
}

function nextLine({ next }: TaskFacts, { now }: View): string {
  if (next.at === null) return next.what;
  const at = Date.parse(next.at);
  const when = at > now ? `in ${duration(at - now, 'en')}` : 'now';
  return `${next.what} (${localTime(at)}, ${when})`;
}

function planLines(plan: PlanView | null, { width }: View): string[] {
  if (!plan) return [];
  const done = plan.actions.filter((action) => action.status === 'done').length;
  const revised = plan.revision > 0 ? `, revised ${plan.revision} times` : '';
  const head = `${visible(plan.goal)} (${done} of ${plan.actions.length} done${revised})`;
  const boxes = plan.actions.map(
    ({ id, purpose, status, additional }) =>
      `${MARKS[status]} ${id}: ${visible(purpose)}${additional ? ' (from verification)' : ''}`,
  );
  return field('plan', [head, ...boxes].map((line) => cutTo(line, width - NAME_WIDTH)).join('\n'));
}

function attemptLines({ attempt }: TaskFacts, view: View): string[] {
  if (!attempt) return [];
  const counts = [
    many(attempt.turns, 'turn'),
    many(attempt.llm_calls, 'LLM call'),
    many(attempt.tool_calls, 'tool call'),
    many(attempt.tokens, 'token'),
    ...(attempt.cost === null ? [] : [`about $${attempt.cost.toFixed(2)}`]),
    duration(attempt.worked_ms, 'en'),
  ];
  const compressions = `${attempt.compressions}, which took ${grouped(attempt.compression_tokens)} tokens`;
  const active =
    attempt.last_activity === null ? '' : `, last active ${age(view.now - Date.parse(attempt.last_activity))} ago`;
  return [
    ...field('attempt', `${attempt.uuid} (${attempt.status}, ${attempt.phase}${active})`),
    ...field('model', `${attempt.provider} ${attempt.model}`),
    ...field('work', counts.join(', ')),
    ...field('compressions', attempt.compressions > 0 ? compressions : 'none'),
    ...field('last message', cutTo(visible(attempt.last_message ?? ''), 3 * (view.width - NAME_WIDTH))),
  ];
}

function commentLine({ last_comment_read }: TaskFacts, { now }: View): string {
  if (!last_comment_read) return 'none read yet';
  const { id, at } = last_comment_read;
  return at === null ? id : `${id}, read ${age(now - Date.parse(at))} ago`;
}

function pastLines({ attempts }: TaskFacts, { width }: View): string[] {
  const lines = attempts.slice(0, SHOWN_ATTEMPTS).map((each) => {
    const error = each.error ? `: ${visible(each.error)}` : '';
    const what = `${each.outcome}${each.follow_up ? ', follow-up' : ''}, ${many(each.turns, 'turn')}, ${many(each.tokens, 'token')}`;
    return cutTo(
      `${shortUuid(each.uuid)}  ${localTime(Date.parse(each.created_at))}  ${what}${error}`,
      width - NAME_WIDTH,
    );
  });
  const more = attempts.length - lines.length;
  return field('attempts', [...lines, ...(more > 0 ? [`and ${more} before`] : [])].join('\n'));
}

function commands({ task, state, attempt }: TaskFacts): string[] {
  const resume = `agent resume ${task}`;
  const stop = `agent stop ${task}`;
  if (attempt?.paused_by === 'question') return [`answer in the thread: the next tick goes on`, stop];
  if (attempt?.status === 'paused') return [`${resume}    (go on)`, stop];
  if (attempt?.status === 'running') return [`agent pause ${task}`, stop];
  if (state === 'awaiting-response') return ['comment in the thread', `agent retry ${task}    (once more)`, stop];
  return [`agent retry ${task}    (once more)`];
}

function many(count: number, thing: string): string {
  return `${grouped(count)} ${thing}${count === 1 ? '' : 's'}`;
}

/** What came from outside must not steer the terminal. */
function visible(text: string): string {
  return oneLine(withoutInvisible(text));
}
