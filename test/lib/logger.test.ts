import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { systemClock } from '../../src/lib/clock.js';
import { createLog } from '../../src/lib/logger.js';
import type { LogOptions, RunLog } from '../../src/lib/logger.js';
import { createRedactor } from '../../src/lib/redact.js';
import type { LogLevel } from '../../src/ports.js';

let dir: string;
let warnings: string[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'log-'));
  warnings = [];
});
afterEach(() => rmSync(dir, { recursive: true }));

function openLog(level: LogLevel = 'info', options: Partial<LogOptions> = {}, folder = join(dir, 'logs')): RunLog {
  const redact = createRedactor(['top-secret-value'], []);
  const warn = (message: string): number => warnings.push(message);
  return createLog({ dir: folder, level, keepDays: 14 }, { clock: systemClock, redact, warn, ...options });
}

function logged(): string {
  const name = readdirSync(join(dir, 'logs')).find((file) => file.endsWith('.log'));
  return name ? readFileSync(join(dir, 'logs', name), 'utf8') : '';
}

it('writes one line per message: time with zone, level, task, attempt, message, fields', async () => {
  const log = openLog('info', { fields: { task: 'owner/repo#12' } }).child({ attempt: '1a2b3c4d' });
  log.write('info', 'Task started', { turns: 3, labels: ['a'] });
  await log.close();
  expect(logged()).toMatch(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d INFO +owner\/repo#12 1a2b3c4d Task started \{"turns":3,"labels":\["a"\]\}\n$/,
  );
});

it('loses no line, however soon it is closed and however many there are', async () => {
  const log = openLog();
  for (let n = 1; n <= 2000; n++) log.write('info', `line ${n}`);
  await log.close();
  const lines = logged().trimEnd().split('\n');
  expect(lines).toHaveLength(2000);
  expect(lines.at(-1)).toMatch(/line 2000$/);
});

it('leaves out what is less important than its level, and then touches no file', async () => {
  const log = openLog('warning');
  log.write('info', 'not this');
  await log.close();
  expect(readdirSync(dir)).toEqual([]);
});

it('lets nobody forge a line or send a control character', async () => {
  const log = openLog();
  log.write('info', 'first\n2026-01-01 ERROR forged\u001b[2J\u2028', { body: 'a\r\nb\u0085' });
  await log.close();
  expect(logged().trimEnd().split('\n')).toHaveLength(1);
  expect(logged()).toContain('first\\n2026-01-01 ERROR forged\\u001b[2J\\u2028');
  expect(logged()).toContain('{"body":"a\\r\\nb\\u0085"}');
});

it('masks secrets in messages and fields', async () => {
  const log = openLog();
  log.write('error', 'refused top-secret-value', { error: new Error('bad top-secret-value') });
  await log.close();
  expect(logged()).not.toContain('top-secret');
  expect(logged()).toContain('"message":"bad ***"');
});

it('takes any field without throwing', async () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const log = openLog();
  log.write('info', 'odd', { circle });
  log.write('info', 'big', { big: 12n });
  await log.close();
  expect(logged()).toContain('"unprintable"');
  expect(logged()).toContain('{"big":"12"}');
});

it('keeps its files private', async () => {
  const log = openLog();
  log.write('info', 'hello');
  await log.close();
  const [name] = readdirSync(join(dir, 'logs')).filter((file) => file.endsWith('.log'));
  expect(statSync(join(dir, 'logs')).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, 'logs', name ?? '')).mode & 0o777).toBe(0o600);
});

it('compresses the files of earlier days and deletes the expired ones', async () => {
  const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  writeFileSync(join(dir, `agent-${day(3)}.log`), 'three days ago');
  writeFileSync(join(dir, `agent-${day(40)}.log.gz`), '');
  writeFileSync(join(dir, 'agent-notes.log'), 'not ours');
  const log = openLog('info', {}, dir);
  log.write('info', 'hello');
  await log.close();
  expect(gunzipSync(readFileSync(join(dir, `agent-${day(3)}.log.gz`))).toString()).toBe('three days ago');
  const names = readdirSync(dir);
  expect(names).not.toContain(`agent-${day(3)}.log`);
  expect(names).not.toContain(`agent-${day(40)}.log.gz`);
  expect(names).toContain('agent-notes.log');
});

it('warns once and goes on where the folder cannot be written', async () => {
  writeFileSync(join(dir, 'logs'), 'a file in the way');
  const log = openLog();
  log.write('info', 'one');
  log.write('info', 'two');
  await log.close();
  log.write('info', 'three');
  expect(warnings).toEqual([expect.stringMatching(/cannot be written.*going on without it/)]);
});
