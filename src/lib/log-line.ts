import type { LogLevel } from '../ports.js';

/** `2026-11-18T09:30:00.000+09:00 INFO  owner/repo#12 1a2b3c4d message {"field":1}`, always exactly one line. */
export function logLine(now: number, level: LogLevel, message: string, fields: Record<string, unknown>): string {
  const { task, attempt, ...others } = fields;
  const rest = Object.keys(others).length > 0 ? ` ${toJson(others)}` : '';
  const head = `${localIsoTime(now)} ${level.toUpperCase().padEnd(7)} ${named(task)} ${named(attempt)}`;
  return escapeControls(`${head} ${message}${rest}`);
}

function named(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : '-';
}

function localIsoTime(now: number): string {
  const offset = -new Date(now).getTimezoneOffset();
  const local = new Date(now + offset * 60_000).toISOString().slice(0, -1);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${local}${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}

/** A log never throws, whatever it is given. */
function toJson(fields: Record<string, unknown>): string {
  try {
    return JSON.stringify(fields, (_key, value: unknown) => plain(value));
  } catch (error) {
    return JSON.stringify({ unprintable: (error as Error).message });
  }
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (!(value instanceof Error)) return value;
  return { ...value, name: value.name, message: value.message, stack: value.stack, cause: value.cause };
}

/** Line breaks and terminal controls from outside must not forge lines or move cursors. */
function escapeControls(line: string): string {
  return line.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\r') return '\\r';
    if (character === '\t') return '\\t';
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
