export const COMMENT_KINDS = [
  'progress',
  'phase',
  'checklist',
  'question',
  'result',
  'failure',
  'paused',
  'stopped',
  'closing',
  'refused',
] as const;

/** What a comment of ours is. */
export type CommentKindOfOurs = (typeof COMMENT_KINDS)[number];

export interface Marker {
  attempt: string;
  kind: CommentKindOfOurs;
  n: number;
}

/** The hidden last line of every comment of ours: by it a post is found again. */
export function marker({ attempt, kind, n }: Marker): string {
  return `<!-- agent:v1 attempt=${attempt} kind=${kind} n=${n} -->`;
}

const MARKER_LINE = new RegExp(
  `^<!-- agent:v1 attempt=([0-9A-Za-z-]{1,64}) kind=(${COMMENT_KINDS.join('|')}) n=(\\d{1,9}) -->$`,
);

/** The marker on the last line, and nowhere else; null: there is none. Whose it is, the caller must check. */
export function readMarker(body: string): Marker | null {
  const [, attempt, kind, n] = MARKER_LINE.exec(lastLineMarker(body)) ?? [];
  if (!attempt || !kind || !n) return null;
  return { attempt, kind: kind as CommentKindOfOurs, n: Number(n) };
}

/** The last line of a comment of ours, word for word: what the thread is searched for. */
export function lastLineMarker(body: string): string {
  const text = body.trimEnd();
  return text.slice(text.lastIndexOf('\n') + 1);
}

/** The text without anything that looks like a marker of ours. */
export function withoutMarkers(text: string): string {
  // A space is left behind, so that two halves around a marker cannot join to form another one.
  return text.replace(/<!--[\s\u200b]*agent:v\d[^<>]*-->/gi, ' ');
}
