const SOMEBODY = '(a user)';
const SHORTEST_PLAIN_NAME = 3;

/** The text without names of people: `@name`, addresses, and the names given where they stand as words of their own. */
export function withoutNames(text: string, names: string[]): string {
  const plain = names.filter((name) => name.length >= SHORTEST_PLAIN_NAME).map(escape);
  const masked = text
    .replace(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, SOMEBODY)
    // Not `@scope/package`, not `@decorator(…)`.
    .replace(/(?<![\w@/.`-])@[A-Za-z0-9][\w.-]*(?<![.-])(?![\w/(])/g, SOMEBODY);
  if (plain.length === 0) return masked;
  return masked.replace(new RegExp(`(?<![\\w/.@-])(?:${plain.join('|')})(?![\\w/-]|\\.\\w)`, 'gi'), SOMEBODY);
}

function escape(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
