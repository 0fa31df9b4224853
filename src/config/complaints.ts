import { configSchema } from './schema.js';
import type { SchemaNode } from './schema-node.js';
import type { SchemaError } from './validator.generated.js';
import { looksSecret, readablePath } from './variables.js';

/** Says in words what the validator found: path, rule, and the nearest known key for an unknown one. */
export function describeSchemaErrors(errors: SchemaError[], value: unknown, unusable: ReadonlySet<string>): string[] {
  const lines = errors
    .filter((error) => !unusable.has(error.instancePath) && !holdsVariable(error, value))
    .map((error) => describe(error, value));
  return [...new Set(lines)];
}

/** A variable of a section that is not in use stays as it is, and fits no pattern. */
function holdsVariable(error: SchemaError, value: unknown): boolean {
  const found = valueAt(value, error.instancePath);
  return error.keyword === 'pattern' && typeof found === 'string' && found.includes('${');
}

function describe(error: SchemaError, value: unknown): string {
  const parts = partsOf(error.instancePath);
  const node = nodeAt(parts);
  if (error.keyword === 'additionalProperties') return unknownKey(error, node);
  if (error.keyword === 'required') return `${pathOf(error, String(error.params['missingProperty']))}: is missing`;
  const owner = node?.hint ? { node, path: error.instancePath } : hintAbove(parts);
  const path = owner?.path ?? error.instancePath;
  const rule = owner?.node.hint ?? ruleOf(error);
  const found = partsOf(path).some(looksSecret) ? '' : ` (it is ${shown(valueAt(value, path))})`;
  return `${readablePath(path) || 'the file'}: ${rule}${found}`;
}

function unknownKey(error: SchemaError, node: SchemaNode | undefined): string {
  const key = String(error.params['additionalProperty']);
  const nearest = nearestKey(key, Object.keys(node?.properties ?? {}));
  const elsewhere = nearest ? null : placeOf(key);
  const hint = nearest ? `; did you mean ${nearest}?` : elsewhere ? `; it belongs to ${elsewhere}` : '';
  return `${pathOf(error, key)}: unknown key${hint}`;
}

function pathOf(error: SchemaError, key: string): string {
  return readablePath(`${error.instancePath}/${key}`);
}

/** The members of an `anyOf` complain one by one; the node above them knows what is asked for. */
function hintAbove(parts: string[]): { node: SchemaNode; path: string } | null {
  const above = parts.slice(0, -1);
  const node = nodeAt(above);
  return node?.hint && node.anyOf ? { node, path: above.map((part) => `/${part}`).join('') } : null;
}

function ruleOf({ keyword, params, message }: SchemaError): string {
  if (keyword === 'enum') return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`;
  if (keyword === 'type') return `must be ${[params['type']].flat().join(' or ')}`;
  return message ?? `breaks the rule ${keyword}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? 'nothing' : text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function partsOf(path: string): string[] {
  return path.split('/').slice(1);
}

function valueAt(value: unknown, path: string): unknown {
  return partsOf(path).reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], value);
}

function nodeAt(parts: string[]): SchemaNode | undefined {
  return parts.reduce<SchemaNode | undefined>((node, part) => node?.properties?.[part] ?? node?.items, configSchema);
}

function nearestKey(key: string, known: string[]): string | null {
  const ranked = known.map((name) => ({ name, distance: editDistance(key.toLowerCase(), name) }));
  const best = ranked.sort((a, b) => a.distance - b.distance)[0];
  return best && best.distance <= Math.max(2, Math.floor(key.length / 3)) ? best.name : null;
}

/** Where a key that is known elsewhere belongs: `level` to `logging`. */
function placeOf(key: string): string | null {
  const owner = Object.entries(configSchema.properties).find(([, node]) => node.properties && key in node.properties);
  return owner ? `${owner[0]}.${key}` : null;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const change = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
