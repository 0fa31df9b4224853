import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { LineBuffer } from './line-buffer.js';
import { readMessage } from './message.js';
import { endGroup, processStartTime } from './process-group.js';
import type { ServerLog } from './server-log.js';
import type { ServerRegistry } from './survivors.js';

const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
const STDIN_GRACE_MS = 1500;
const LAST_OUTPUT_GRACE_MS = 250;

/** Stdio to a server that leads a process group of its own, so that all it started can be ended with it. */
export class GroupTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;

  /** Why the connection was lost; null while it was not, or when we closed it. */
  lostBecause: string | null = null;
  private child: ChildProcessWithoutNullStreams | undefined;
  /** A server that never answered has nothing to finish. */
  private graceMs = 0;
  private ending: Promise<void> | undefined;
  private readonly gone = new AbortController();
  private readonly received = new LineBuffer();

  constructor(
    private readonly server: { name: string; command: string[]; env: Record<string, string> },
    private readonly registry: ServerRegistry,
    private readonly serverLog: ServerLog,
  ) {}

  get isOpen(): boolean {
    return this.child !== undefined && this.ending === undefined;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  async start(): Promise<void> {
    const [program = '', ...args] = this.server.command;
    const child = spawn(program, args, { detached: true, env: this.server.env, stdio: 'pipe' });
    const spawned = once(child, 'spawn');
    if (child.pid !== undefined) this.adopt(child, child.pid);
    await spawned;
  }

  /** The SDK's word that `initialize` was answered. */
  setProtocolVersion(): void {
    this.graceMs = STDIN_GRACE_MS;
  }

  /** Fails only once the connection is given up, so that the reason is known by then. */
  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.isOpen ? this.child?.stdin : undefined;
    if (!stdin) return Promise.reject(new Error(`The connection to ${this.server.name} is closed`));
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => {
        if (!error) resolve();
        else if (this.gone.signal.aborted) reject(error);
        else this.gone.signal.addEventListener('abort', () => reject(error), { once: true });
      });
    });
  }

  /** Ends the server and its group. `graceMs` is the time it has to leave by itself once its input is closed. */
  close(graceMs = this.graceMs): Promise<void> {
    this.ending ??= this.end(graceMs);
    return this.ending;
  }

  private async end(graceMs: number): Promise<void> {
    queueMicrotask(() => this.announceEnd());
    const child = this.child;
    if (child?.pid === undefined) return;
    child.stdin.end();
    await exitOf(child, graceMs);
    if (await endGroup(child.pid)) this.forget(child.pid);
    child.stdout.destroy();
    child.stderr.destroy();
  }

  /** Whoever waits for an answer learns at once that none will come. */
  private announceEnd(): void {
    this.onclose?.();
    this.gone.abort();
  }

  private adopt(child: ChildProcessWithoutNullStreams, pid: number): void {
    this.child = child;
    this.listenTo(child);
    this.record(pid);
  }

  private record(pid: number): void {
    const startTime = processStartTime(pid);
    if (startTime !== null) this.registry.record({ pid, startTime, name: this.server.name });
  }

  private forget(pid: number): void {
    try {
      this.registry.forget(pid);
    } catch (error) {
      // The next tick will find no such process and forget it then.
      this.onerror?.(error as Error);
    }
  }

  private listenTo(child: ChildProcessWithoutNullStreams): void {
    child.stdout.on('data', (chunk: Buffer) => this.receive(chunk));
    child.stderr.on('data', (chunk: Buffer) => this.serverLog.stderr(chunk));
    child.on('error', (error) => this.onerror?.(error));
    // The exit that usually explains a broken pipe comes a moment later.
    child.stdin.on('error', () => this.loseSoon(child, 'it no longer reads its input'));
    child.once('exit', (code, signal) => {
      this.loseSoon(child, signal ? `it was ended by ${signal}` : `it left with exit code ${code}`);
    });
  }

  /** A last answer may still be in the pipe, but a grandchild may hold the pipe open for ever. */
  private loseSoon(child: ChildProcessWithoutNullStreams, reason: string): void {
    if (this.isOpen) this.lostBecause = reason;
    const timer = setTimeout(() => void this.close(), LAST_OUTPUT_GRACE_MS);
    child.once('close', () => {
      clearTimeout(timer);
      void this.close();
    });
  }

  private receive(chunk: Buffer): void {
    if (!this.isOpen) return;
    for (const line of this.received.push(chunk)) this.deliver(line);
    if (this.received.size <= MAX_MESSAGE_BYTES) return;
    this.lostBecause = 'it sent a message above 10 MiB';
    void this.close(0);
  }

  private deliver(line: string): void {
    const message = readMessage(line);
    if (message) this.onmessage?.(message);
    else this.serverLog.junk(line);
  }
}

async function exitOf(child: ChildProcessWithoutNullStreams, withinMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || withinMs === 0) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, withinMs);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
