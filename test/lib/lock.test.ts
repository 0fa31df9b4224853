import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../src/lib/exit.js';
import { takeRunLock } from '../../src/lib/lock.js';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'lock-'))));
afterEach(() => rmSync(dir, { recursive: true }));

const HOLDER = `
  import Database from 'better-sqlite3';
  const handle = new Database(process.argv[1], { timeout: 0 });
  handle.exec('BEGIN EXCLUSIVE');
  console.log('held');
  setInterval(() => handle.open, 1000);
`;

it('is held by one at a time, and free again after release', () => {
  const file = join(dir, 'data', 'run.lock');
  const first = takeRunLock(file);
  expect(first).not.toBeNull();
  expect(takeRunLock(file)).toBeNull();
  first?.release();
  const second = takeRunLock(file);
  expect(second).not.toBeNull();
  second?.release();
});

it('keeps the file and its folder private', () => {
  const file = join(dir, 'data', 'run.lock');
  takeRunLock(file)?.release();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir, 'data')).mode & 0o777).toBe(0o700);
});

it('is freed by the operating system when its holder is killed', async () => {
  const file = join(dir, 'run.lock');
  const holder = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  expect(takeRunLock(file)).toBeNull();

  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const lock = takeRunLock(file);
  expect(lock).not.toBeNull();
  lock?.release();
});

it('tells the operator what is wrong with the folder', () => {
  writeFileSync(join(dir, 'file'), '');
  const take = (): unknown => takeRunLock(join(dir, 'file', 'run.lock'));
  expect(take).toThrow(OperatorError);
  expect(take).toThrow(/cannot take the run lock .*run\.lock/);
});

it('tells the operator that the file is damaged', () => {
  const file = join(dir, 'run.lock');
  writeFileSync(file, 'this is no database, '.repeat(100));
  expect(() => takeRunLock(file)).toThrow(OperatorError);
});
