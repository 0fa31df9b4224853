import { scanMarkdown } from '../lib/markdown.js';
import { grouped } from './format.js';
import { languageOf } from './language.js';
import { en } from './texts-en.js';
import { ja } from './texts-ja.js';

/**
 * The finished text in at most `room` characters, cut in the middle with a note if need be.
 * What `finish` adds counts too.
 */
export function fitWithin(text: string, room: number, finish: (text: string) => string): string {
  let budget = room;
  let fitted = finish(text.length > room ? cutMiddle(text, budget) : text);
  while (fitted.length > room && budget > 0) {
    budget = Math.min(budget - 1, Math.floor(budget * Math.min(1, room / fitted.length)));
    fitted = finish(cutMiddle(text, budget));
  }
  return fitted.length > room ? '' : fitted;
}

/** A fence or a `<details>` left open would swallow what follows. */
export function closed(text: string): string {
  const { closing } = scanMarkdown(text);
  return balanceDetails(closing === null ? text : `${text}\n${closing}`);
}

function cutMiddle(text: string, budget: number): string {
  const head = text.slice(0, lineBreakBefore(text, Math.floor(budget * 0.6)));
  const tail = text.slice(lineBreakAfter(text, text.length - Math.floor(budget * 0.4)));
  const fence = fenceAt(text, text.length - tail.length);
  const note = noteFor(text, text.length - head.length - tail.length);
  return `${closeFence(head)}\n\n${note}\n\n${fence ? `${fence}\n` : ''}${tail}`;
}

const LONGEST_STEP = 300;

function lineBreakBefore(text: string, at: number): number {
  const lineBreak = text.lastIndexOf('\n', at);
  return lineBreak >= 0 && at - lineBreak < LONGEST_STEP ? lineBreak : wholeCharacter(text, at);
}

function lineBreakAfter(text: string, at: number): number {
  const lineBreak = text.indexOf('\n', at);
  return lineBreak >= 0 && lineBreak - at < LONGEST_STEP ? lineBreak + 1 : wholeCharacter(text, at);
}

/** Never between the two halves of an emoji. */
function wholeCharacter(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at;
}

function fenceAt(text: string, at: number): string | null {
  const { lines, closing } = scanMarkdown(text.slice(0, at));
  return closing === null ? null : (lines.at(-1)?.fence?.mark ?? closing.trim());
}

function closeFence(head: string): string {
  const { closing } = scanMarkdown(head);
  return closing === null ? head : `${head}\n${closing}`;
}

function noteFor(text: string, characters: number): string {
  const words = languageOf('', text) === 'ja' ? ja : en;
  return words.cutNote(grouped(characters));
}

function balanceDetails(text: string): string {
  if (!/<\/?details/i.test(text)) return text;
  let open = 0;
  const lines = scanMarkdown(text).lines.map((line) => {
    if (line.kind === 'code' || line.kind === 'fence') return line.text;
    return line.text.replace(/<(\/?)details(?=[\s>])[^<>]*>/gi, (tag, slash: string) => {
      open += slash ? -1 : 1;
      if (open >= 0) return tag;
      open = 0;
      return '';
    });
  });
  return lines.join('\n') + '\n\n</details>'.repeat(open);
}
