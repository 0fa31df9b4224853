/** A range of a text: from `start` up to, not including, `end`. */
export interface Span {
  start: number;
  end: number;
}

/**
 * The inline code of one paragraph, but only where every reading agrees: on one line, the same whether
 * the line is read alone or with its paragraph, not across table cells, with no escaped backtick and no
 * tag that holds one anywhere near.
 */
export function codeSpans(paragraph: string): Span[] {
  if (!paragraph.includes('`') || /\\`|<[a-z/][^>`]{0,2000}`/i.test(paragraph)) return [];
  const alone = new Set(spansOfEachLine(paragraph).map(({ start, end }) => `${start}-${end}`));
  return backtickSpans(paragraph).filter(
    ({ start, end }) => alone.has(`${start}-${end}`) && !paragraph.slice(start, end).includes('|'),
  );
}

function spansOfEachLine(paragraph: string): Span[] {
  let offset = 0;
  return paragraph.split('\n').flatMap((line) => {
    const from = offset;
    offset += line.length + 1;
    return backtickSpans(line).map(({ start, end }) => ({ start: start + from, end: end + from }));
  });
}

/** A run of backticks opens; the next run of the same length closes. */
function backtickSpans(text: string): Span[] {
  const runs = [...text.matchAll(/`+/g)].map((run) => ({ start: run.index, end: run.index + run[0].length }));
  const closers = nextOfSameLength(runs);
  const spans: Span[] = [];
  for (let at = 0; at < runs.length; at++) {
    const opener = runs[at];
    const closerAt = closers[at];
    const closer = closerAt === undefined ? undefined : runs[closerAt];
    if (!opener || !closer || closerAt === undefined) continue;
    spans.push({ start: opener.start, end: closer.end });
    at = closerAt;
  }
  return spans;
}

function nextOfSameLength(runs: Span[]): (number | undefined)[] {
  const latest = new Map<number, number>();
  const next = new Array<number | undefined>(runs.length);
  for (const [at, run] of [...runs.entries()].reverse()) {
    next[at] = latest.get(run.end - run.start);
    latest.set(run.end - run.start, at);
  }
  return next;
}
