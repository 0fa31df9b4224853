import { codeSpans, type Span } from '../lib/code-spans.js';
import { withoutInvisible } from '../lib/invisible.js';
import { scanMarkdown, type Line } from '../lib/markdown.js';
import { withoutHiddenHtml } from './hidden-html.js';

/**
 * Text of an item or comment as a person sees it: without HTML comments, hidden elements and attributes, and
 * invisible characters. Code is shown as it is, so nothing hides in it and only invisible characters go. Not for files.
 */
export function sanitizeForeign(text: string): string {
  const visible = withoutInvisible(text);
  if (!/[<[]/.test(visible)) return visible;
  return partsOf(visible)
    .map(({ text, code }) => (code ? text : withoutMarkdownAsides(withoutHiddenHtml(text, codeSpansOf(text)))))
    .join('\n');
}

/** Raw HTML may run over many paragraphs, so all that lies between two code blocks is one part. */
function partsOf(text: string): { text: string; code: boolean }[] {
  const parts: { lines: Line[]; code: boolean }[] = [];
  for (const line of scanMarkdown(text).lines) {
    const code = line.kind === 'code' || line.kind === 'fence';
    const last = parts.at(-1);
    if (last?.code === code) last.lines.push(line);
    else parts.push({ lines: [line], code });
  }
  return parts.map(({ lines, code }) => ({ text: lines.map((line) => line.text).join('\n'), code }));
}

/** Inline code, paragraph by paragraph; in raw HTML there is none. */
function codeSpansOf(text: string): Span[] {
  const spans: Span[] = [];
  let offset = 0;
  for (const block of blocksOf(scanMarkdown(text).lines)) {
    const content = block.map((line) => line.text).join('\n');
    if (block[0]?.kind === 'text') {
      for (const { start, end } of codeSpans(content)) spans.push({ start: start + offset, end: end + offset });
    }
    offset += content.length + 1;
  }
  return spans;
}

function blocksOf(lines: Line[]): Line[][] {
  const blocks: Line[][] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    if (last?.[0]?.block === line.block && last[0].kind === line.kind) last.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

/** What Markdown itself keeps from view: texts of images, titles of links, definitions used as comments. */
function withoutMarkdownAsides(text: string): string {
  return text
    .replace(/!\[[^\][]*(?:\[[^\][]*\][^\][]*)*\](?=[([])/g, '![]')
    .replace(/(\]\((?:<[^<>\n]*>|[^\s<]{0,2000}))\s+(?:"[^"]*"|'[^']*'|\([^()]*\))\s*\)/g, '$1)')
    .replace(/^ {0,3}\[[^\]\n]{1,500}\]:[ \t]*(?:#|<>|<#>)(?:[ \t].*)?$/gm, '')
    .replace(/^( {0,3}\[[^\]\n]{1,500}\]:[ \t]*\S+)[ \t]+["'(].*$/gm, '$1');
}
