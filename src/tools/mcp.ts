import type { Tools } from '../ports.js';
import type { McpServerConfig } from '../config/config.js';
import type { ToolDeps } from './tool-deps.js';
import { startServer, type ToolServer } from './tool-server.js';
import { toolbox } from './toolbox.js';

/** The MCP servers of a tick: some serve all tasks, those with `{workspace}` in their command one task each. */
export interface ToolShed {
  /** Throws `ToolsError` when one of the task's own servers does not start. */
  forTask(workspace: string): Promise<Tools & { close(): Promise<void> }>;
  /** Ends every server with its whole process group, in parallel, within 5 s. Never throws. */
  close(): Promise<void>;
}

/** Starts the servers that all tasks share; throws `ToolsError` when one does not start, and leaves none behind then. */
export async function openTools(servers: McpServerConfig[], deps: ToolDeps): Promise<ToolShed> {
  const running = new Set<ToolServer>();
  const shared = await startAll(
    servers.filter((server) => !needsWorkspace(server)),
    deps,
    running,
  );
  return {
    async forTask(workspace) {
      const configs = servers.filter(needsWorkspace).map((server) => inWorkspace(server, workspace));
      const own = await startAll(configs, deps, running);
      return { ...toolbox(inOrder(servers, [...shared, ...own])), close: () => closeAll(own, running) };
    },
    close: () => closeAll([...running], running),
  };
}

const WORKSPACE = '{workspace}';

function needsWorkspace(server: McpServerConfig): boolean {
  return server.command.some((word) => word.includes(WORKSPACE));
}

function inWorkspace(server: McpServerConfig, workspace: string): McpServerConfig {
  return { ...server, command: server.command.map((word) => word.replaceAll(WORKSPACE, () => workspace)) };
}

async function startAll(configs: McpServerConfig[], deps: ToolDeps, running: Set<ToolServer>): Promise<ToolServer[]> {
  const starts = await Promise.allSettled(configs.map((config) => startServer(config, deps)));
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  started.forEach((server) => running.add(server));
  const failed = starts.find((start) => start.status === 'rejected');
  if (!failed) return started;
  await closeAll(started, running);
  throw failed.reason;
}

/** The order of the configuration, so that the list the model sees is the same every time. */
function inOrder(configs: McpServerConfig[], servers: ToolServer[]): ToolServer[] {
  const place = (server: ToolServer) => configs.findIndex((config) => config.name === server.name);
  return [...servers].sort((a, b) => place(a) - place(b));
}

async function closeAll(servers: ToolServer[], running: Set<ToolServer>): Promise<void> {
  await Promise.all(servers.map((server) => server.close()));
  servers.forEach((server) => running.delete(server));
}
