import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CORE_SCHEMA, load as parseYaml, YAMLException } from 'js-yaml';
import { OperatorError } from '../lib/exit.js';
import { crossCheck } from './cross-check.js';
import type { Config } from './config.js';
import { substituteVariables } from './variables.js';
import type { Env, Substituted } from './variables.js';
import { toConfig } from './translate.js';
import type { RawConfig } from './raw-config.js';
import type { SchemaError } from './validator.generated.js';
import validate from './validator.generated.js';

export interface LoadOptions {
  /** `--config`. */
  file?: string | undefined;
  /** `--data-dir`. */
  dataDir?: string | undefined;
  env: Env;
  cwd: string;
}

/** Finds, checks and reads the configuration; throws one `OperatorError` with all that is wrong. */
export async function loadConfig(options: LoadOptions): Promise<Config> {
  const file = findConfigFile(options);
  const given = readYaml(file);
  const raw = structuredClone(given) as RawConfig;
  validate(raw); // only for the defaults: they may hold variables too
  const variables = substituteVariables(raw, options.env);
  const errors = validate(variables.value) ? [] : (validate.errors ?? []);
  const complaints = [
    ...(await describe(errors, variables)),
    ...variables.complaints,
    ...crossCheck(variables.value, file, unusablePaths(errors, variables)),
  ];
  if (complaints.length > 0) throw badConfig(file, complaints);
  const dataDir = options.dataDir === undefined ? undefined : resolve(options.cwd, options.dataDir);
  return toConfig({ raw: variables.value, given, file, dataDir, secrets: variables.secrets });
}

/** The file that `--config`, `$AGENT_CONFIG`, the current folder or the user's configuration folder name. */
export function findConfigFile({ file, env, cwd }: LoadOptions): string {
  const named = file ?? (env['AGENT_CONFIG'] || undefined);
  if (named !== undefined) return existing(resolve(cwd, named), file === undefined ? '$AGENT_CONFIG' : '--config');
  const home = env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? '/', '.config');
  const places = [resolve(cwd, 'config.yaml'), join(home, 'agent', 'config.yaml')];
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new OperatorError(`no configuration file found: neither ${places.join(' nor ')} exists`, {
    fix: 'Write one with `agent init`, or name one with --config.',
  });
}

function existing(file: string, namedBy: string): string {
  if (existsSync(file)) return file;
  throw new OperatorError(`the configuration file ${file} (named by ${namedBy}) does not exist`, {
    fix: 'Check the path, or write the file with `agent init --output <file>`.',
  });
}

function readYaml(file: string): Record<string, unknown> {
  const data = parse(file) ?? {};
  if (typeof data === 'object' && !Array.isArray(data)) return withoutEmptySections(data);
  throw badConfig(file, ['must be a mapping of keys to values']);
}

/** A section whose keys are all commented out is null in YAML; it means the defaults. */
function withoutEmptySections(data: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
}

function parse(file: string): unknown {
  try {
    return parseYaml(readFileSync(file, 'utf8'), { schema: CORE_SCHEMA });
  } catch (cause) {
    const complaint =
      cause instanceof YAMLException ? yamlComplaint(cause) : `cannot be read: ${(cause as Error).message}`;
    throw badConfig(file, [complaint], cause);
  }
}

function yamlComplaint({ mark, reason }: YAMLException): string {
  // js-yaml gives no mark for a few mistakes, whatever its types say.
  const where = mark as typeof mark | undefined;
  return where ? `line ${where.line + 1}, column ${where.column + 1}: ${reason}` : reason;
}

async function describe(errors: SchemaError[], { value, unusable }: Substituted): Promise<string[]> {
  if (errors.length === 0) return [];
  const { describeSchemaErrors } = await import('./complaints.js');
  return describeSchemaErrors(errors, value, unusable);
}

/** Paths of values that are not even of the right kind or not known; rules across keys have nothing to say there. */
function unusablePaths(errors: SchemaError[], { unusable }: Substituted): string[] {
  const misshapen = errors.filter(({ keyword }) => ['type', 'required', 'enum', 'anyOf'].includes(keyword));
  return [...misshapen.map(({ instancePath }) => instancePath), ...unusable];
}

function badConfig(file: string, details: string[], cause?: unknown): OperatorError {
  return new OperatorError(`the configuration ${file} is not valid`, {
    details,
    fix: `Correct ${file}; docs/configuration.md explains every key.`,
    exitCode: 2,
    cause,
  });
}
