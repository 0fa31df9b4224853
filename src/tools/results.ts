import { cutMiddle } from '../lib/cut.js';
import type { ToolOutcome } from '../ports.js';

type Fields = Record<string, unknown>;

/** What the model is shown of a `tools/call` result. Nothing about the shape is taken for granted. */
export function readResult(result: Fields, maxTokens: number): ToolOutcome {
  const text = textOf(result);
  if (text === null) return { ok: false, error: 'The server answered with a result of the wrong shape.' };
  const shown = cutMiddle(text, maxTokens);
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
