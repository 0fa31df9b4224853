/** One line of a dialect's table: a method, a path such as `/repos/:owner/:repo` or `/:kind(a|b)`, and what answers it. */
export interface Route<Reply> {
  method: string;
  pattern: RegExp;
  names: string[];
  reply: Reply;
}

export function route<Reply>(
  line: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} ${string}`,
  reply: Reply,
): Route<Reply> {
  const [method = '', template = ''] = line.split(' ');
  const names: string[] = [];
  const pattern = template.replace(/:(\w+)(\([^)]*\))?/g, (_, name: string, values: string | undefined) => {
    names.push(name);
    return values ?? '([^/]+)';
  });
  return { method, pattern: new RegExp(`^${pattern}$`), names, reply };
}

/** The first route that fits, with its parameters decoded (GitLab sends `group%2Fproject` as one). */
export function findRoute<Reply>(
  routes: Route<Reply>[],
  method: string,
  pathname: string,
): { reply: Reply; params: Record<string, string> } | undefined {
  for (const { method: wanted, pattern, names, reply } of routes) {
    const match = wanted === method ? pattern.exec(pathname) : null;
    if (!match) continue;
    const values = match.slice(1).map((value) => decodeURIComponent(value));
    return { reply, params: Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])) };
  }
  return undefined;
}
