import { json, Refusal, type Answer } from '../answer.js';
import { route } from '../routes.js';
import { accessOf, findPerson, mayAtLeast } from '../world/people.js';
import type { AccessLevel, Person } from '../world/state.js';
import { notFound, problem, repositoryOf, type Call, type Reply } from './call.js';
import { time, userJson } from './json.js';
import { permissions, repositoryJson } from './repository-json.js';

export const peopleRoutes = [
  route<Reply>('GET /user', (call) => json(200, profile(call, call.user))),
  route<Reply>('GET /users/:login', (call) => json(200, profile(call, personOf(call)))),
  route<Reply>('GET /repos/:owner/:repo', (call) => json(200, repositoryJson(call, repositoryOf(call)))),
  route<Reply>('GET /repos/:owner/:repo/collaborators/:login/permission', permission),
];

function personOf(call: Call): Person {
  const person = findPerson(call.state, call.params.login ?? '');
  if (!person) throw notFound();
  return person;
}

function profile(call: Call, person: Person): Record<string, unknown> {
  return {
    ...userJson(call, person.login),
    ...{ name: person.login, company: null, blog: '', location: null, email: null, hireable: null, bio: null },
    ...{ public_repos: 0, public_gists: 0, followers: 0, following: 0 },
    ...{ created_at: time(person.createdAt), updated_at: time(person.createdAt) },
  };
}

/** `permission` knows only the four old levels; `role_name` and `user.permissions` tell the rest. */
function permission(call: Call): Answer {
  const repository = repositoryOf(call);
  if (!mayAtLeast(repository, call.user.login, 'write'))
    throw new Refusal(problem(403, 'Must have push access to view collaborator permission.'));
  const level = accessOf(repository, personOf(call).login);
  const user = { ...userJson(call, personOf(call).login), permissions: permissions(level), role_name: level };
  return json(200, { permission: oldLevel(level), user, role_name: level });
}

function oldLevel(level: AccessLevel): string {
  if (level === 'triage') return 'read';
  return level === 'maintain' ? 'write' : level;
}
