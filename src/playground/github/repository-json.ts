import { accessOf } from '../world/people.js';
import { nameOf, ownerOf } from '../world/repositories.js';
import type { AccessLevel, Repository } from '../world/state.js';
import { apiUrl, nodeId, repositoryUrl, time, userJson } from './json.js';
import type { Call } from './call.js';

/** A repository in full; what the playground does not model has the value of a new, empty one. */
export function repositoryJson(call: Call, repository: Repository): Record<string, unknown> {
  const { id, path } = repository;
  const html = apiUrl(call, `/${path}`);
  const open = repository.items.filter((item) => item.state === 'open' && !item.deleted).length;
  return {
    ...{ id, node_id: nodeId('Repository', id), name: nameOf(path), full_name: path, private: repository.private },
    ...{ owner: userJson(call, ownerOf(path)), html_url: html, description: null, fork: false },
    ...linksOf(repositoryUrl(call, repository)),
    ...{ clone_url: `${html}.git`, git_url: `${html}.git`, ssh_url: `${html}.git`, svn_url: html, mirror_url: null },
    ...{ homepage: null, language: null, license: null, topics: [], default_branch: 'main' },
    ...{ forks: 0, forks_count: 0, stargazers_count: 0, watchers: 0, watchers_count: 0, size: 0 },
    ...{ network_count: 0, subscribers_count: 0, open_issues: open, open_issues_count: open },
    ...{ has_issues: true, has_projects: true, has_downloads: true, has_wiki: true, has_pages: false },
    ...{ has_discussions: false, archived: false, disabled: false, is_template: false },
    ...{ visibility: repository.private ? 'private' : 'public', pushed_at: time(repository.createdAt) },
    ...{ created_at: time(repository.createdAt), updated_at: time(repository.createdAt) },
    permissions: permissions(accessOf(repository, call.user.login)),
  };
}

export function permissions(level: AccessLevel): Record<string, boolean> {
  const rank = ['none', 'read', 'triage', 'write', 'maintain', 'admin'].indexOf(level);
  return { admin: rank >= 5, maintain: rank >= 4, push: rank >= 3, triage: rank >= 2, pull: rank >= 1 };
}

const PLAIN = ['contributors', 'deployments', 'downloads', 'events', 'forks', 'hooks', 'languages', 'merges'];
const PLAIN_TOO = ['stargazers', 'subscribers', 'subscription', 'tags', 'teams'];
const TEMPLATES: Record<string, string> = {
  ...{ archive_url: '{archive_format}{/ref}', assignees_url: 'assignees{/user}', blobs_url: 'git/blobs{/sha}' },
  ...{ branches_url: 'branches{/branch}', collaborators_url: 'collaborators{/collaborator}' },
  ...{ comments_url: 'comments{/number}', commits_url: 'commits{/sha}', compare_url: 'compare/{base}...{head}' },
  ...{ contents_url: 'contents/{+path}', git_commits_url: 'git/commits{/sha}', git_refs_url: 'git/refs{/sha}' },
  ...{ git_tags_url: 'git/tags{/sha}', issue_comment_url: 'issues/comments{/number}' },
  ...{ issue_events_url: 'issues/events{/number}', issues_url: 'issues{/number}', keys_url: 'keys{/key_id}' },
  ...{ labels_url: 'labels{/name}', milestones_url: 'milestones{/number}', pulls_url: 'pulls{/number}' },
  ...{ notifications_url: 'notifications{?since,all,participating}', releases_url: 'releases{/id}' },
  ...{ statuses_url: 'statuses/{sha}', trees_url: 'git/trees{/sha}' },
};

function linksOf(url: string): Record<string, string> {
  const links: Record<string, string> = { url };
  for (const name of [...PLAIN, ...PLAIN_TOO]) links[`${name}_url`] = `${url}/${name}`;
  for (const [key, template] of Object.entries(TEMPLATES)) links[key] = `${url}/${template}`;
  return links;
}
