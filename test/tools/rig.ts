import { execFileSync } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { McpServerConfig } from '../../src/config/config.js';
import { systemClock } from '../../src/lib/clock.js';
import type { Log } from '../../src/ports.js';
import type { RecordedServer, ServerRegistry } from '../../src/tools/survivors.js';
import type { ToolDeps } from '../../src/tools/tool-deps.js';

const UNRULY = fileURLToPath(new URL('./servers/unruly.mjs', import.meta.url));

/** A configured server that misbehaves as told. */
export function unruly(manners: string[] = [], settings: Partial<McpServerConfig> = {}): McpServerConfig {
  return serverConfig({ name: 'unruly', command: [process.execPath, UNRULY, ...manners], ...settings });
}

/** A published server, run from node_modules. */
export function published(name: 'filesystem' | 'everything', ...args: string[]): McpServerConfig {
  const path = `../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;
  const file = fileURLToPath(new URL(path, import.meta.url));
  return serverConfig({ name, command: [process.execPath, file, ...args] });
}

export function serverConfig(
  settings: Partial<McpServerConfig> & { name: string; command: string[] },
): McpServerConfig {
  return { env: {}, systemPrompt: null, allowedTools: ['*'], deniedTools: [], timeoutSeconds: 10, ...settings };
}

export interface Rig extends ToolDeps {
  registry: ServerRegistry;
  /** Every server that was ever recorded. */
  recorded: RecordedServer[];
  lines: { level: string; message: string; fields: Record<string, unknown> }[];
}

export function rig(settings: Partial<ToolDeps> = {}): Rig {
  const lines: Rig['lines'] = [];
  const log: Log = { write: (level, message, fields = {}) => void lines.push({ level, message, fields }) };
  const { registry, recorded } = memoryRegistry();
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  return { clock: systemClock, log, env, outputTokens: 2500, registry, recorded, lines, ...settings };
}

function memoryRegistry(): { registry: ServerRegistry; recorded: RecordedServer[] } {
  const recorded: RecordedServer[] = [];
  const running = new Map<number, RecordedServer>();
  const registry: ServerRegistry = {
    record: (server) => {
      recorded.push(server);
      running.set(server.pid, server);
    },
    forget: (pid) => void running.delete(pid),
    list: () => [...running.values()],
  };
  return { registry, recorded };
}

/** False also for one that has ended and only waits to be reaped. */
export function isRunning(pid: number): boolean {
  try {
    return execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).trim()[0] !== 'Z';
  } catch {
    return false;
  }
}

/** Waits for something that another process brings about. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

export const never = new AbortController().signal;
