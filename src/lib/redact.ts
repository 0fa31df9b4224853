import { findSecrets } from './secret-forms.js';
import { TOKEN_SHAPES } from './token-shapes.js';

export type Redact = (text: string) => string;

const MASK = '***';

/**
 * Masks the known secrets (as they are, encoded, reversed, or any 12 characters of them), the
 * well-known shapes of tokens and the operator's own patterns. Time grows with the text's length only.
 */
export function createRedactor(secrets: string[], patterns: string[]): Redact {
  const rangesOf = findSecrets(secrets);
  const own = patterns.map((pattern) => new RegExp(pattern, 'g'));
  return (text) => {
    const known = maskRanges(text, rangesOf(text));
    return own.reduce((masked, pattern) => masked.replace(pattern, MASK), maskShapes(known));
  };
}

/** Masks every string in a value, keys included, and leaves its shape alone. */
export function redactStrings<T>(value: T, redact: Redact): T {
  return masked(value) as T;

  function masked(each: unknown): unknown {
    if (typeof each === 'string') return redact(each);
    if (Array.isArray(each)) return each.map(masked);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [redact(key), masked(inner)]));
  }
}

function maskRanges(text: string, ranges: [start: number, end: number][]): string {
  let masked = '';
  let from = 0;
  for (const [start, end] of ranges) {
    masked += text.slice(from, start) + MASK;
    from = end;
  }
  return masked + text.slice(from);
}

function maskShapes(text: string): string {
  return TOKEN_SHAPES.reduce((masked, shape) => {
    // Looking for the fixed part first spares long texts the regular expression.
    if (!shape.marks.some((mark) => masked.includes(mark))) return masked;
    return masked.replace(shape.pattern, (_match, kept: unknown) => (typeof kept === 'string' ? kept : '') + MASK);
  }, text);
}
