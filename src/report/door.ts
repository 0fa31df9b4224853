import { codeSpans } from '../lib/code-spans.js';
import { scanMarkdown, type Line } from '../lib/markdown.js';
import type { Source } from '../task/key.js';
import { closed, fitWithin } from './cut.js';
import { withoutMarkers } from './marker.js';

export interface DoorOptions {
  /** Masks secrets. */
  redact(text: string): string;
  source: Source;
  /** The most characters the forge takes, marker included. */
  maxLength: number;
  /** Whether this person takes part in the thread and may be mentioned. */
  involved(login: string): boolean;
}

/**
 * The one door: everything posted passes it. Secrets are masked before anything is cut; outside code,
 * mentions of strangers, closing keywords and GitLab's quick actions get a zero-width space, which
 * nobody sees, no forge acts on, and `sanitizeForeign` takes out again; the marker is the last line.
 */
export function openDoor(options: DoorOptions): (body: string, marker: string) => string {
  return (body, marker) => {
    const clean = options
      .redact(withoutMarkers(body.replaceAll('\r\n', '\n')))
      .replace(/^\s*\n/, '')
      .trimEnd();
    const room = options.maxLength - marker.length - 2;
    const safe = fitWithin(clean, room, (text) => tame(closed(withCommentsShown(text)), options));
    return safe === '' ? marker : `${safe}\n\n${marker}`;
  };
}

const INVISIBLE = '\u200b';

function tame(text: string, options: DoorOptions): string {
  return eachBlock(text, (block, kind) => {
    if (kind === 'code') return options.source === 'gitlab' ? block.replace(QUICK_ACTION, `$&${INVISIBLE}`) : block;
    const pattern = patternFor(kind, options.source);
    return replaceOutsideCode(block, kind, pattern, (found, groups) => tamed(found, groups, options.involved));
  });
}

type BlockKind = 'text' | 'html' | 'code';
type Groups = Record<string, string | undefined>;

function tamed(found: string, { url, name }: Groups, involved: (login: string) => boolean): string {
  if (url !== undefined) return found;
  if (name === undefined) return `${found}${INVISIBLE}`;
  const login = name.replace(/[.-]+$/, '');
  const everybody = /^(?:all|everyone|here|channel)$/i.test(login) || login.includes('/');
  return !everybody && involved(login) ? found : `${found}${INVISIBLE}`;
}

/** The lines of a paragraph go through `change` together; plain code stays as it is. */
function eachBlock(text: string, change: (block: string, kind: BlockKind) => string): string {
  const out: string[] = [];
  let block: Line[] = [];
  const flush = () => {
    const [first] = block;
    const joined = block.map((line) => line.text).join('\n');
    if (first) out.push(first.fence?.plain || first.kind === 'fence' ? joined : change(joined, first.kind));
    block = [];
  };
  for (const line of scanMarkdown(text).lines) {
    if (block[0] && (block[0].block !== line.block || block[0].kind !== line.kind)) flush();
    block.push(line);
  }
  flush();
  return out.join('\n');
}

const URL = String.raw`(?<url>(?<![a-z0-9])https?:\/\/[\w.-]+\.[a-z]{2,}(?::\d+)?\/[^\s<>()[\]"'\x60]*)`;
const MENTION = String.raw`(?<![a-z0-9_])(?:@|&#0*64;|&#x0*40;|&commat;)(?=(?<name>[a-z0-9_][\w.-]*(?:\/[\w.-]+)*))`;
const KEYWORD = String.raw`lose[sd]?|losing|ix(?:e[sd]|ing)?|esolve[sd]?|esolving|mplement(?:s|ed|ing)?`;
const NUMBER = String.raw`(?:[#!]|&#0*3[35];|&#x0*2[13];|&num;|&excl;)\d|gh-\d`;
const REFERENCE = String.raw`(?:issues?[^a-z0-9#!]{1,6})?(?:https?:\/\/\S{0,300}\/\d|[\w./-]{0,200}?(?:${NUMBER}))`;
const CLOSING = String.raw`(?<![a-z0-9_])[cfri](?=(?:${KEYWORD})[^a-z0-9#!&]{1,12}${REFERENCE})`;
const ACTION = String.raw`(?<=^[ \t\xa0]*)\/(?=[a-z])`;

/** Before its Markdown parser, GitLab's search for quick actions knew plain fences only. */
const QUICK_ACTION = new RegExp(ACTION, 'gim');

/** In raw HTML the forges link no addresses, so a mention inside one is a mention. */
function patternFor(kind: 'text' | 'html', source: Source): RegExp {
  const parts = [CLOSING, ...(kind === 'text' ? [URL] : []), MENTION, ...(source === 'gitlab' ? [ACTION] : [])];
  return new RegExp(parts.join('|'), 'gim');
}

const ROUNDS = 8;

/** A hidden comment is nothing we would post, and one that never closes would hide all that follows. */
function withCommentsShown(text: string): string {
  let shown = text;
  for (let round = 0; round < ROUNDS && shown.includes('<!--'); round++) {
    const before = shown;
    shown = eachBlock(before, showComments);
    if (shown === before) return shown;
  }
  // Once a comment is shown, fences inside it count: what keeps changing its meaning is shown everywhere.
  return shown.includes('<!--') ? shown.replaceAll('<!--', '&lt;!--') : shown;
}

function showComments(block: string, kind: BlockKind): string {
  if (kind === 'code') return block;
  return replaceOutsideCode(block, kind, /<!--/g, () => '&lt;!--');
}

function replaceOutsideCode(
  block: string,
  kind: BlockKind,
  pattern: RegExp,
  change: (found: string, groups: Groups) => string,
): string {
  const code = kind === 'text' ? codeSpans(block) : [];
  let next = 0;
  return block.replace(pattern, (...match) => {
    const found = match[0];
    const at = match.find((part) => typeof part === 'number')!;
    while ((code[next]?.end ?? Infinity) <= at) next++;
    return (code[next]?.start ?? Infinity) <= at ? found : change(found, match.at(-1) as Groups);
  });
}
