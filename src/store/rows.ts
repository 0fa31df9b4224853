import type { TaskKey } from '../task/key.js';

/** How a field of the code is kept in a column: the one place where camelCase meets snake_case. */
export type FieldKind = 'plain' | 'time' | 'bool' | 'json';

export type Fields = Record<string, FieldKind>;

type Row = Record<string, unknown>;

/** The record a row stands for. */
export function fromRow<T>(row: unknown, fields: Fields): T {
  const source = row as Row;
  const record: Row = {};
  for (const [name, kind] of Object.entries(fields)) record[name] = read(source[column(name)], kind);
  return record as T;
}

/** Column values for the fields that are present in the record. */
export function toColumns(record: object, fields: Fields): Row {
  const columns: Row = {};
  for (const [name, value] of Object.entries(record)) {
    const kind = fields[name];
    if (kind !== undefined && value !== undefined) columns[column(name)] = write(value, kind);
  }
  return columns;
}

/** `SET a = @a, b = @b` for the columns given. */
export function assignments(columns: Row): string {
  return Object.keys(columns)
    .map((name) => `${name} = @${name}`)
    .join(', ');
}

export function insertSql(table: string, columns: Row): string {
  const names = Object.keys(columns);
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`;
}

export const KEY_CONDITION =
  'task_source = @task_source AND owner = @owner AND repo = @repo AND task_type = @task_type AND task_id = @task_id';

export function keyColumns(key: TaskKey): Row {
  return { task_source: key.source, owner: key.owner, repo: key.repo, task_type: key.type, task_id: key.id };
}

export function keyFromRow(row: unknown): TaskKey {
  const r = row as Record<string, string>;
  return { source: r.task_source, owner: r.owner, repo: r.repo, type: r.task_type, id: r.task_id } as TaskKey;
}

/** ISO 8601, or SQLite's own `YYYY-MM-DD HH:MM:SS` (UTC), as milliseconds. */
export function parseTime(text: string): number {
  return Date.parse(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.test(text) ? `${text.replace(' ', 'T')}Z` : text);
}

function column(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function read(value: unknown, kind: FieldKind): unknown {
  if (value === null || value === undefined) return kind === 'bool' ? false : null;
  if (kind === 'time') return parseTime(value as string);
  if (kind === 'bool') return value === 1;
  if (kind === 'json') return JSON.parse(value as string);
  return value;
}

function write(value: unknown, kind: FieldKind): unknown {
  if (value === null) return null;
  if (kind === 'time') return new Date(value as number).toISOString();
  if (kind === 'bool') return value ? 1 : 0;
  if (kind === 'json') return JSON.stringify(value);
  return value;
}
