import { inspect } from 'node:util';
import { Argument, Command as Program, CommanderError, InvalidArgumentError, Option } from 'commander';
import { runDocument } from './commands/document.js';
import type { Command, CommandIo } from './commands/io.js';
import { systemClock } from './lib/clock.js';
import { Interrupted, OperatorError, SaidBefore } from './lib/exit.js';
import { packageVersion } from './lib/package.js';

/** A signal leaves the work this long to save its state; then the process ends as if killed. */
const GRACE_MS = 9_500;

/** Runs the command line of a process to its end and exits with its code. */
export async function start(process: NodeJS.Process): Promise<void> {
  process.stdout.on('error', ignoreClosedPipe);
  process.stderr.on('error', ignoreClosedPipe);
  const code = await main(process.argv.slice(2), {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    clock: systemClock,
    isTTY: process.stdout.isTTY,
    color: mayColour(process.stdout.isTTY, process.env),
    signal: abortOnSignals(process),
  });
  await new Promise<void>((written) => process.stdout.write('', () => written()));
  process.exit(code);
}

/** Colours are for terminals, and for people who did not set NO_COLOR (to anything but nothing: no-color.org). */
export function mayColour(isTTY: boolean, env: NodeJS.ProcessEnv): boolean {
  return isTTY && !env['NO_COLOR'];
}

/** Parses the arguments, runs the command they name and returns the exit code; never throws. */
export async function main(argv: string[], io: CommandIo): Promise<number> {
  let code = 0;
  const program = describeProgram(io, (exitCode) => (code = exitCode));
  try {
    await program.parseAsync(argv, { from: 'user' });
    return interruption(io)?.exitCode ?? code;
  } catch (thrown) {
    const error = thrown instanceof SaidBefore ? thrown.original : thrown;
    const exitCode = exitCodeOf(error, io);
    if (error === thrown) explain(error, io, program.opts<{ verbose?: boolean }>().verbose === true);
    if (exitCode !== 0 && argv.includes('--json')) io.stdout.write(runDocument(exitCode, problemsOf(error)));
    return exitCode;
  }
}

function describeProgram(io: CommandIo, finish: (exitCode: number) => void): Program {
  const program = new Program('agent')
    .description('A coding agent for cron: works on labelled GitHub and GitLab issues and reports in the thread.')
    .option(
      '-c, --config <file>',
      'configuration file (else $AGENT_CONFIG, ./config.yaml, ~/.config/agent/config.yaml)',
    )
    .option('--data-dir <dir>', 'folder that relative data paths (contexts, logs) start from')
    .option('-v, --verbose', 'say more')
    .addOption(new Option('-q, --quiet', 'say only what needs a person').conflicts('verbose'))
    .option('--no-color', 'no colours (NO_COLOR is obeyed too)')
    .version(packageVersion(), '-V, --version')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(`agent --help` lists the commands, `agent help <command>` their options)')
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .exitOverride();
  addCommands(program, commandRunner(io, finish));
  return program;
}

/** Loads a command only when it is asked for, so that none pays for the imports of the others. */
type Load = () => Promise<Command<never>>;
type Action = (load: Load) => (this: Program) => Promise<void>;

function commandRunner(io: CommandIo, finish: (exitCode: number) => void): Action {
  return (load) =>
    async function () {
      const { color, ...given } = this.optsWithGlobals<{ color: boolean }>();
      const [task] = this.processedArgs as (string | undefined)[];
      const options = { verbose: false, quiet: false, ...flagsOff(this), ...given, ...(task && { task }) };
      const command = (await load()) as Command;
      finish(await command(options, { ...io, color: io.color && color }));
    };
}

/** A flag that is not given is false, not undefined. */
function flagsOff(command: Program): Record<string, false> {
  const flags = command.options.filter((option) => option.isBoolean());
  return Object.fromEntries(flags.map((option) => [option.attributeName(), false]));
}

function addCommands(program: Program, action: Action): void {
  program
    .command('run')
    .description('one pass: find labelled items, work on them, exit (the command for cron)')
    .option('--once', 'asked for by hand: show progress, exit 75 if another run holds the lock')
    .option('--task <task>', 'only this task, even if it is parked: owner/repo#12, group/project!7, a URL or a uuid')
    .option('--max-tasks <n>', 'at most this many tasks', positiveInteger)
    .option('--dry-run', 'print what would be done; write nothing anywhere')
    .option('--json', 'one JSON document on stdout')
    .action(action(async () => (await import('./commands/run.js')).runCommand));
  program
    .command('status')
    .description('what it is doing: all conversations, or everything about one task')
    .addArgument(taskArgument('[task]'))
    .option('--json', 'one JSON document on stdout')
    .action(action(async () => (await import('./commands/status.js')).statusCommand));
  addWishes(program, action);
  program
    .command('clean')
    .description('delete what has expired')
    .option('--json', 'one JSON document on stdout')
    .action(action(async () => (await import('./commands/clean.js')).cleanCommand));
  addSetUp(program, action);
}

function addWishes(program: Program, action: Action): void {
  program
    .command('pause')
    .description('pause a task, or all of them')
    .addArgument(taskArgument('[task]'))
    .action(action(async () => (await import('./commands/pause.js')).pauseCommand));
  program
    .command('resume')
    .description('go on with a paused task, or end the pause of all')
    .addArgument(taskArgument('[task]'))
    .action(action(async () => (await import('./commands/resume.js')).resumeCommand));
  program
    .command('stop')
    .description('end the work on a task')
    .addArgument(taskArgument('<task>'))
    .action(action(async () => (await import('./commands/stop.js')).stopCommand));
  program
    .command('retry')
    .description('work on a task once more')
    .addArgument(taskArgument('<task>'))
    .action(action(async () => (await import('./commands/retry.js')).retryCommand));
}

function addSetUp(program: Program, action: Action): void {
  program
    .command('init')
    .description('ask a few questions (or take flags) and write config.yaml and the crontab line')
    .addOption(new Option('--forge <forge>', 'where the issues are').choices(['github', 'gitlab']))
    .addOption(listOf('--repository <path>', 'repository or project to watch (repeatable)'))
    .option('--owner <name>', 'GitHub: all repositories of this user or organisation')
    .option('--group <path>', 'GitLab: all projects of this group')
    .option('--api-url <url>', "the forge's API, if it is your own installation")
    .addOption(new Option('--provider <provider>', 'the LLM').choices(['openai', 'ollama', 'lmstudio']))
    .option('--model <name>', 'the model to use')
    .option('--base-url <url>', "the provider's address, if it is not the usual one")
    .addOption(new Option('--language <language>', 'of what it posts').choices(['auto', 'ja', 'en']))
    .addOption(listOf('--mcp <name=command>', 'MCP server: its name and command line (repeatable)'))
    .option('--force', 'overwrite an existing file')
    .option('--output <file>', 'where to write (default: --config, else ./config.yaml)')
    .action(action(async () => (await import('./commands/init.js')).initCommand));
  program
    .command('doctor')
    .description('check configuration, tokens, labels, MCP servers and the model, and say how to mend what is wrong')
    .option('--json', 'one JSON document on stdout')
    .action(action(async () => (await import('./commands/doctor.js')).doctorCommand));
  program
    .command('demo')
    .description('show the whole thing on this machine: no account, no key, no network')
    .option('--planning', 'in planning mode')
    .addOption(
      new Option('--llm <provider>', 'a real model instead of the canned one').choices([
        'openai',
        'ollama',
        'lmstudio',
      ]),
    )
    .option('--model <name>', 'the model to use with --llm')
    .action(action(async () => (await import('./commands/demo.js')).demoCommand));
}

function listOf(flags: string, description: string): Option {
  return new Option(flags, description)
    .argParser((value: string, before: string[]) => [...before, value])
    .default([], 'none');
}

function taskArgument(name: string): Argument {
  return new Argument(name, 'owner/repo#12, group/project!7, a URL, or a uuid or its beginning');
}

function positiveInteger(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return number;
}

function exitCodeOf(error: unknown, io: CommandIo): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const interrupted = error instanceof Interrupted ? error : interruption(io);
  if (interrupted) return interrupted.exitCode;
  return error instanceof OperatorError ? error.exitCode : 1;
}

/** On stderr; commander has said its own, and a signal needs no words. */
function explain(error: unknown, io: CommandIo, verbose: boolean): void {
  if (error instanceof CommanderError || error instanceof Interrupted || interruption(io)) return;
  if (error instanceof OperatorError) {
    const lines = [`agent: ${error.message}`, ...error.details.map((detail) => `  - ${detail}`)];
    if (error.fix) lines.push(`  ${error.fix}`);
    io.stderr.write(`${lines.join('\n')}\n`);
    return;
  }
  const line = `unexpected error: ${messageOf(error)}`;
  io.stderr.write(`agent: ${verbose ? inspect(error) : `${line} (details in the log; --verbose shows them)`}\n`);
}

function problemsOf(error: unknown): string[] {
  return [messageOf(error), ...(error instanceof OperatorError ? error.details : [])];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function interruption(io: CommandIo): Interrupted | null {
  return io.signal.reason instanceof Interrupted ? io.signal.reason : null;
}

/** The first signal asks the work to stop and save its state; the second, or a work that will not stop, ends the process. */
function abortOnSignals(process: NodeJS.Process): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      const interrupted = new Interrupted(name);
      if (controller.signal.aborted) process.exit(interrupted.exitCode);
      setTimeout(() => process.exit(interrupted.exitCode), GRACE_MS).unref();
      controller.abort(interrupted);
    });
  }
  return controller.signal;
}

/** `agent status | head` closes our stdout early: that is no error, and no reason to stop working. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
