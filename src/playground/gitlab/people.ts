import { json, type Answer } from '../answer.js';
import { route } from '../routes.js';
import { findPerson, memberAccess } from '../world/people.js';
import type { Person } from '../world/state.js';
import { page, projectOf, refuse, type Call, type Reply } from './call.js';
import { projectJson, time, userJson } from './json.js';

const LEVELS = { none: 0, read: 10, triage: 20, write: 30, maintain: 40, admin: 50 };

export const peopleRoutes = [
  route<Reply>('GET /user', (call) => json(200, profile(call, call.user))),
  route<Reply>('GET /users', users),
  route<Reply>('GET /users/:user', (call) => json(200, profile(call, personOf(call, '404 User Not Found')))),
  route<Reply>('GET /personal_access_tokens/self', tokenSelf),
  route<Reply>('GET /projects/:id', (call) => json(200, projectJson(call, projectOf(call)))),
  route<Reply>('GET /projects/:id/members/all/:user', member),
];

function profile(call: Call, person: Person): Record<string, unknown> {
  const bot = person.type === 'Bot';
  return { ...userJson(call, person.login), bot, created_at: time(person.createdAt), bio: '' };
}

function users(call: Call): Answer {
  const name = call.request.url.searchParams.get('username');
  const named = name === null ? undefined : findPerson(call.state, name);
  const found = name === null ? [...call.state.people.values()] : named ? [named] : [];
  return page(call, found, (person) => userJson(call, person.login));
}

function tokenSelf(call: Call): Answer {
  const common = { id: 1, name: 'playground', revoked: false, active: true, expires_at: null };
  return json(200, { ...common, scopes: call.token.scopes ?? [], user_id: call.user.id });
}

function member(call: Call): Answer {
  const project = projectOf(call);
  const person = personOf(call, '404 Not found');
  const level = memberAccess(project, person.login);
  if (!level) throw refuse(404, '404 Not found');
  return json(200, { ...userJson(call, person.login), access_level: LEVELS[level], expires_at: null });
}

function personOf(call: Call, message: string): Person {
  const id = Number(call.params.user);
  const person = [...call.state.people.values()].find((one) => one.id === id);
  if (!person) throw refuse(404, message);
  return person;
}
