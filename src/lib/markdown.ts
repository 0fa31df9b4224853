/**
 * Which lines of a Markdown text are shown as code. CommonMark's block structure as far as it
 * decides that: quotes, lists, fences, HTML blocks, lazy paragraphs. Wherever the rules leave a doubt,
 * a line is `text`. Indented code is `text` too.
 */
export interface Line {
  text: string;
  /** `html`: inside a raw HTML block, where backticks mean nothing. */
  kind: 'text' | 'html' | 'fence' | 'code';
  /** Lines of one paragraph share a number. */
  block: number;
  /** On `fence` and `code`: the fence it belongs to. */
  fence?: Fence;
}

export interface Fence {
  mark: string;
  /** At the very left and made of exactly three backticks: understood by the crudest parser. */
  plain: boolean;
}

export interface Scan {
  lines: Line[];
  /** The line that closes the fence left open at the end; null: none is open. */
  closing: string | null;
}

export function scanMarkdown(text: string): Scan {
  const state: State = { containers: [], leaf: { kind: 'none' }, block: 0 };
  const lines = text.split('\n').map((line) => scanLine(line, state));
  const { leaf, containers } = state;
  return { lines, closing: leaf.kind === 'fence' ? prefixOf(containers) + leaf.fence.mark : null };
}

type Container = { kind: 'quote' } | { kind: 'item'; width: number; empty: boolean };

type Leaf =
  | { kind: 'none' }
  | { kind: 'paragraph' }
  | { kind: 'fence'; fence: Fence }
  /** `end: null`: a blank line ends it. */
  | { kind: 'html'; end: RegExp | null };

interface State {
  containers: Container[];
  leaf: Leaf;
  block: number;
}

function scanLine(text: string, state: State): Line {
  const line = expandTabs(text);
  const { matched, rest } = matchContainers(line, state.containers);
  const allMatched = matched === state.containers.length;
  if (!allMatched && isLazyContinuation(rest, state.leaf)) return { text, kind: 'text', block: state.block };
  if (!allMatched) leave(state, matched);
  if (state.leaf.kind === 'fence') return inFence(text, rest, state, state.leaf.fence);
  if (state.leaf.kind === 'html') return inHtml(text, rest, state, state.leaf.end);
  return openBlocks(text, rest, state, allMatched);
}

function expandTabs(text: string): string {
  let line = text.replace(/\r$/, '');
  for (let at = line.indexOf('\t'); at >= 0 && at < 80; at = line.indexOf('\t')) {
    line = line.slice(0, at) + ' '.repeat(4 - (at % 4)) + line.slice(at + 1);
  }
  return line;
}

function matchContainers(line: string, containers: Container[]): { matched: number; rest: string } {
  let rest = line;
  let matched = 0;
  for (const container of containers) {
    const next = container.kind === 'quote' ? afterQuoteMark(rest) : afterIndent(rest, container);
    if (next === null) break;
    rest = next;
    matched++;
  }
  return { matched, rest };
}

function afterQuoteMark(line: string): string | null {
  const mark = /^ {0,3}> ?/.exec(line);
  return mark ? line.slice(mark[0].length) : null;
}

function afterIndent(line: string, item: { width: number; empty: boolean }): string | null {
  if (isBlank(line)) return item.empty ? null : '';
  return indentOf(line) >= item.width ? line.slice(item.width) : null;
}

function isLazyContinuation(rest: string, leaf: Leaf): boolean {
  if (leaf.kind !== 'paragraph' || isBlank(rest)) return false;
  return indentOf(rest) >= 4 || !startsBlock(rest);
}

function startsBlock(rest: string): boolean {
  return Boolean(
    afterQuoteMark(rest) !== null || listItem(rest, false) || fenceOf(rest) || isHeading(rest) || htmlStart(rest, true),
  );
}

function leave(state: State, matched: number): void {
  state.containers.length = matched;
  state.leaf = { kind: 'none' };
}

function inFence(text: string, rest: string, state: State, fence: Fence): Line {
  const closes = /^ {0,3}(`+|~+) *$/.exec(rest)?.[1]?.startsWith(fence.mark) ?? false;
  if (closes) state.leaf = { kind: 'none' };
  return { text, kind: closes ? 'fence' : 'code', block: state.block, fence };
}

function inHtml(text: string, rest: string, state: State, end: RegExp | null): Line {
  const ends = end ? end.test(rest) : isBlank(rest);
  if (ends) state.leaf = { kind: 'none' };
  return { text, kind: 'html', block: state.block };
}

function openBlocks(text: string, afterContainers: string, state: State, allMatched: boolean): Line {
  const continued = allMatched && state.leaf.kind === 'paragraph';
  const rest = openContainers(afterContainers, state, continued);
  const paragraph = continued && rest === afterContainers;
  markFilled(state.containers, rest);
  if (isBlank(rest) || isHeading(rest)) return startLeaf(text, 'text', { kind: 'none' }, state);
  if (indentOf(rest) < 4) {
    const mark = fenceOf(rest);
    if (mark) return startFence(text, mark, state);
    const html = htmlStart(rest, paragraph);
    if (html) return startHtml(text, rest, html.end, state);
  } else if (!paragraph) return startLeaf(text, 'text', { kind: 'none' }, state);
  return paragraph ? { text, kind: 'text', block: state.block } : startLeaf(text, 'text', { kind: 'paragraph' }, state);
}

function openContainers(line: string, state: State, interrupting: boolean): string {
  let rest = line;
  for (let inParagraph = interrupting; indentOf(rest) < 4; inParagraph = false) {
    const quoted = afterQuoteMark(rest);
    const item = quoted === null ? listItem(rest, inParagraph) : null;
    if (quoted === null && !item) break;
    state.containers.push(item ? item.container : { kind: 'quote' });
    state.leaf = { kind: 'none' };
    rest = item ? item.rest : (quoted ?? '');
  }
  return rest;
}

function listItem(line: string, inParagraph: boolean): { container: Container; rest: string } | null {
  const [all, indent = '', bullet = '', gap = ''] = /^( {0,3})([-+*]|\d{1,9}[.)])( +|$)/.exec(line) ?? [];
  if (all === undefined || isHeading(line)) return null;
  const empty = isBlank(line.slice(all.length));
  if (inParagraph && (empty || (/\d/.test(bullet) && !/^1[.)]$/.test(bullet)))) return null;
  const spaces = empty || gap.length > 4 ? 1 : gap.length;
  const width = indent.length + bullet.length + spaces;
  return { container: { kind: 'item', width, empty }, rest: empty ? '' : line.slice(width) };
}

function markFilled(containers: Container[], rest: string): void {
  if (isBlank(rest)) return;
  for (const container of containers) if (container.kind === 'item') container.empty = false;
}

function startFence(text: string, mark: string, state: State): Line {
  const fence: Fence = { mark, plain: mark === '```' && text.startsWith('```') && state.containers.length === 0 };
  return { ...startLeaf(text, 'fence', { kind: 'fence', fence }, state), fence };
}

function startHtml(text: string, rest: string, end: RegExp | null, state: State): Line {
  const endsHere = end?.test(rest.trimStart().slice(2)) ?? false;
  return startLeaf(text, 'html', endsHere ? { kind: 'none' } : { kind: 'html', end }, state);
}

function startLeaf(text: string, kind: Line['kind'], leaf: Leaf, state: State): Line {
  state.leaf = leaf;
  state.block++;
  return { text, kind, block: state.block };
}

function fenceOf(line: string): string | null {
  return /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line)?.slice(1).find(Boolean) ?? null;
}

/** Headings and rules: a line that is a block of its own. */
function isHeading(line: string): boolean {
  return /^ {0,3}(?:#{1,6}(?: |$)|([-*_])(?: *\1){2,} *$)/.test(line);
}

const BLOCK_TAGS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|' +
  'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul';

const HTML_STARTS: [RegExp, RegExp | null][] = [
  [/^<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [/^<![a-z]/i, />/],
  [new RegExp(`^</?(?:${BLOCK_TAGS})(?:\\s|/?>|$)`, 'i'), null],
];

const LONE_TAG = /^<(?:\/[a-z][a-z0-9-]*\s*|[a-z][a-z0-9-]*(?:\s+[^<>"'\s]+(?:"[^"]*"|'[^']*')?)*\s*\/?)>\s*$/i;

function htmlStart(line: string, inParagraph: boolean): { end: RegExp | null } | null {
  const text = /^ {0,3}(<.*)$/.exec(line)?.[1];
  if (!text) return null;
  const known = HTML_STARTS.find(([start]) => start.test(text));
  if (known) return { end: known[1] };
  return !inParagraph && LONE_TAG.test(text) ? { end: null } : null;
}

function prefixOf(containers: Container[]): string {
  return containers.map((container) => (container.kind === 'quote' ? '> ' : ' '.repeat(container.width))).join('');
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}
