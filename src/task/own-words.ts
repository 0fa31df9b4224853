import { codeSpans } from '../lib/code-spans.js';
import { scanMarkdown, type Line } from '../lib/markdown.js';
import { withoutInvisible } from '../lib/invisible.js';

/** What the commenter says in their own words: without quotes, code and HTML comments. */
export function ownWords(body: string): string {
  const visible = withoutInvisible(body).replace(/<!--[^]*?(?:-->|$)/g, '\n');
  return scanMarkdown(visible).lines.filter(isOwn).map(withoutCode).join('\n').trim();
}

function isOwn(line: Line): boolean {
  return line.kind === 'code' || line.kind === 'fence' || !/^\s*>/.test(line.text);
}

/** Something stays in the place of code: what is said around it is about it. */
function withoutCode({ text, kind }: Line): string {
  if (kind === 'code' || kind === 'fence') return text.trim() && '□';
  return codeSpans(text).reduceRight((rest, { start, end }) => `${rest.slice(0, start)} □ ${rest.slice(end)}`, text);
}
