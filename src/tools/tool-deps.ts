import type { Clock, Log } from '../ports.js';
import type { ServerRegistry } from './survivors.js';

/** What the servers need of the process they run for. */
export interface ToolDeps {
  clock: Clock;
  log: Log;
  /** Ours; servers get only the harmless part of it. */
  env: NodeJS.ProcessEnv;
  registry: ServerRegistry;
  /** The process was told to stop: nothing is started any more. */
  signal?: AbortSignal | undefined;
  /** The most tokens of one result, by our estimate. */
  outputTokens: number;
  /** How long a server may take until its tools are known; 30 s unless given. */
  startLimitMs?: number | undefined;
}
