import type { Span } from '../lib/code-spans.js';

/** The text without HTML comments, elements that are not displayed and attributes nobody sees; code stays. Linear time. */
export function withoutHiddenHtml(text: string, code: Span[]): string {
  const closers = lastClosers(text);
  let out = '';
  let at = 0;
  for (let span = 0; ;) {
    const open = text.indexOf('<', at);
    if (open < 0) return out + text.slice(at);
    while ((code[span]?.end ?? Infinity) <= open) span++;
    const around = code[span];
    if (around && around.start <= open) {
      out += text.slice(at, around.end);
      at = around.end;
      continue;
    }
    out += text.slice(at, open);
    const markup = readMarkup(text, open, closers);
    // What is left on both sides of a gap must not join to form new markup.
    out += markup.shown === '' && /<!?-?$/.test(out.slice(-3)) ? ' ' : markup.shown;
    at = markup.next;
  }
}

interface Markup {
  shown: string;
  next: number;
}

function readMarkup(text: string, open: number, closers: Map<string, number>): Markup {
  if (text.startsWith('<!--', open)) return skipComment(text, open);
  const end = endOfTag(text, open);
  if (end < 0) return { shown: '<', next: open + 1 };
  const tag = readTag(text.slice(open, end));
  if (!isHidden(tag)) return { shown: shownPart(tag), next: end };
  return { shown: '', next: endOfElement(text, end, tag.name, closers) };
}

/** One that never closes hides everything after it if it begins a line, and nothing if it does not. */
function skipComment(text: string, open: number): Markup {
  const close = text.indexOf('-->', open + 2);
  if (close >= 0) return { shown: '', next: close + 3 };
  const beginsLine = /(?:^|\n)[ \t>*+-]*$/.test(text.slice(Math.max(0, open - 40), open));
  return { shown: '', next: beginsLine ? text.length : open + 4 };
}

const LONGEST_TAG = 20_000;

/** Past the `>` that ends the tag; -1: no tag after all. One that is absurdly long is taken to end where we stop. */
function endOfTag(text: string, open: number): number {
  if (!/[a-z]/i.test(text.charAt(open + 1))) return -1;
  const limit = Math.min(text.length, open + LONGEST_TAG);
  let quote = '';
  for (let at = open + 1; at < limit; at++) {
    const character = text.charAt(at);
    if (quote) quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at + 1;
    else if (character === '<') return -1;
  }
  return limit < text.length ? limit : -1;
}

interface Tag {
  name: string;
  attributes: { name: string; value: string; source: string }[];
  selfClosing: boolean;
}

function readTag(source: string): Tag {
  const name = /^<([a-z][a-z0-9-]*)/i.exec(source)?.[1] ?? '';
  const attributes = [...source.matchAll(/(?<=\s)([^\s"'=<>/]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'<>]+))?/g)].map(
    ([all, attribute = '', value = '']) => ({ name: attribute.toLowerCase(), value, source: all }),
  );
  return { name, attributes, selfClosing: source.endsWith('/>') };
}

const NEVER_SHOWN = new Set(['script', 'style', 'template', 'noscript', 'head', 'title']);
const HIDING_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d])|font-size\s*:\s*0(?![.\d])/i;

function isHidden({ name, attributes }: Tag): boolean {
  if (NEVER_SHOWN.has(name.toLowerCase())) return true;
  return attributes.some(
    (attribute) =>
      attribute.name === 'hidden' ||
      (attribute.name === 'aria-hidden' && /true/i.test(attribute.value)) ||
      (attribute.name === 'style' && HIDING_STYLE.test(attribute.value)),
  );
}

const SHOWN_ATTRIBUTES = new Set(['href', 'src', 'width', 'height', 'align', 'open', 'colspan', 'rowspan', 'start']);

/** `title`, `alt`, `aria-label`, `data-…` and their like are not seen by people. */
function shownPart({ name, attributes, selfClosing }: Tag): string {
  const shown = attributes.filter((attribute) => SHOWN_ATTRIBUTES.has(attribute.name));
  return `<${[name, ...shown.map(({ source }) => source)].join(' ')}${selfClosing ? ' /' : ''}>`;
}

/** Past the end tag that belongs to the element, else past the last one of its name, else right after the start tag. */
function endOfElement(text: string, from: number, name: string, closers: Map<string, number>): number {
  if ((closers.get(name.toLowerCase()) ?? -1) < from) return from;
  const tags = new RegExp(`<(/?)${name}(?=[\\s/>])[^<>]*>`, 'gi');
  tags.lastIndex = from;
  let end = from;
  let depth = 1;
  for (let tag = tags.exec(text); tag && depth > 0; tag = tags.exec(text)) {
    depth += tag[1] ? -1 : 1;
    if (tag[1]) end = tag.index + tag[0].length;
  }
  return end;
}

/** Where the last end tag of each name stands, so that no search is made in vain. */
function lastClosers(text: string): Map<string, number> {
  const closers = [...text.matchAll(/<\/([a-z][a-z0-9-]{0,60})(?=[\s/>])[^<>]*>/gi)];
  return new Map(closers.map((closer) => [closer[1]?.toLowerCase() ?? '', closer.index]));
}
