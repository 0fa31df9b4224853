import { closingBrace, endOfBlock, MOST_STRAYS, tagAt } from './scan.js';

/**
 * The reply without its reasoning blocks. A block that is not closed takes the rest with it, one that was never
 * opened everything before it. Tags inside the strings of an object are data and stay.
 */
export function stripReasoning(text: string): string {
  let said = '';
  let from = 0;
  let strays = 0;
  for (let at = 0; at < text.length; at++) {
    const tag = tagAt(text, at);
    if (tag) {
      said = tag.closes ? '' : said + text.slice(from, at);
      from = tag.closes ? tag.end : endOfBlock(text, tag.end);
      at = from - 1;
    } else if (text[at] === '{' && strays <= MOST_STRAYS) {
      const end = closingBrace(text, at);
      if (end === -1) strays++;
      else at = end;
    }
  }
  return said + text.slice(from);
}
