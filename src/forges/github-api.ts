import { Octokit } from '@octokit/rest';
import type { GitHubConfig } from '../config/config.js';
import { ForgeError, type Log } from '../ports.js';
import { openLine, type ForgeOptions, type Line } from './http.js';
import { pageOf, type Answer, type Query, type ReadPage } from './pages.js';

/** Octokit on our line: no retries and no throttling but ours. */
export interface GitHubApi {
  line: Line;
  /** For writes. */
  rest: Octokit['rest'];
  get(route: string): Promise<Answer>;
  /** One conditional look, not repeated here, at a thing that may have moved: 'gone' then. */
  look(route: string, etag: string | undefined): Promise<Answer>;
  pages(route: string): ReadPage;
  urlOf(route: string, query?: Query): string;
}

export function openGitHub(options: ForgeOptions<GitHubConfig>): GitHubApi {
  const line = openLine('github', options);
  const octokit = connect(options, line);
  const send = (url: string, query: Query, etag?: string, redirect?: 'manual'): Promise<Answer> => {
    const headers = etag ? { 'if-none-match': etag } : {};
    return octokit.request({ method: 'GET', url, ...query, headers, request: redirect ? { redirect } : {} });
  };
  const urlOf = (route: string, query: Query = {}): string =>
    `${baseUrl(options.config)}${route}?${new URLSearchParams(query).toString()}`;
  return {
    line,
    rest: octokit.rest,
    get: (route) => line.repeat(() => send(route, {})),
    look: (route, etag) => send(route, {}, etag, 'manual'),
    pages: (route) => (query, etag) =>
      line.repeat(async () => pageOf(await send(route, query, etag), query, urlOf(route), line)),
    urlOf,
  };
}

function connect({ config, log }: ForgeOptions<GitHubConfig>, line: Line): Octokit {
  const octokit = new Octokit({
    auth: config.token,
    baseUrl: baseUrl(config),
    userAgent: 'cronsmith',
    request: { fetch: line.fetch },
    log: quiet(log),
  });
  octokit.hook.wrap('request', async (request, options) => {
    try {
      return await request(options);
    } catch (error) {
      return unwrapped(error) as Awaited<ReturnType<typeof request>>;
    }
  });
  return octokit;
}

/** Octokit makes an error of a 304, and wraps in its own what our line throws. */
function unwrapped(error: unknown): unknown {
  const { status, response, cause } = error as { status?: number; response?: unknown; cause?: unknown };
  if (status === 304 && response) return response;
  throw cause instanceof ForgeError ? cause : error;
}

/** Octokit writes to the console where it is given no log, and cron would send that as mail. */
function quiet(log: Log) {
  const silent = (): void => undefined;
  const warn = (message: string): void => log.write('warning', 'octokit warns', { message });
  return { debug: silent, info: silent, warn, error: silent };
}

function baseUrl({ apiUrl }: GitHubConfig): string {
  return apiUrl.replace(/\/+$/, '');
}
