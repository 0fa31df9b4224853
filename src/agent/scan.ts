/** Braces that close nowhere cost a look at the whole rest each: with more of them a text is taken as broken. */
export const MOST_STRAYS = 25;

const TAG = /^<(\/?)(?:think|thinking|reasoning|thought)(?:\s[^<>]*)?>/i;
/** Magistral; its letters are capitals, so that a word in brackets is left alone. */
const BRACKETS = /^\[(\/?)THINK\]/;
/** gpt-oss, where a server passes its channels through: what comes before the final one is reasoning. */
const CHANNEL = /^<\|channel\|>(?:analysis|(final))\s*<\|message\|>/;
const LONGEST_TAG = 100;

/** A reasoning tag that begins exactly here. */
export function tagAt(text: string, at: number): { closes: boolean; end: number } | null {
  if (text[at] !== '<' && text[at] !== '[') return null;
  const match = matchAt(text, at);
  return match ? { closes: Boolean(match[1]), end: at + match[0].length } : null;
}

/** By its second character first: texts are full of `<` and `[`, and hostile ones of nothing else. */
function matchAt(text: string, at: number): RegExpExecArray | null {
  const second = text[at + 1];
  if (text[at] === '[' && second !== 'T' && second !== '/') return null;
  const pattern = text[at] === '[' ? BRACKETS : second === '|' ? CHANNEL : TAG;
  return pattern.exec(text.slice(at, at + LONGEST_TAG));
}

/** Where the reasoning that is open here ends; the end of the text where it does not. */
export function endOfBlock(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text.startsWith(END_OF_CHANNEL, at)) return at + END_OF_CHANNEL.length;
    const tag = tagAt(text, at);
    if (tag?.closes) return tag.end;
  }
  return text.length;
}

/** Ends the final channel as well, and so closes nothing but what is open. */
const END_OF_CHANNEL = '<|end|>';

/** Where the object or list that opens here closes; -1: nowhere, or a reasoning block begins or ends inside it. */
export function closingBrace(text: string, open: number): number {
  const [opening, closing] = text[open] === '[' ? ['[', ']'] : ['{', '}'];
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = closingQuote(text, at);
    else if (char === opening) depth++;
    else if (char === closing && --depth === 0) return at;
    else if ((char === '<' || char === '[') && tagAt(text, at)) return -1;
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
