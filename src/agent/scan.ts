/** Braces that close nowhere cost a look at the whole rest each: with more of them a text is taken as broken. */
export const MOST_STRAYS = 100;

const TAG = /^<(\/?)(?:think|thinking|reasoning|thought)>/i;
const LONGEST_TAG = 12;

/** A reasoning tag that begins exactly here. */
export function tagAt(text: string, at: number): { closes: boolean; end: number } | null {
  if (text[at] !== '<') return null;
  const match = TAG.exec(text.slice(at, at + LONGEST_TAG));
  return match ? { closes: match[1] === '/', end: at + match[0].length } : null;
}

/** Where the object or list that opens here closes; -1: nowhere, or a reasoning block begins or ends inside it. */
export function closingBrace(text: string, open: number): number {
  const [opening, closing] = text[open] === '[' ? ['[', ']'] : ['{', '}'];
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = closingQuote(text, at);
    else if (char === opening) depth++;
    else if (char === closing && --depth === 0) return at;
    else if (char === '<' && tagAt(text, at)) return -1;
  }
  return -1;
}

function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
