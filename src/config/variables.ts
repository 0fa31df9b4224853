import type { RawConfig } from './raw-config.js';
import { forgesInUse, SHORTEST_SECRET, TOO_SHORT } from './raw-config.js';

export type Env = Readonly<Record<string, string | undefined>>;

export interface Substituted {
  value: RawConfig;
  /** One line per variable that is not set, or too short for the secret its name says it is. */
  complaints: string[];
  /** Paths (`/github/token`) of those variables. */
  unusable: ReadonlySet<string>;
  /** Values of variables whose names say that they are secret. */
  secrets: string[];
}

const REFERENCE = /\$(\$\{)|\$\{([^}]*)\}/g;
const SECRET_NAME = /(TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|(^|_)(PAT|PASS|PWD|AUTH))$/i;

/** Replaces `${NAME}` in every string of the sections in use; `$${` stands for `${` itself. */
export function substituteVariables(raw: RawConfig, env: Env): Substituted {
  const complaints: string[] = [];
  const unusable = new Set<string>();
  const secrets: string[] = [];
  const unused = unusedSections(raw);

  function fill(text: string, path: string): string {
    return text.replace(REFERENCE, (reference: string, escaped: string | undefined, name: string) => {
      if (escaped) return escaped;
      const value = env[name];
      const complaint = complaintAbout(name, value);
      if (complaint !== null) {
        complaints.push(`${readablePath(path)}: the environment variable ${name} ${complaint}`);
        unusable.add(path);
        return reference;
      }
      if (looksSecret(name)) secrets.push(value!);
      return value!;
    });
  }

  function walk(value: unknown, path: string): unknown {
    if (unused.has(path)) return value;
    if (typeof value === 'string') return fill(value, path);
    if (Array.isArray(value)) return value.map((item, index) => walk(item, `${path}/${index}`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, `${path}/${key}`)]));
  }

  return { value: walk(raw, '') as RawConfig, complaints, unusable, secrets };
}

function complaintAbout(name: string, value: string | undefined): string | null {
  if (value === undefined) return 'is not set';
  return looksSecret(name) && value.length < SHORTEST_SECRET ? TOO_SHORT : null;
}

/** Whether a variable of this name holds something that must not be shown. */
export function looksSecret(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** `/mcp_servers/0/env` as people write it: `mcp_servers[0].env`. */
export function readablePath(path: string): string {
  return path
    .split('/')
    .slice(1)
    .reduce((text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : text ? `${text}.${part}` : part), '');
}

/** No GitLab token is asked of a GitHub user. */
function unusedSections(raw: RawConfig): ReadonlySet<string> {
  const forges = ['github', 'gitlab'].filter((forge) => !forgesInUse(raw).some((used) => used === forge));
  const providers = ['openai', 'ollama', 'lmstudio'].filter((provider) => provider !== raw.llm?.provider);
  return new Set([...forges.map((forge) => `/${forge}`), ...providers.map((provider) => `/llm/${provider}`)]);
}
