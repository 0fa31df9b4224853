import { closeSync, openSync } from 'node:fs';
import type { Logger } from 'winston';
import type DailyRotateFile from 'winston-daily-rotate-file';
import type { Clock, Log, LogLevel } from '../ports.js';
import { createFolder } from './folder.js';
import { tidyLogFiles } from './log-files.js';
import { logLine } from './log-line.js';

export interface LogSettings {
  dir: string;
  level: LogLevel;
  keepDays: number;
}

export interface LogOptions {
  clock: Clock;
  redact: (text: string) => string;
  /** Told once if the log cannot be written; the work goes on without it. */
  warn: (message: string) => void;
  /** Part of every line: `task`, `attempt` and others. */
  fields?: Record<string, unknown>;
}

export interface RunLog extends Log {
  /** The same log with more fields in every line. */
  child(fields: Record<string, unknown>): RunLog;
  /** Resolves when every line is in the file. */
  close(): Promise<void>;
}

/** For those who only look: nothing is written. */
export const silentLog: RunLog = { write: () => undefined, child: () => silentLog, close: () => Promise.resolve() };

const LEVELS: readonly LogLevel[] = ['error', 'warning', 'info', 'debug'];

/** A log in daily files. winston is loaded with the first line that passes the level; an idle tick may never need it. */
export function createLog(settings: LogSettings, options: LogOptions): RunLog {
  const sink = lazySink(settings, options);
  const least = LEVELS.indexOf(settings.level);

  function withFields(base: Record<string, unknown>): RunLog {
    return {
      write(level, message, fields = {}) {
        if (LEVELS.indexOf(level) > least) return;
        sink.add(options.redact(logLine(options.clock.now(), level, message, { ...base, ...fields })));
      },
      child: (fields) => withFields({ ...base, ...fields }),
      close: () => sink.close(),
    };
  }

  return withFields(options.fields ?? {});
}

interface Sink {
  add(line: string): void;
  close(): Promise<void>;
}

/** Keeps lines until the file is open, and forgets them where it cannot be opened. */
function lazySink(settings: LogSettings, { clock, warn }: LogOptions): Sink {
  let waiting: string[] = [];
  let file: LogFile | null = null;
  let opening: Promise<void> | null = null;
  let broken = false;

  function giveUp(error: unknown): void {
    if (!broken) warn(`the log in ${settings.dir} cannot be written: ${(error as Error).message}; going on without it`);
    broken = true;
    waiting = [];
  }

  async function open(): Promise<void> {
    try {
      createFolder(settings.dir);
      tidyLogFiles(settings.dir, clock.now(), settings.keepDays);
      file = await openLogFile(settings, giveUp);
      for (const line of waiting.splice(0)) file.add(line);
    } catch (error) {
      giveUp(error);
    }
  }

  return {
    add(line) {
      if (broken) return;
      if (file) return file.add(line);
      waiting.push(line);
      opening ??= open();
    },
    async close() {
      await opening;
      if (!broken) await file?.close();
    },
  };
}

interface LogFile {
  add(line: string): void;
  close(): Promise<void>;
}

async function openLogFile({ dir }: LogSettings, onError: (error: unknown) => void): Promise<LogFile> {
  const [{ default: winston }, { default: RotatingFile }] = await Promise.all([
    import('winston'),
    import('winston-daily-rotate-file'),
  ]);
  const auditFile = `${dir}/.agent-audit.json`;
  closeSync(openSync(auditFile, 'a', 0o600)); // winston would make it readable for everybody
  const transport = new RotatingFile({
    dirname: dir,
    filename: 'agent-%DATE%.log',
    datePattern: 'YYYY-MM-DD',
    auditFile,
    options: { flags: 'a', mode: 0o600 },
  });
  const format = winston.format.printf(({ message }) => String(message));
  const logger = winston.createLogger({ format, transports: [transport] });
  logger.on('error', onError);
  transport.on('error', onError);
  transport.logStream.on('error', onError);
  return { add: (line) => void logger.info(line), close: () => ended(logger, transport) };
}

/** winston calls itself finished before the file is; the stream below knows. */
function ended(logger: Logger, { logStream }: DailyRotateFile): Promise<void> {
  return new Promise((resolve) => {
    logStream.once('finish', resolve);
    logStream.once('error', () => resolve());
    logger.once('finish', () => logStream.end());
    logger.end();
  });
}
