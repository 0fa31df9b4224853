import { APPROVALS, JAPANESE_ENDING } from './approvals.js';
import { ownWords } from './own-words.js';

/** `complete`: nothing but thanks or approval. `ask`: a keyword, but more is said, so the model decides. */
export type Completion = 'complete' | 'ask' | 'no';

const LONGEST_COMPLETION = 200;

/** Whether a comment says, by the configured keywords, that the task is finished. `ourName`: null where nobody knows it. */
export function judgeCompletion(body: string, keywords: string[], ourName: string | null = null): Completion {
  const text = fold(ownWords(body));
  const words = keywords.map(patternOf).filter((pattern) => pattern !== '');
  if (keywordIn(body, keywords) === null) return 'no';
  if (text.length > LONGEST_COMPLETION || DOUBT.test(text) || speaksToAnother(text, ourName)) return 'ask';
  return saysOnly([...words.map((word) => word + JAPANESE_ENDING), ...APPROVALS], text) ? 'complete' : 'ask';
}

/** The first of the keywords that the comment has in its own words. */
export function keywordIn(body: string, keywords: string[]): string | null {
  const text = fold(ownWords(body));
  return (
    keywords.find((keyword) => patternOf(keyword) !== '' && new RegExp(patternOf(keyword), 'u').test(text)) ?? null
  );
}

function patternOf(keyword: string): string {
  return bordered(fold(keyword).trim());
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/[’‘´]/g, "'").replace(/\s+/g, ' ');
}

const SPACED = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;

/**
 * A word of a script that has spaces stands alone ("token" does not say OK, nor does `is_ok`, but `_ok_` does);
 * Japanese has no such borders.
 */
function bordered(word: string): string {
  const letter = SPACED.source;
  const before = SPACED.test(word.slice(0, 1)) ? `(?<!${letter}_?)` : '';
  const after = SPACED.test(word.slice(-1)) ? `(?!_?${letter})` : '';
  return before + word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') + after;
}

/** A question, hesitation, a sad face, something struck out. */
const DOUBT = /\?|[.。、・]{2}|~~|[:;=]['-]?[([/\\|<]|t_t|;_;/;

/** Thanks to somebody else need not be meant for us. */
function speaksToAnother(text: string, ourName: string | null): boolean {
  const us = ourName === null ? null : fold(ourName).replace('[bot]', '');
  return us !== null && [...text.matchAll(/@([\w.-]+)/g)].some(([, name]) => name !== us);
}

/** Whether the text is made of these phrases and of nothing else, however they follow each other. */
function saysOnly(phrases: string[], text: string): boolean {
  const patterns = phrases.map((phrase) => new RegExp(phrase, 'uy'));
  const reached = new Set([0]);
  for (let at = 0; at < text.length; at++) {
    if (!reached.has(at)) continue;
    for (const pattern of patterns) {
      pattern.lastIndex = at;
      if (pattern.test(text)) reached.add(pattern.lastIndex);
    }
  }
  return reached.has(text.length);
}
