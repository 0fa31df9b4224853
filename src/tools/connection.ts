import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { McpServerConfig } from '../config/config.js';
import { isDiskTrouble } from '../lib/disk.js';
import { serverEnvironment } from './environment.js';
import type { ToolDeps } from './tool-deps.js';
import { ServerLog } from './server-log.js';
import { LONGEST_TIMER_MS, withTimeLimit } from './time-limit.js';
import { listTools, type RemoteTool } from './tool-list.js';
import { GroupTransport } from './transport.js';

const START_LIMIT_MS = 30_000;

/** One running server process that has answered `initialize` and named its tools. */
export interface Connection {
  readonly tools: RemoteTool[];
  readonly isOpen: boolean;
  /** How it ended and what it said last. */
  readonly lastWords: string;
  call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<Record<string, unknown>>;
  close(graceMs?: number): Promise<void>;
}

/** A server that could not be started, with what it said on stderr. */
export class ConnectError extends Error {
  constructor(
    readonly reason: string,
    cause: unknown,
  ) {
    super(reason, { cause });
    this.name = 'ConnectError';
  }
}

/** Starts the process and gets to know it; whatever goes wrong, no process is left. */
export async function connect(config: McpServerConfig, deps: ToolDeps, signal?: AbortSignal): Promise<Connection> {
  const { name, command } = config;
  const startedAt = deps.clock.now();
  const serverLog = new ServerLog(name, deps.log);
  const env = serverEnvironment(deps.env, config.env);
  const transport = new GroupTransport({ name, command, env }, deps.registry, serverLog);
  const client = newClient(name, deps);
  try {
    const tools = await withTimeLimit(deps.startLimitMs ?? START_LIMIT_MS, signal, async (limit) => {
      await client.connect(transport, { signal: limit, timeout: LONGEST_TIMER_MS });
      return listTools(client, limit);
    });
    const tookMs = deps.clock.now() - startedAt;
    deps.log.write('debug', 'Tool server started', { server: name, pid: transport.pid, tools: tools.length, tookMs });
    return connectionOver(client, transport, serverLog, tools);
  } catch (error) {
    await transport.close();
    signal?.throwIfAborted();
    if (isDiskTrouble(error)) throw error; // its pid could not be recorded, which is not the server's fault
    throw new ConnectError(lastWordsOf(transport, serverLog, reasonOf(error)), error);
  }
}

function newClient(server: string, { log }: ToolDeps): Client {
  const client = new Client({ name: 'cronsmith', version: '1' });
  client.onerror = (error) =>
    log.write('debug', 'Tool server protocol error', { server, error: error.message.slice(0, 500) });
  return client;
}

function connectionOver(client: Client, transport: GroupTransport, log: ServerLog, tools: RemoteTool[]): Connection {
  return {
    tools,
    get isOpen() {
      return transport.isOpen;
    },
    get lastWords() {
      return lastWordsOf(transport, log, 'the connection was closed');
    },
    call: (name, args, signal) =>
      client.request({ method: 'tools/call', params: { name, arguments: args } }, ResultSchema, {
        signal,
        timeout: LONGEST_TIMER_MS,
      }),
    close: (graceMs) => transport.close(graceMs),
  };
}

function lastWordsOf(transport: GroupTransport, log: ServerLog, otherwise: string): string {
  const said = log.lastWords();
  const reason = transport.lostBecause ?? otherwise;
  return said === '' ? reason : `${reason}; its last words: ${said}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
