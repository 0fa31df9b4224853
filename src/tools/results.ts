import type { ToolOutcome } from '../ports.js';

type Fields = Record<string, unknown>;

/** What the model is shown of a `tools/call` result. Nothing about the shape is taken for granted. */
export function readResult(result: Fields, limit: number): ToolOutcome {
  const text = textOf(result);
  if (text === null) return { ok: false, error: 'The server answered with a result of the wrong shape.' };
  const shown = cutMiddle(text, limit);
  if (result['isError'] !== true) return { ok: true, output: shown };
  return { ok: false, error: shown || 'The tool reported an error and gave no reason.' };
}

/** The text of `content`; `structuredContent` says the same again and counts only where `content` is empty. */
function textOf({ content, structuredContent }: Fields): string | null {
  const isEmpty = content === undefined || (Array.isArray(content) && content.length === 0);
  if (isEmpty && structuredContent !== undefined) return JSON.stringify(structuredContent);
  if (!Array.isArray(content)) return null;
  const parts = content.map(partText);
  return parts.includes(null) ? null : parts.join('\n');
}

function partText(part: unknown): string | null {
  if (!isFields(part)) return null;
  switch (part['type']) {
    case 'text':
      return stringOrNull(part['text']);
    case 'image':
    case 'audio':
      return binaryText(part['type'], part['mimeType'], part['data']);
    case 'resource':
      return isFields(part['resource']) ? resourceText(part['resource']) : null;
    case 'resource_link':
      return `[resource ${[part['name'], part['uri'], part['mimeType']].filter((word) => typeof word === 'string').join(', ')}]`;
    default:
      return `[content of type ${JSON.stringify(part['type'])}, not shown]`;
  }
}

function resourceText({ uri, mimeType, text, blob }: Fields): string | null {
  return stringOrNull(text) ?? binaryText(`resource ${String(uri)}`, mimeType, blob);
}

function binaryText(what: string, mimeType: unknown, base64: unknown): string | null {
  if (typeof base64 !== 'string') return null;
  const type = typeof mimeType === 'string' ? mimeType : 'of unknown type';
  return `[${what} ${type}, ${Buffer.byteLength(base64, 'base64')} bytes]`;
}

function stringOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const HEAD_SHARE = 0.6;

/** At most `limit` characters: the first 60 % and the last 40 %, and between them how much is missing. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = Math.max(0, limit - noteOf(text.length, text.length).length);
  const head = withoutHalfAtEnd(text.slice(0, Math.floor(room * HEAD_SHARE)));
  const tail = withoutHalfAtStart(text.slice(text.length - (room - Math.floor(room * HEAD_SHARE))));
  return head + noteOf(text.length - head.length - tail.length, text.length) + tail;
}

function noteOf(missing: number, total: number): string {
  return `\n[… ${missing} of ${total} characters left out …]\n`;
}

function withoutHalfAtEnd(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

function withoutHalfAtStart(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text;
}
