import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { loadConfig } from '../config/load.js';
import { OperatorError } from '../lib/exit.js';
import { createFolder } from '../lib/folder.js';
import { packageRoot } from '../lib/package.js';
import type { Answers } from './init-answers.js';
import { answersFromFlags, answersFromPerson } from './init-answers.js';
import { configText, variablesOf } from './init-file.js';
import type { CommandIo, InitOptions } from './io.js';

/** Writes a configuration that loads, and prints the crontab line to paste. */
export async function initCommand(options: InitOptions, io: CommandIo): Promise<number> {
  const file = resolve(io.cwd, options.output ?? options.config ?? 'config.yaml');
  refuseToOverwrite(file, options.force);
  const answers = isTerminal(io.stdin) ? await answersFromPerson(options, io) : answersFromFlags(options);
  const text = configText(answers);
  await writeChecked(file, text, io);
  io.stderr.write(`Wrote ${file}\n\n${advice(answers, file, variablesOf(text))}\n`);
  io.stdout.write(`${crontabLine(file)}\n`);
  return 0;
}

function refuseToOverwrite(file: string, force: boolean): void {
  if (force || !existsSync(file)) return;
  throw new OperatorError(`${file} exists already`, {
    fix: 'Overwrite it with --force, or write elsewhere with --output <file>.',
  });
}

function isTerminal(stdin: CommandIo['stdin']): boolean {
  return 'isTTY' in stdin && stdin.isTTY === true;
}

/** Nothing is left behind that `agent run` would refuse, but for variables that are not set yet. */
async function writeChecked(file: string, text: string, io: CommandIo): Promise<void> {
  const draft = `${file}.new`;
  const standIns = Object.fromEntries(variablesOf(text).map((name) => [name, 'not-set-yet']));
  try {
    createFolder(dirname(file));
    await writeFile(draft, text, { mode: 0o600 });
    await loadConfig({ file: draft, env: standIns, cwd: io.cwd });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined); // where it could not be written there is nothing to remove
    throw error instanceof OperatorError ? invalid(error) : unwritable(file, error as Error);
  }
}

function invalid(cause: OperatorError): OperatorError {
  return new OperatorError('these answers make no valid configuration', { details: cause.details, cause });
}

function unwritable(file: string, cause: Error): OperatorError {
  const fix = 'Write elsewhere with --output <file>.';
  return new OperatorError(`${file} cannot be written: ${cause.message}`, { fix, cause });
}

function advice({ forge }: Answers, file: string, variables: string[]): string {
  const envFile = environmentFile(file);
  return [
    'Whose token? With an account of its own for the agent (a bot account), set',
    `\`${forge}.username\` to its name: everything that account writes is then the agent's.`,
    'You can also lend it your own token and leave `username: null`: comments you write yourself',
    'are still read as yours, since the agent marks its own. It can do what the token can: give it',
    'only the repositories it needs.',
    '',
    'Next:',
    `1. Put the secrets into ${envFile} (chmod 600):`,
    ...variables.map((name) => `     export ${name}=...`),
    `2. Check everything:  . ${quoted(envFile)}; ${agentCommand()} doctor --config ${quoted(file)}`,
    '3. Paste this line into `crontab -e`:',
  ].join('\n');
}

function crontabLine(file: string): string {
  const line = `. ${quoted(environmentFile(file))}; ${agentCommand()} run --config ${quoted(file)}`;
  // An unescaped % ends the command in a crontab.
  return `* * * * * ${line.replaceAll('%', '\\%')}`;
}

function environmentFile(file: string): string {
  return join(dirname(file), 'agent.env');
}

function agentCommand(): string {
  return `${quoted(process.execPath)} ${quoted(join(packageRoot(), 'bin', 'agent.js'))}`;
}

function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
