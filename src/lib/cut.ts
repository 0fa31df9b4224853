import { estimateTokens } from './tokens.js';

/** Keeps the beginning and the end of a text that is too long, and says how much is missing between them. */
export function cutMiddle(text: string, maxTokens: number): string {
  const tokens = estimateTokens(text);
  if (tokens <= maxTokens) return text;
  const keep = Math.max(0, Math.floor((text.length * maxTokens) / tokens) - 60);
  const head = wholeCharacters(text.slice(0, Math.ceil(keep * 0.6)));
  const tail = wholeCharacters(text.slice(text.length - Math.floor(keep * 0.4)));
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}

/** Without half of a surrogate pair at either end. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
