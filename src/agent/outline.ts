import { cutMiddle } from '../lib/cut.js';
import type { ToolLine } from '../records.js';
import { sanitizeForeign } from '../task/sanitize.js';

const ERROR_TOKENS = 50;
const MOST_PATHS = 20;

/** What was called how often, how it ended, and which files it was about: outputs themselves are left out. */
export function toolOutline(lines: ToolLine[]): string {
  const tools = new Map<string, ToolLine[]>();
  for (const line of lines) tools.set(line.tool, [...(tools.get(line.tool) ?? []), line]);
  const counts = [...tools].map(([tool, calls]) => `- ${tool}: ${calls.length}×${failuresOf(calls)}`);
  const paths = pathsOf(lines);
  return [...counts, ...(paths.length > 0 ? [`- files: ${paths.join(', ')}`] : [])].join('\n');
}

/** An error of a tool in one line, as harmless as any foreign text. */
export function errorLine(error: string): string {
  return cutMiddle(sanitizeForeign(error).replace(/\s+/g, ' ').trim(), ERROR_TOKENS).replace(/\s+/g, ' ');
}

function failuresOf(calls: ToolLine[]): string {
  const failed = calls.filter((call) => call.status === 'error');
  if (failed.length === 0) return '';
  return `, ${failed.length} failed (last: ${errorLine(failed.at(-1)?.error ?? '')})`;
}

function pathsOf(lines: ToolLine[]): string[] {
  const paths = new Set<string>();
  for (const { args } of lines) {
    const path = args !== null && typeof args === 'object' && 'path' in args ? args.path : null;
    if (typeof path === 'string') paths.add(path);
  }
  return [...paths].slice(-MOST_PATHS);
}
