import type { Config } from '../../config/config.js';
import { ForgeError, type Forge, type TokenReport } from '../../ports.js';
import { labelSpecs } from '../../task/labels.js';
import type { Source } from '../../task/key.js';
import type { CommandIo } from '../io.js';
import { limited, messageOf, ok, problem, warning, type Check } from './check.js';

const LIMIT_MS = 30_000;

type OpenForge = (source: Source, signal: AbortSignal) => Forge;

/** Who the token is, what it may do, and whether every place that is watched can be worked on. */
export async function checkForge(
  source: Source,
  config: Config,
  io: CommandIo,
  openForge: OpenForge,
): Promise<Check[]> {
  const forge = openForge(source, limited(io.signal, LIMIT_MS));
  try {
    const report = await forge.inspectToken();
    const places = await checkPlaces(forge, config, io, report.login);
    return [...tokenChecks(report, source, config), ...places];
  } catch (error) {
    io.signal.throwIfAborted();
    return [failedCheck(source, source, error)];
  }
}

function tokenChecks({ login, scopes, problems }: TokenReport, source: Source, config: Config): Check[] {
  const missing = problems.map((sentence) => problem(source, 'the token may not do all that is needed', sentence));
  const told = scopes === null ? '' : ` (scopes: ${scopes.join(', ') || 'none'})`;
  return [accountCheck(login, told, source, config), ...missing];
}

function accountCheck(login: string | null, scopes: string, source: Source, config: Config): Check {
  const configured = config.commentDetection.botUsername ?? config[source]!.username;
  const key = config.commentDetection.botUsername ? 'comment_detection.bot_username' : `${source}.username`;
  if (login === null) {
    if (configured)
      return ok(source, `the token works; it does not say whose it is, ${key} says @${configured}${scopes}`);
    return warning(
      source,
      `the token works, but does not say whose it is${scopes}`,
      `Set ${source}.username to the account that posts, so that its comments are known for ours.`,
    );
  }
  if (configured === null) {
    const lent = `${source}.username is not set, so the token counts as lent by that person: what @${login} writes without our marker is read as a person's comment`;
    return ok(
      source,
      `the token is @${login}'s${scopes}; ${lent}. If the account is the bot's alone, set ${source}.username: ${login}`,
    );
  }
  if (configured.toLowerCase() !== login.toLowerCase()) {
    return warning(
      source,
      `${key} says @${configured}, but the token posts as @${login}${scopes}`,
      `Set ${key} to ${login}, or use a token of @${configured}.`,
    );
  }
  return ok(source, `the token is @${login}'s, an account of the bot's own${scopes}`);
}

async function checkPlaces(forge: Forge, config: Config, io: CommandIo, login: string | null): Promise<Check[]> {
  const { source } = forge;
  const owner = source === 'github' ? config.github!.owner : config.gitlab!.group;
  const paths = source === 'github' ? config.github!.repositories : config.gitlab!.projects;
  if (owner !== null) return [await checkOwner(forge, owner, config, io)];
  return (await Promise.all(paths.map((path) => checkRepository(forge, path, config, io, login)))).flat();
}

async function checkOwner(forge: Forge, name: string, config: Config, io: CommandIo): Promise<Check> {
  const { botLabel } = config[forge.source]!;
  const query = forge.source === 'github' ? config.github!.query : '';
  try {
    const found = await forge.findByLabel({ kind: 'owner', name, query }, botLabel);
    return ok(
      'search',
      `everything of ${name}: ${found.length} open items carry \`${botLabel}\`; missing labels are created where they are used first`,
    );
  } catch (error) {
    io.signal.throwIfAborted();
    return failedCheck('search', forge.source, error, name);
  }
}

async function checkRepository(
  forge: Forge,
  path: string,
  config: Config,
  io: CommandIo,
  login: string | null,
): Promise<Check[]> {
  try {
    const present = new Set((await forge.listLabels(path)).map((label) => label.toLowerCase()));
    const missing = labelSpecs(config[forge.source]!).filter(({ name }) => !present.has(name.toLowerCase()));
    return [
      await accessCheck(forge, path, login),
      labelCheck(
        path,
        missing.map(({ name }) => name),
      ),
    ];
  } catch (error) {
    io.signal.throwIfAborted();
    return [failedCheck('repository', forge.source, error, path)];
  }
}

/** GitHub tells only those who may write who may do what, and without that no labeller can be trusted. */
async function accessCheck(forge: Forge, path: string, login: string | null): Promise<Check> {
  if (login === null) return ok('repository', `${path} can be reached`);
  const access = await forge.access(path, login).catch((error: unknown) => {
    if (error instanceof ForgeError && error.kind === 'forbidden') return 'not enough to ask';
    throw error;
  });
  if (access === 'write') return ok('repository', `${path} can be reached and written to`);
  const fix = `Give @${login} write access: it comments, moves and creates labels, and asks who may ask for work.`;
  return problem('repository', `@${login} may not write to ${path} (access: ${access})`, fix);
}

function labelCheck(path: string, missing: string[]): Check {
  if (missing.length === 0) return ok('labels', `${path} has them all`);
  const names = missing.map((name) => `\`${name}\``).join(', ');
  return warning(
    'labels',
    `${path} lacks ${names}`,
    'Create the request label to be able to put it on; the others are created at first use.',
  );
}

function failedCheck(name: string, source: Source, error: unknown, place?: string): Check {
  const where = place === undefined ? '' : `${place}: `;
  if (!(error instanceof ForgeError))
    return problem(
      name,
      `${where}no answer within ${LIMIT_MS / 1000} s: ${messageOf(error)}`,
      `Check the network and ${source}.api_url.`,
    );
  return problem(name, where + error.message, fixFor(error, source, place));
}

function fixFor({ kind }: ForgeError, source: Source, place: string | undefined): string {
  if (kind === 'refused') return `Create a new token and put it where ${source}.token takes it from.`;
  if (kind === 'gone' && place !== undefined)
    return `Check how ${place} is spelt, and that the token's account can see it.`;
  if (kind === 'forbidden')
    return 'Give the token the permissions it lacks: issues, pull or merge requests, and contents.';
  if (kind === 'rate') return 'Wait until the limit is reset, and run fewer ticks an hour.';
  return `Check the network, proxy settings and ${source}.api_url.`;
}
