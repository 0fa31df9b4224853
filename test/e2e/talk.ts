import type { CannedRequest, Step } from '../../src/playground/model/steps.js';
import { LABEL, REPO, type Stage } from './stage.js';

/** How the world refers to an item: `'!7'` is a merge request. */
export type Ref = number | `!${number}`;

export interface Talk {
  /** What is said in each turn of an attempt, whichever attempt it is. */
  turns: Step[];
  /** What people do while the model thinks about a turn. */
  meanwhile?: (turn: number, request: CannedRequest) => void;
  /** What the model thinks of thanks that say more. */
  finished?: boolean;
}

/** A script by what the model itself said in the attempt; summaries and judgements are exchanges of their own. */
export function talk({ turns, meanwhile, finished = false }: Talk): (request: CannedRequest) => Step {
  return (request) => {
    if (isSummary(request)) return { text: 'Summary: the greeting was looked at.' };
    if (isJudgement(request)) return { text: JSON.stringify({ finished }) };
    const turn = request.messages.filter((message) => message.role === 'assistant' && message.toolCalls?.length).length;
    meanwhile?.(turn, request);
    return turns[turn] ?? { status: 400, body: { error: { message: `no turn ${turn + 1} in this talk` } } };
  };
}

export function isSummary({ messages }: Pick<CannedRequest, 'messages'>): boolean {
  return messages.some((message) => message.content.includes('Write the summary now'));
}

export function isJudgement({ messages }: Pick<CannedRequest, 'messages'>): boolean {
  return messages[0]?.content.startsWith('You decide whether a comment') ?? false;
}

export const note = (text: string, delayMs = 0): Step => ({
  delayMs,
  text: `I note ${text}.`,
  toolCalls: [{ tool: 'notes/note', args: { text } }],
});
export const done = (comment = 'It is done.', delayMs = 0): Step => ({ delayMs, done: true, comment });

/** The requests that asked for a turn, summaries and judgements left out. */
export function turnRequests(stage: Stage): CannedRequest['messages'][] {
  return stage.model.requests
    .filter((request) => !isSummary(request) && !isJudgement(request))
    .map(({ messages }) => messages);
}

/** How many messages of a request say this. */
export function times(messages: CannedRequest['messages'] | undefined, text: string): number {
  return (messages ?? []).filter((message) => message.content.includes(text)).length;
}

/** A pull or merge request by alice, labelled by her. */
export function changeBy({ world, forge }: Stage): Ref {
  const n = world.addPullRequest(REPO, {
    title: 'Greet',
    body: 'A change.',
    author: 'alice',
    head: 'greet',
    base: 'main',
  });
  const ref: Ref = forge === 'gitlab' ? `!${n}` : n;
  world.label(REPO, ref, LABEL, 'alice');
  return ref;
}

/** The reactions on a comment. */
export function reactionsOn({ world }: Stage, ref: Ref, id: number): string[] {
  return world
    .comments(REPO, ref)
    .find((comment) => comment.id === id)!
    .reactions.map(({ content }) => content);
}

/** Requests to the forge, as `METHOD path`, conditional ones marked. */
export function requests({ playground }: Stage): string[] {
  return playground.journal.map(
    ({ method, path, conditional }) => `${method} ${path}${conditional ? ' conditional' : ''}`,
  );
}

/** Puts a moment of the past into a column, as the database writes it. */
export function ago(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}

/** What the conversation is now, and how many follow-ups it had. */
export function state(stage: Stage): { state: unknown; count: unknown } {
  const { state: now, comment_count: count } = stage.conversation();
  return { state: now, count };
}

/** A tick that finds nothing to do: nothing is said, nothing asked, nothing changed. */
export async function expectRest(stage: Stage, ref: Ref): Promise<void> {
  const stand = () => [stage.comments(ref), stage.labels(ref), stage.model.requests.length];
  const before = stand();
  await stage.tick();
  expect(stand()).toEqual(before);
}
