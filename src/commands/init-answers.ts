import { createInterface } from 'node:readline/promises';
import type { Interface } from 'node:readline/promises';
import type { LlmConfig } from '../config/config.js';
import { OperatorError } from '../lib/exit.js';
import type { Source } from '../task/key.js';
import type { CommandIo, InitOptions } from './io.js';

/** What `init` has to know. */
export interface Answers {
  forge: Source;
  /** Repositories or projects; empty where `all` is set. */
  places: string[];
  /** All of this owner or group. */
  all: string | null;
  apiUrl: string | null;
  provider: LlmConfig['provider'];
  model: string;
  baseUrl: string | null;
  language: 'auto' | 'ja' | 'en';
  mcp: McpAnswer[];
}

export interface McpAnswer {
  name: string;
  command: string[];
}

/** For scripts: everything comes from the flags, and all that is missing is said at once. */
export function answersFromFlags(options: InitOptions): Answers {
  const forge = options.forge ?? 'github';
  const all = allOf(options, forge);
  const missing = [
    ...(options.repository.length === 0 && all === null
      ? [`--repository <path> (repeatable), or --${forge === 'github' ? 'owner' : 'group'} <name>`]
      : []),
    ...(options.model === undefined ? ['--model <name>'] : []),
  ];
  if (missing.length > 0) {
    throw new OperatorError('there is no terminal to ask on, and some flags are missing', { details: missing });
  }
  return {
    forge,
    places: options.repository,
    all,
    apiUrl: options.apiUrl ?? null,
    provider: options.provider ?? 'openai',
    model: options.model ?? '',
    baseUrl: options.baseUrl ?? null,
    language: options.language ?? 'auto',
    mcp: options.mcp.map(parseMcp),
  };
}

/** On a terminal: asks for what the flags do not say. */
export async function answersFromPerson(options: InitOptions, io: CommandIo): Promise<Answers> {
  const prompt = openPrompt(io);
  try {
    const forge = options.forge ?? (await prompt.choose('Where are the issues?', ['github', 'gitlab']));
    const where = await askPlaces(options, forge, prompt);
    const provider = options.provider ?? (await prompt.choose('Which LLM provider?', ['openai', 'ollama', 'lmstudio']));
    const model = options.model ?? (await prompt.ask('Which model?'));
    const language = options.language ?? (await prompt.choose('Language of its comments?', ['auto', 'ja', 'en']));
    const mcp = options.mcp.length > 0 ? options.mcp.map(parseMcp) : await askServers(prompt);
    const urls = { apiUrl: options.apiUrl ?? null, baseUrl: options.baseUrl ?? null };
    return { forge, ...where, provider, model, language, mcp, ...urls };
  } finally {
    prompt.close();
  }
}

/** The owner or the group that is watched as a whole; the other forge's flag would change nothing, so it is a mistake. */
function allOf({ owner, group }: InitOptions, forge: Source): string | null {
  const [own, others] = forge === 'github' ? [owner, group] : [group, owner];
  if (others === undefined) return own ?? null;
  const [wrong, right] = forge === 'github' ? ['--group', '--owner'] : ['--owner', '--group'];
  throw new OperatorError(`${wrong} is not for ${forge}`, { fix: `Use ${right}, or choose the other --forge.` });
}

async function askPlaces(
  options: InitOptions,
  forge: Source,
  prompt: Prompt,
): Promise<Pick<Answers, 'places' | 'all'>> {
  const all = allOf(options, forge);
  if (options.repository.length > 0 || all !== null) return { places: options.repository, all };
  const owner = forge === 'github' ? 'owner/repo; or the name of an owner' : 'group/project; or the name of a group';
  const words = (await prompt.ask(`What to watch? (${owner} for all; several with spaces)`)).split(/[\s,]+/);
  const [first = ''] = words;
  return words.length === 1 && !first.includes('/') ? { places: [], all: first } : { places: words, all: null };
}

async function askServers(prompt: Prompt): Promise<McpAnswer[]> {
  const servers: McpAnswer[] = [];
  for (;;) {
    const text = await prompt.ask('An MCP server, as name=command line (empty: no more)', '');
    if (text === '') return servers;
    const server = readMcp(text);
    if (server) servers.push(server);
  }
}

interface Prompt {
  /** Asks again until there is an answer; an empty one takes the default, where there is one. */
  ask(question: string, byDefault?: string): Promise<string>;
  /** The first choice is the default. */
  choose<const Choice extends string>(question: string, choices: readonly [Choice, ...Choice[]]): Promise<Choice>;
  close(): void;
}

function openPrompt(io: CommandIo): Prompt {
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  const ask: Prompt['ask'] = async (question, byDefault) => {
    const hint = byDefault ? ` [${byDefault}]` : '';
    const answer = (await nextLine(lines, `${question}${hint} `, io.signal)).trim() || byDefault;
    return answer ?? ask(question, byDefault);
  };
  const choose: Prompt['choose'] = async (question, choices) => {
    const answer = await ask(`${question} (${choices.join(', ')})`, choices[0]);
    return choices.find((choice) => choice === answer.toLowerCase()) ?? choose(question, choices);
  };
  return { ask, choose, close: () => lines.close() };
}

/** readline leaves a question open for ever when its input ends. */
function nextLine(lines: Interface, question: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new OperatorError('the answers ended too soon; nothing was written'));
    lines.once('close', ended);
    lines
      .question(question, { signal })
      .then(resolve, () => reject(signal.reason as Error))
      .finally(() => lines.off('close', ended));
  });
}

function parseMcp(text: string): McpAnswer {
  const server = readMcp(text);
  if (server) return server;
  throw new OperatorError(`"${text}" is no MCP server: write <name>=<command line>`);
}

function readMcp(text: string): McpAnswer | null {
  const at = text.indexOf('=');
  const command = splitCommandLine(text.slice(at + 1));
  return at > 0 && command.length > 0 ? { name: text.slice(0, at).trim(), command } : null;
}

/** Words with spaces stand in single or double quotes, as in a shell. */
function splitCommandLine(line: string): string[] {
  const words = line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}
