import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../ports.js';

/** All that a command gets from the process it runs in; nothing else is read from globals. */
export interface CommandIo {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  stdin: Readable;
  /** Data only. */
  stdout: Writable;
  /** Everything else. */
  stderr: Writable;
  clock: Clock;
  /** A person looks at stdout. */
  isTTY: boolean;
  /** Whether output may be coloured (`NO_COLOR`, `--no-color` and terminals considered). */
  color: boolean;
  /** Aborted with an `Interrupted` at the first SIGINT or SIGTERM. */
  signal: AbortSignal;
}

/** `<name>Command` of `commands/<name>.ts`; resolves to the exit code, throws `OperatorError` for what the operator must mend. */
export type Command<Options extends GlobalOptions = GlobalOptions> = (
  options: Options,
  io: CommandIo,
) => Promise<number>;

/** The options every command takes. */
export interface GlobalOptions {
  config?: string | undefined;
  dataDir?: string | undefined;
  verbose: boolean;
  quiet: boolean;
}

export interface RunOptions extends GlobalOptions {
  once: boolean;
  task?: string | undefined;
  maxTasks?: number | undefined;
  dryRun: boolean;
  json: boolean;
}

export interface StatusOptions extends GlobalOptions {
  task?: string | undefined;
  json: boolean;
}

/** `pause` and `resume`: without a task it is about all of them. */
export interface PauseOptions extends GlobalOptions {
  task?: string | undefined;
}

/** `stop` and `retry`. */
export interface TaskOptions extends GlobalOptions {
  task: string;
}

/** `clean` and `doctor`. */
export interface JsonOptions extends GlobalOptions {
  json: boolean;
}

export interface InitOptions extends GlobalOptions {
  forge?: 'github' | 'gitlab' | undefined;
  repository: string[];
  owner?: string | undefined;
  group?: string | undefined;
  apiUrl?: string | undefined;
  provider?: 'openai' | 'ollama' | 'lmstudio' | undefined;
  model?: string | undefined;
  baseUrl?: string | undefined;
  language?: 'auto' | 'ja' | 'en' | undefined;
  mcp: string[];
  force: boolean;
  output?: string | undefined;
}

export interface DemoOptions extends GlobalOptions {
  planning: boolean;
  llm?: 'openai' | 'ollama' | 'lmstudio' | undefined;
  model?: string | undefined;
}
