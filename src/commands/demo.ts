import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { OperatorError } from '../lib/exit.js';
import { packageRoot } from '../lib/package.js';
import { inkFor, labelPath, threadPage } from '../playground/demo/page.js';
import { putLabelOn, setScene, type RealModel, type Scene } from '../playground/demo/scene.js';
import type { CommandIo, DemoOptions } from './io.js';

/** By its path: in a fresh clone there is no command `agent` yet. */
const AGENT = join(packageRoot(), 'bin', 'agent.js');

/** The whole thing on this machine: forges, model and project are a playground, the agent is the real one. */
export async function demoCommand(options: DemoOptions, io: CommandIo): Promise<number> {
  const llm = realModelOf(options);
  const say = (line = ''): void => void (options.quiet || io.stdout.write(`${line}\n`));
  const scene = await setScene({ planning: options.planning, llm, clock: io.clock });
  try {
    introduce(scene, llm, say);
    await play(scene, io, say);
    await showEnd(scene, io, say);
    return await verdict(scene, io);
  } finally {
    await scene.close();
  }
}

type Say = (line?: string) => void;

function realModelOf({ llm, model }: DemoOptions): RealModel | null {
  if (llm && model) return { provider: llm, model };
  if (!llm && !model) return null;
  throw new OperatorError(llm ? '--llm needs a model.' : '--model is for a real model.', {
    fix: `For example: agent demo --llm ${llm ?? 'ollama'} --model ${model ?? '<name>'}`,
  });
}

function introduce({ folder }: Scene, llm: RealModel | null, say: Say): void {
  say('A GitHub and a GitLab are played on this machine (127.0.0.1), with a small project in which two tests fail.');
  if (llm) say(`The model is a real one: ${llm.model}, asked at the usual address of ${llm.provider}.`);
  else
    say('The model is canned: it knows its answers by heart and thinks nothing. Everything else is real: `agent run`');
  if (!llm)
    say('as cron would start it, an MCP server, the HTTP protocols, SQLite. Use --llm to see a real model at work.');
  say(`Everything is in ${folder}`);
}

/** Label, tick, answer, tick … until every person has said what they have to say. */
async function play(scene: Scene, io: CommandIo, say: Say): Promise<void> {
  const ink = inkFor(io.color);
  const rounds = Math.max(...scene.threads.map((thread) => thread.replies.length));
  for (let round = 0; round <= rounds; round++) {
    say();
    for (const line of peopleAct(scene, round)) say(ink.bold(line));
    say(ink.dim('$ agent run --once'));
    await runTick(scene, io, say);
    for (const thread of scene.threads) {
      say(
        `  ${thread.repository}#${thread.number} is now labelled: ${ink.bold(labelPath(scene.playground, thread).at(-1) ?? '(none)')}`,
      );
    }
    // Forges tell time in seconds: a person's answer in the same one would be an unlikely person.
    if (round < rounds) await io.clock.sleep(1100, io.signal);
  }
}

function peopleAct({ playground, threads }: Scene, round: number): string[] {
  return threads.flatMap((thread) => {
    const { source, repository, number, person, title } = thread;
    const where = `${repository}#${number}`;
    if (round === 0) return [`@${person} puts the label "${putLabelOn(playground, thread)}" on ${where}: ${title}`];
    const reply = thread.replies[round - 1];
    if (reply === undefined) return [];
    playground.world[source].comment(repository, number, { author: person, body: reply });
    return [`@${person} answers in ${where}: ${reply}`];
  });
}

/** The real command in a process of its own, as cron starts it; what it says to a person is passed on. */
async function runTick({ configFile }: Scene, io: CommandIo, say: Say): Promise<void> {
  const args = [AGENT, 'run', '--once', '--config', configFile];
  const child = spawn(process.execPath, args, {
    cwd: dirname(configFile),
    env: { ...io.env, ...direct(io.env) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  const stop = (): void => void child.kill('SIGTERM');
  io.signal.addEventListener('abort', stop);
  for await (const line of createInterface({ input: child.stderr })) say(`  ${line}`);
  const [exitCode] = (await ended) as [number | null];
  io.signal.removeEventListener('abort', stop);
  io.signal.throwIfAborted();
  if (exitCode !== 0) say(`  (exit code ${exitCode})`);
}

/** Loopback is never asked for through a proxy. */
function direct(env: CommandIo['env']): Record<string, string> {
  const hosts = [env['NO_PROXY'] ?? env['no_proxy'], '127.0.0.1', 'localhost'].filter(Boolean).join(',');
  return { NO_PROXY: hosts, no_proxy: hosts };
}

async function showEnd({ playground, threads, project, configFile }: Scene, io: CommandIo, say: Say): Promise<void> {
  const ink = inkFor(io.color);
  for (const thread of threads) say(`\n${ink.dim('─'.repeat(80))}\n${threadPage(playground, thread, ink)}`);
  say(`\n${ink.dim('─'.repeat(80))}\n${ink.bold('What changed in the project')}\n`);
  say(
    (await project.diff({ color: io.color })) ?? `(There is no git here to show a difference; see ${project.folder}.)`,
  );
  const data = dirname(configFile);
  say(ink.bold('Where everything is (it is kept; delete the folder when you have seen enough)'));
  say(`  project        ${project.folder}`);
  say(`  configuration  ${configFile}`);
  say(`  database       ${join(data, 'contexts', 'tasks.db')}`);
  say(`  histories      ${join(data, 'contexts', '<uuid>', 'messages.jsonl')}`);
  say(`  log            ${join(data, 'logs')}`);
  say(`  status         node ${AGENT} status --config ${configFile}`);
  say();
}

/** Good is: every conversation has come to its end, and the tests of the project pass. */
async function verdict({ playground, threads, project }: Scene, io: CommandIo): Promise<number> {
  const open = threads.filter((thread) => labelPath(playground, thread).at(-1) !== 'coding agent done');
  const healthy = await project.isHealthy();
  if (open.length === 0 && healthy) {
    io.stdout.write('The demo ended as it should: both conversations are done, and all tests of the project pass.\n');
    return 0;
  }
  for (const { repository, number } of open) io.stderr.write(`agent: ${repository}#${number} is not done.\n`);
  if (!healthy) io.stderr.write(`agent: tests still fail in ${project.folder}.\n`);
  return 1;
}
