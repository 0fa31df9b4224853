import { OperatorError } from '../lib/exit.js';
import type { Source, TaskType } from './key.js';

/** What a person means by `<task>`: an attempt by (the beginning of) its uuid, or an item. */
export type TaskRef =
  | { kind: 'uuid'; prefix: string; source?: Source }
  /** `source` and `type` are absent where the name leaves them open. */
  | { kind: 'item'; source?: Source; path: string; id: string; type?: TaskType };

/** Where a forge shows its pages, without a slash at the end: `https://github.com`. */
export interface Host {
  source: Source;
  url: string;
}

/** Reads a `<task>` argument: `owner/repo#12`, `group/sub/project!7`, a URL, a uuid or its beginning. */
export function parseTaskName(text: string, hosts: Host[]): TaskRef {
  const name = text.trim();
  const [, prefix, named = name] = /^(github|gitlab):(?!\/\/)(.*)$/i.exec(name) ?? [];
  const source = prefix?.toLowerCase() as Source | undefined;
  const ref = /^https?:\/\//i.test(named) ? readUrl(named, hosts) : (readUuid(named) ?? readShortName(named));
  if (!ref) throw notUnderstood(text);
  return source ? settled(ref, source, text) : ref;
}

/** The page address that belongs to an API address. */
export function hostOf(source: Source, apiUrl: string): Host {
  const url = apiUrl.replace(/\/+$/, '').replace(/\/api(?:\/v\d+)?$/, '');
  return { source, url: url.replace(/^https:\/\/api\.(?=github\.com$|[^/]+\.ghe\.com$)/, 'https://') };
}

function readUuid(name: string): TaskRef | null {
  const uuid = name.replace(/^#(?=[0-9a-f]{8}$)/i, '');
  return /^[0-9a-f][0-9a-f-]{3,35}$/i.test(uuid) ? { kind: 'uuid', prefix: uuid.toLowerCase() } : null;
}

function readShortName(name: string): TaskRef | null {
  const [, path, mark, id] = /^([\w.-]+(?:\/[\w.-]+)+)([#!])([1-9]\d*)$/.exec(name) ?? [];
  if (!path || !id) return null;
  if (mark === '!') return { kind: 'item', source: 'gitlab', path, id, type: 'merge_request' };
  const nested = path.split('/').length > 2;
  return nested ? { kind: 'item', source: 'gitlab', path, id, type: 'issue' } : { kind: 'item', path, id };
}

const PAGES: Record<string, TaskType> = {
  issues: 'issue',
  work_items: 'issue',
  pull: 'pull_request',
  merge_requests: 'merge_request',
};

function readUrl(address: string, hosts: Host[]): TaskRef {
  const host = hosts.find(({ url }) => address.toLowerCase().startsWith(`${url.toLowerCase()}/`));
  if (!host) throw unknownHost(address, hosts);
  const page = address.slice(host.url.length + 1).replace(/[?#].*$/, '');
  const [, path, kind = '', id] =
    /^([\w.-]+(?:\/[\w.-]+)+?)(?:\/-)?\/(issues|work_items|pull|merge_requests)\/([1-9]\d*)(?:\/.*)?$/.exec(page) ?? [];
  const type = PAGES[kind];
  if (!path || !id || !type || !fits(type, host.source)) throw notUnderstood(address);
  return { kind: 'item', source: host.source, path, id, type };
}

function fits(type: TaskType, source: Source): boolean {
  return type === 'issue' || (type === 'pull_request') === (source === 'github');
}

/** What `github:` or `gitlab:` in front adds; a name that says otherwise is a mistake. */
function settled(ref: TaskRef, source: Source, text: string): TaskRef {
  if (ref.kind === 'uuid') return { ...ref, source };
  if (ref.source && ref.source !== source) throw notUnderstood(text);
  if (ref.type || source === 'github') return { ...ref, source };
  return { ...ref, source, type: 'issue' };
}

function notUnderstood(text: string): OperatorError {
  return new OperatorError(`"${text}" does not name a task`, {
    fix:
      'accepted are owner/repo#12, group/sub/project!7 (merge request), a full URL, a uuid or at least 4 characters ' +
      'of one; github: or gitlab: in front of a name settles a doubt',
  });
}

function unknownHost(address: string, hosts: Host[]): OperatorError {
  const known = hosts.map(({ url }) => url).join(', ') || 'none';
  return new OperatorError(`${address} is not on a forge of the configuration`, {
    fix: `configured are: ${known}; check the URL, or task_source and api_url in the configuration`,
  });
}
