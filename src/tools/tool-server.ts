import type { McpServerConfig } from '../config/config.js';
import { cutMiddle } from '../lib/cut.js';
import type { ToolOutcome, ToolSpec } from '../ports.js';
import { argumentCheck, type ArgumentCheck } from './arguments.js';
import { connect, ConnectError, type Connection } from './connection.js';
import type { ToolDeps } from './tool-deps.js';
import { mayCall } from './permissions.js';
import { readResult } from './results.js';
import { orAbort, TimeLimitError, withTimeLimit } from './time-limit.js';
import type { RemoteTool } from './tool-list.js';
import { ToolsError } from './tools-error.js';

const MAX_RESTARTS_IN_A_ROW = 3;

/** Starts a server, at the second try if need be; throws `ToolsError`, or the signal's reason. */
export async function startServer(config: McpServerConfig, deps: ToolDeps): Promise<ToolServer> {
  try {
    return new ToolServer(config, deps, await connectTwice(config, deps));
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    throw new ToolsError(config.name, error.reason, adviceFor(config, error), error);
  }
}

async function connectTwice(config: McpServerConfig, deps: ToolDeps): Promise<Connection> {
  try {
    return await connect(config, deps, deps.signal);
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    deps.log.write('warning', 'Tool server did not start, trying once more', {
      server: config.name,
      reason: error.reason,
    });
    return connect(config, deps, deps.signal);
  }
}

function adviceFor({ command }: McpServerConfig, { cause }: ConnectError): string {
  const program = command[0] ?? '';
  if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
    return `Is "${program}" installed and in PATH? cron's PATH is short: an absolute path in "command" always works`;
  }
  return 'Try its command by hand, correct it under mcp_servers, and check with `agent doctor`';
}

/** One configured server for as long as it is needed, over the restarts of its process. */
export class ToolServer {
  readonly name: string;
  private readonly tools: Map<string, RemoteTool>;
  private readonly checks = new Map<string, ArgumentCheck>();
  private readonly closing = new AbortController();
  /** Null: the last restart failed. */
  private current: Promise<Connection | null>;
  private restarts = 0;

  constructor(
    private readonly config: McpServerConfig,
    private readonly deps: ToolDeps,
    first: Connection,
  ) {
    this.name = config.name;
    this.tools = new Map(first.tools.map((tool) => [tool.name, tool]));
    this.current = Promise.resolve(first);
  }

  get prompt(): string | null {
    return this.config.systemPrompt;
  }

  /** What the model may call. */
  specs(): ToolSpec[] {
    return [...this.tools.values()]
      .filter((tool) => mayCall(this.config, tool.name))
      .map(({ name, description, inputSchema }) => ({
        name: `${this.name}/${name}`,
        description,
        parameters: inputSchema,
      }));
  }

  has(tool: string): boolean {
    return this.tools.has(tool);
  }

  allows(tool: string): boolean {
    return mayCall(this.config, tool);
  }

  /** Null: the arguments fit the tool's schema. */
  complaintAbout(tool: string, args: Record<string, unknown>): string | null {
    const check = this.checks.get(tool) ?? argumentCheck(this.tools.get(tool)?.inputSchema ?? {});
    this.checks.set(tool, check);
    return check(args);
  }

  /** A process that dies or hangs costs this call, and is replaced for the next one. */
  async call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutcome> {
    const connection = await orAbort(this.connected(), signal);
    if (!connection) return { ok: false, error: this.downText() };
    try {
      const limitMs = this.config.timeoutSeconds * 1000;
      const result = await withTimeLimit(limitMs, signal, (limit) => connection.call(tool, args, limit));
      this.restarts = 0; // what answers has recovered: only restarts in a row keep it down
      return readResult(result, this.deps.outputTokens);
    } catch (error) {
      signal.throwIfAborted();
      return { ok: false, error: cutMiddle(await this.failureText(error, connection), this.deps.outputTokens) };
    }
  }

  async close(): Promise<void> {
    this.closing.abort(new Error(`${this.name} is being closed`));
    const connection = await this.current;
    await connection?.close();
  }

  /** The running process, or one more try at having one. */
  private async connected(): Promise<Connection | null> {
    const seen = this.current;
    const connection = await seen;
    if (connection?.isOpen) return connection;
    this.replace(seen, connection);
    const fresh = await this.current;
    return fresh?.isOpen ? fresh : null;
  }

  private async failureText(error: unknown, connection: Connection): Promise<string> {
    const hangs = error instanceof TimeLimitError;
    if (!hangs && connection.isOpen) return error instanceof Error ? error.message : String(error);
    const what = hangs
      ? `The call was given up: ${error.message}.`
      : `The server "${this.name}" died during this call: ${connection.lastWords}.`;
    const restarted = await this.retire(connection, hangs ? 0 : undefined);
    const next = restarted ? 'The server is being restarted.' : this.downText();
    return `${what} ${next} The call may or may not have taken effect: look before you repeat it.`;
  }

  private async retire(connection: Connection, graceMs: number | undefined): Promise<boolean> {
    const seen = this.current;
    if ((await seen) !== connection) return true;
    return this.replace(seen, connection, graceMs);
  }

  /** At most once for each process, however many calls saw it fail. False: it stays down. */
  private replace(seen: Promise<Connection | null>, broken: Connection | null, graceMs?: number): boolean {
    if (this.current !== seen) return true;
    if (this.restarts >= MAX_RESTARTS_IN_A_ROW || this.closing.signal.aborted) {
      void broken?.close(graceMs);
      return false;
    }
    this.restarts++;
    this.deps.log.write('warning', 'Restarting tool server', { server: this.name, restart: this.restarts });
    this.current = this.connectAgain(broken, graceMs);
    return true;
  }

  private async connectAgain(broken: Connection | null, graceMs?: number): Promise<Connection | null> {
    try {
      await broken?.close(graceMs);
      return await connect(this.config, this.deps, this.startSignal());
    } catch (error) {
      this.deps.log.write('warning', 'Tool server did not restart', { server: this.name, reason: String(error) });
      return null;
    }
  }

  private startSignal(): AbortSignal {
    const signals = [this.closing.signal, ...(this.deps.signal ? [this.deps.signal] : [])];
    return AbortSignal.any(signals);
  }

  private downText(): string {
    return `The server "${this.name}" is down and stays down for now: restarting it did not help. Do without its tools.`;
  }
}
