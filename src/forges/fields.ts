/** Reading answers that may be anything: a field that is not what it should be is undefined. */
export type Fields = Record<string, unknown>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** A moment as the forge writes it; what is no time would stand in the way of all that come after it. */
export function timeOf(value: unknown): string | undefined {
  const time = textOf(value);
  return time !== undefined && Number.isNaN(Date.parse(time)) ? undefined : time;
}

/** Ids are text everywhere: some do not fit a number. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return textOf(value) || undefined;
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Names of labels, whether the forge gives them as text or as objects. */
export function labelNames(value: unknown): string[] {
  return listOf(value).flatMap((label) => textOf(label) ?? textOf(fieldsOf(label).name) ?? []);
}

export function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

export function hasName(names: string[], name: string): boolean {
  return names.some((one) => sameName(one, name));
}

/** A deleted account is null on both forges; people know it as `ghost`. Undefined: not an account at all. */
export function loginOf(user: unknown, field: 'login' | 'username'): string | undefined {
  return user === null ? 'ghost' : textOf(fieldsOf(user)[field]) || undefined;
}
