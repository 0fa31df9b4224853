import { withoutInvisible } from '../../lib/invisible.js';
import { oneLine } from '../../report/format.js';
import type { Check } from './check.js';

const COLORS = { ok: 32, warning: 33, problem: 31 } as const;
const STATUS_WIDTH = 9;
const NAME_WIDTH = 12;

/** `problem  github  what is wrong`, and below it what to do. */
export function lineOf({ name, status, message, fix }: Check, color: boolean): string {
  const word = status.padEnd(STATUS_WIDTH);
  const marked = color ? `\u001b[${COLORS[status]}m${word}\u001b[0m` : word;
  const line = `${marked}${name.padEnd(NAME_WIDTH)} ${visible(message)}\n`;
  return fix === null ? line : `${line}${' '.repeat(STATUS_WIDTH + NAME_WIDTH)} → ${visible(fix)}\n`;
}

/** Servers say what they like; it must not steer the terminal. */
function visible(text: string): string {
  return oneLine(withoutInvisible(text));
}
