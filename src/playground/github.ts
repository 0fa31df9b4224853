import { Refusal, withEtag, type Answer, type ForgeRequest } from './answer.js';
import { problem, type Call, type Reply } from './github/call.js';
import { commentRoutes } from './github/comments.js';
import { eventRoutes } from './github/events.js';
import { issueRoutes } from './github/issues.js';
import { labelRoutes } from './github/labels.js';
import { createLimits, type Limits } from './github/limits.js';
import { peopleRoutes } from './github/people.js';
import { pullRoutes } from './github/pulls.js';
import { searchRoutes } from './github/search.js';
import { findRoute, type Route } from './routes.js';
import type { Dialect } from './server.js';
import { addPerson } from './world/people.js';
import type { State, Token } from './world/state.js';

const ROUTES: Route<Reply>[] = [
  ...[...peopleRoutes, ...issueRoutes, ...labelRoutes, ...eventRoutes],
  ...[...commentRoutes, ...pullRoutes, ...searchRoutes],
];

/** GitHub's REST API over the state, as far as the agent speaks it. */
export function githubDialect(state: State): Dialect {
  const limits = createLimits(state.now);
  return {
    forge: 'github',
    userOf: (request) => tokenOf(state, request)?.login ?? null,
    answer(request) {
      const token = tokenOf(state, request);
      if (!token) return refuseStranger(request);
      const answer = withEtag(request, answerFor(state, limits, token, request));
      return withScopes(token, limits.charge(token.login, request.path, answer));
    },
  };
}

function tokenOf(state: State, request: ForgeRequest): Token | undefined {
  const header = request.headers.authorization ?? '';
  return state.tokens.get(header.replace(/^(?:bearer|token)\s+/i, ''));
}

function refuseStranger(request: ForgeRequest): Answer {
  return problem(401, request.headers.authorization ? 'Bad credentials' : 'Requires authentication');
}

function answerFor(state: State, limits: Limits, token: Token, request: ForgeRequest): Answer {
  const { pathname } = request.url;
  if (request.method === 'GET' && pathname === '/rate_limit') return limits.overview(token.login);
  const found = findRoute(ROUTES, request.method, pathname);
  if (!found) return problem(404, 'Not Found');
  const call: Call = { state, request, params: found.params, user: addPerson(state, token.login), token };
  try {
    return found.reply(call);
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

function withScopes(token: Token, answer: Answer): Answer {
  const scopes = token.scopes && { 'x-oauth-scopes': token.scopes.join(', ') };
  return { ...answer, headers: { ...answer.headers, ...scopes, 'x-github-media-type': 'github.v3; format=json' } };
}
