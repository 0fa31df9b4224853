import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../agent/agent.js';
import { outputTokens } from '../agent/context-limits.js';
import { Park } from '../agent/interrupts.js';
import type { Workshop } from '../jobs.js';
import type { CommandIo } from './io.js';

/**
 * Model and tools for this tick; the servers start while the first item is read. Survivors of a killed tick are
 * ended first: we hold the lock, so they are nobody's.
 */
export async function openWorkshop(agent: Agent, io: CommandIo): Promise<Workshop> {
  const [{ createModel }, { openTools }, { endSurvivors }, { ToolsError }] = await Promise.all([
    import('../models/create.js'),
    import('../tools/mcp.js'),
    import('../tools/survivors.js'),
    import('../tools/tools-error.js'),
  ]);
  const { config, clock, log, store, signal } = agent;
  const asPark = (error: unknown): never => {
    if (!(error instanceof ToolsError)) throw error;
    throw new Park('tools', `${error.server}: ${error.reason}`, { cause: error });
  };
  await endSurvivors(store.servers, log);
  const opening = openTools(config.mcpServers, {
    clock,
    log,
    env: io.env,
    registry: store.servers,
    signal,
    outputTokens: outputTokens(config.llm.contextLength),
  });
  opening.catch(() => undefined); // heard by whoever waits for it
  return {
    model: await createModel(config.llm, { clock, log, memory: store.facts, ...(hasProxy(io) && { fetch }) }),
    ready: async () => void (await opening.catch(asPark)),
    async toolsFor(uuid) {
      const folder = join(config.contextStorage.baseDir, uuid, 'workspace');
      if (config.mcpServers.some((server) => server.command.some((part) => part.includes('{workspace}')))) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
      }
      return opening.then((shed) => shed.forTask(folder)).catch(asPark);
    },
    close: async () => (await opening.catch(() => null))?.close(),
  };
}

/** Node's own fetch goes through a proxy where one is set; the patient one knows none. */
export function hasProxy({ env }: CommandIo): boolean {
  return ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].some((name) => env[name]);
}
