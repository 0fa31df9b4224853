import { estimateTokens, lengthWithin } from './tokens.js';

const NOTE_TOKENS = 15;

/** Keeps the beginning and the end of a text that is too long, and says how much is missing between them. */
export function cutMiddle(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens) return text;
  const room = Math.max(0, maxTokens - NOTE_TOKENS);
  const head = wholeCharacters(text.slice(0, lengthWithin(text, room * 0.6, 'start')));
  const tail = wholeCharacters(text.slice(text.length - lengthWithin(text, room * 0.4, 'end')));
  const missing = text.slice(head.length, text.length - tail.length);
  return `${head}\n[… ${charactersOf(missing)} characters left out …]\n${tail}`;
}

const NOTE = /\n\[… (\d+) characters left out …\]\n/g;

/** What an earlier cut left out is missing as well. */
function charactersOf(text: string): number {
  return [...text.matchAll(NOTE)].reduce((sum, [note, count]) => sum - note.length + Number(count), text.length);
}

/** Without half of a surrogate pair at either end. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
