import { createHash } from 'node:crypto';
import type { ToolSpec } from '../ports.js';

/** `server/tool` to the name a function may have on the wire, and back. */
export interface ToolNames {
  toWire(name: string): string;
  fromWire(wire: string): string;
}

const LONGEST = 64;

/** A name depends on the tool and on what collides with it, never on the order of the list. */
export function toolNames(tools: ToolSpec[]): ToolNames {
  const counts = new Map<string, number>();
  for (const { name } of tools) counts.set(plain(name), (counts.get(plain(name)) ?? 0) + 1);
  const toWire = (name: string) =>
    fits(plain(name)) && (counts.get(plain(name)) ?? 0) < 2 ? plain(name) : hashed(name);
  const known = new Map(tools.map(({ name }) => [toWire(name), name]));
  return { toWire, fromWire: (wire) => known.get(wire) ?? guess(wire) };
}

function plain(name: string): string {
  return name.replace('/', '__').replace(/[^A-Za-z0-9_-]/g, '_');
}

function fits(wire: string): boolean {
  return wire.length > 0 && wire.length <= LONGEST;
}

function hashed(name: string): string {
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${plain(name).slice(0, LONGEST - mark.length - 1)}_${mark}`;
}

/** A name we did not offer: shown to the model in our spelling when it is told so. */
function guess(wire: string): string {
  return wire.replace('__', '/');
}
