import { existsSync } from 'node:fs';
import type { Config, LabelNames } from '../config/config.js';
import type { Clock, Forge, Log } from '../ports.js';
import type { Store } from '../records.js';
import type { Source } from '../task/key.js';

/** What one tick works with. Model and tools join it only when there is work. */
export interface Agent {
  config: Config;
  clock: Clock;
  log: Log;
  /** The same log with more fields in every line. */
  logFor: (fields: Record<string, unknown>) => Log;
  store: Store;
  forges: Map<Source, Forge>;
  /** Another line to the same forge, for the last word after `signal` was aborted. */
  openForge: (source: Source, signal: AbortSignal) => Forge;
  /** Masks every known secret in a text. */
  redact: (text: string) => string;
  newUuid: () => string;
  /** Aborted when the process is told to stop. */
  signal: AbortSignal;
  /** The operating system's user, for the records. */
  user: string;
  hostname: string;
}

export function forgeOf(agent: Agent, source: Source): Forge {
  const forge = agent.forges.get(source);
  if (!forge) throw new Error(`no ${source} in this configuration`);
  return forge;
}

/** The pause file is there: nothing is started, and what runs is paused. */
export function isPausedByFile({ pauseResume: { enabled, signalFile } }: Config): boolean {
  return enabled && existsSync(signalFile);
}

export function labelsOf(config: Config, source: Source): LabelNames {
  const labels = source === 'github' ? config.github : config.gitlab;
  if (!labels) throw new Error(`no ${source} in this configuration`);
  return labels;
}

/** Who we are on a forge, and whether the configuration says so or only the token. */
export interface Self {
  login: string | null;
  /** Everything by that account is ours; otherwise its unmarked comments are a person's, who lent us the token. */
  configured: boolean;
}

/** `comment_detection.bot_username`, then the forge's `username`, then `GET /user`, then nobody. */
export async function whoWeAre(agent: Agent, source: Source): Promise<Self> {
  const configured = agent.config.commentDetection.botUsername ?? agent.config[source]?.username ?? null;
  if (configured) return { login: configured, configured: true };
  return { login: await forgeOf(agent, source).whoAmI(), configured: false };
}
