import { json, Refusal, type Answer } from '../answer.js';
import { route } from '../routes.js';
import { mayAtLeast } from '../world/people.js';
import { ownerOf } from '../world/repositories.js';
import type { Item, Repository } from '../world/state.js';
import { invalid, pageOf, problem, type Call, type Reply } from './call.js';
import { hasLabels, inState, sortItems } from './issues.js';
import { issueJson } from './json.js';

export const searchRoutes = [route<Reply>('GET /search/issues', search)];

interface Term {
  not: boolean;
  key: string;
  value: string;
}

const MOST_RESULTS = 1000;

function search(call: Call): Answer {
  const query = call.request.url.searchParams;
  const terms = termsOf(query.get('q') ?? '');
  refuseVague(terms);
  const found = repositoriesOf(call, terms)
    .flatMap((repository) => repository.items)
    .filter((item) => !item.deleted && terms.every((term) => fits(call, item, term) !== term.not));
  const sorted = sortItems(found, query.get('sort'), query.get('order') ?? 'desc');
  const { shown, headers } = pageOf(call, sorted.slice(0, MOST_RESULTS));
  const items = shown.map((item) => ({ ...issueJson(call, item), score: 1 }));
  const counts = { total_count: sorted.length, incomplete_results: false };
  return json(200, { ...counts, items, search_type: 'lexical' }, headers);
}

function termsOf(q: string): Term[] {
  if (q.trim() === '') throw invalid('Search', 'q', 'missing');
  const pattern = /(-?)(?:(\w[\w-]*):)?(?:"([^"]*)"|(\S+))/g;
  return [...q.matchAll(pattern)].map(([, minus, key, quoted, plain]) => ({
    not: minus === '-',
    key: key?.toLowerCase() ?? 'text',
    value: quoted ?? plain ?? '',
  }));
}

/** Since 2025 GitHub refuses a search by user that does not say what it looks for. */
function refuseVague(terms: Term[]): void {
  const kinds = ['issue', 'pr', 'pull-request'];
  if (terms.some(({ key, value }) => (key === 'is' || key === 'type') && kinds.includes(value))) return;
  const message = "Query must include 'is:issue' or 'is:pull-request'";
  const error = { message, resource: 'Search', field: 'q', code: 'invalid' };
  throw new Refusal(problem(422, 'Validation Failed', { errors: [error] }));
}

function repositoriesOf(call: Call, terms: Term[]): Repository[] {
  const visible = [...call.state.repositories.values()].filter((one) => mayAtLeast(one, call.user.login, 'read'));
  const places = terms.filter(({ key, not }) => PLACES.has(key) && !not);
  const within = visible.filter((one) => places.length === 0 || places.some((place) => isIn(one, place)));
  const unknown = places.length > 0 && !places.some((place) => isKnown(call, visible, place));
  if (!unknown) return within;
  const message =
    'The listed users and repositories cannot be searched either because the resources do not exist ' +
    'or you do not have permission to view them.';
  throw invalid('Search', 'q', 'invalid', message);
}

const PLACES = new Set(['user', 'org', 'repo']);

function isIn(repository: Repository, { key, value }: Term): boolean {
  const place = key === 'repo' ? repository.path : ownerOf(repository.path);
  return place.toLowerCase() === value.toLowerCase();
}

function isKnown(call: Call, visible: Repository[], place: Term): boolean {
  if (place.key !== 'repo' && call.state.people.has(place.value.toLowerCase())) return true;
  return visible.some((repository) => isIn(repository, place));
}

function fits(call: Call, item: Item, { key, value }: Term): boolean {
  const wanted = value.toLowerCase();
  if (PLACES.has(key)) return isIn(item.repository, { key, value, not: false });
  if (key === 'label') return hasLabels(call.state, item, [value]);
  if (key === 'author') return item.author.toLowerCase() === wanted;
  if (key === 'assignee') return item.assignees.some((login) => login.toLowerCase() === wanted);
  if (key === 'is' || key === 'state' || key === 'type') return is(item, wanted);
  if (key !== 'text') return true;
  return `${item.title}\n${item.body}`.toLowerCase().includes(wanted);
}

function is(item: Item, wanted: string): boolean {
  if (wanted === 'issue') return item.kind === 'issue';
  if (wanted === 'pr' || wanted === 'pull-request') return item.kind === 'change';
  if (wanted === 'open' || wanted === 'closed') return inState(item, wanted);
  if (wanted === 'merged') return item.state === 'merged';
  if (wanted === 'private' || wanted === 'public') return item.repository.private === (wanted === 'private');
  return true;
}
