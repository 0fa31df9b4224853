import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config, McpServerConfig } from '../../config/config.js';
import type { ServerRegistry } from '../../tools/survivors.js';
import { ToolsError } from '../../tools/tools-error.js';
import type { CommandIo } from '../io.js';
import { ok, problem, warning, type Check } from './check.js';

const START_LIMIT_MS = 15_000; // each server is tried twice

/** Starts every MCP server as a tick would, lists its tools and ends it. */
export async function checkServers({ mcpServers }: Config, io: CommandIo): Promise<Check[]> {
  if (mcpServers.length === 0) {
    return [warning('mcp', 'no MCP server is configured: the model can only talk', 'Add one under mcp_servers.')];
  }
  return Promise.all(mcpServers.map((server) => checkServer(server, io)));
}

async function checkServer(server: McpServerConfig, io: CommandIo): Promise<Check> {
  const workspace = mkdtempSync(join(tmpdir(), 'agent-doctor-'));
  try {
    return toolCheck(server, await countTools(server, workspace, io));
  } catch (error) {
    io.signal.throwIfAborted();
    if (!(error instanceof ToolsError)) throw error;
    return problem('mcp', `${server.name} did not start: ${error.reason}`, error.advice);
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

async function countTools(server: McpServerConfig, workspace: string, io: CommandIo): Promise<number> {
  const { openTools } = await import('../../tools/mcp.js');
  const shed = await openTools([server], {
    clock: io.clock,
    log: { write: () => undefined },
    env: io.env,
    registry: memoryRegistry(),
    signal: io.signal,
    outputTokens: 2500,
    startLimitMs: START_LIMIT_MS,
  });
  try {
    return (await shed.forTask(workspace)).list().length;
  } finally {
    await shed.close();
  }
}

function toolCheck({ name }: McpServerConfig, count: number): Check {
  if (count > 0) return ok('mcp', `${name} starts and offers ${count} ${count === 1 ? 'tool' : 'tools'}`);
  return warning(
    'mcp',
    `${name} starts, but offers no tool that may be called`,
    'Look at its allowed_tools and denied_tools.',
  );
}

/** The servers end with this command; no later tick needs to know them. */
function memoryRegistry(): ServerRegistry {
  const servers = new Map<number, ReturnType<ServerRegistry['list']>[number]>();
  return {
    record: (server) => void servers.set(server.pid, server),
    forget: (pid) => void servers.delete(pid),
    list: () => [...servers.values()],
  };
}
