import { json, Refusal, withEtag, type Answer, type ForgeRequest } from './answer.js';
import { problem, type Call, type Reply } from './gitlab/call.js';
import { changeRoutes } from './gitlab/changes.js';
import { itemRoutes } from './gitlab/items.js';
import { labelRoutes } from './gitlab/labels.js';
import { noteRoutes } from './gitlab/notes.js';
import { peopleRoutes } from './gitlab/people.js';
import { findRoute, type Route } from './routes.js';
import type { Dialect } from './server.js';
import { addPerson } from './world/people.js';
import type { State, Token } from './world/state.js';

const ROUTES: Route<Reply>[] = [...peopleRoutes, ...itemRoutes, ...noteRoutes, ...labelRoutes, ...changeRoutes];
const PREFIX = '/api/v4';
const REQUESTS_A_MINUTE = 2000;

/** GitLab's REST API (v4) over the state, as far as the agent speaks it. */
export function gitlabDialect(state: State): Dialect {
  return {
    forge: 'gitlab',
    userOf: (request) => tokenOf(state, request)?.login ?? null,
    answer(request) {
      const token = tokenOf(state, request);
      const answer = token ? answerFor(state, token, request) : problem(401, '401 Unauthorized');
      return withLimits(state.now(), withEtag(request, answer));
    },
  };
}

function tokenOf(state: State, request: ForgeRequest): Token | undefined {
  const header = request.headers['private-token'];
  const bearer = (request.headers.authorization ?? '').replace(/^bearer\s+/i, '');
  return state.tokens.get(typeof header === 'string' ? header : bearer);
}

function answerFor(state: State, token: Token, request: ForgeRequest): Answer {
  const { pathname } = request.url;
  if (request.method !== 'GET' && token.scopes && !token.scopes.includes('api')) return insufficientScope();
  const path = pathname.startsWith(PREFIX) ? pathname.slice(PREFIX.length) : '';
  const found = findRoute(ROUTES, request.method, path);
  if (!found) return json(404, { error: '404 Not Found' });
  const call: Call = { state, request, params: found.params, user: addPerson(state, token.login), token };
  try {
    return found.reply(call);
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

function insufficientScope(): Answer {
  const error_description = 'The request requires higher privileges than provided by the access token.';
  return json(403, { error: 'insufficient_scope', error_description, scope: 'api' });
}

/** The playground never runs out by itself: `faults` say when the limit is reached. */
function withLimits(now: number, answer: Answer): Answer {
  const headers = {
    ...{ 'ratelimit-limit': String(REQUESTS_A_MINUTE), 'ratelimit-remaining': String(REQUESTS_A_MINUTE - 1) },
    ...{ 'ratelimit-observed': '1', 'ratelimit-reset': String(Math.ceil(now / 1000) + 60) },
  };
  return { ...answer, headers: { ...headers, ...answer.headers } };
}
