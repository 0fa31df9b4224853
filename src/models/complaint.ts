import { STATUS_CODES } from 'node:http';
import { isRecord, parsed } from './json.js';

/** What a server says about a request that it refuses. */
export interface Complaint {
  message: string;
  code?: unknown;
  type?: unknown;
  param?: unknown;
}

const LONGEST_TEXT = 500;

/** Reads a refusal in whatever shape it comes: `error` as an object or as a sentence, `message`, `detail`, or no JSON at all. */
export async function complaintOf(response: Response): Promise<Complaint> {
  const body = await response.text();
  const told = parsed(body);
  const said = isRecord(told) ? (told['error'] ?? told) : body.slice(0, LONGEST_TEXT);
  const nothing = STATUS_CODES[response.status] ?? 'no reason given';
  if (!isRecord(said)) return { message: textOf(said) || nothing };
  return { ...said, message: textOf(said['message'] ?? said['detail'] ?? said) || nothing };
}

function textOf(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).trim();
}
