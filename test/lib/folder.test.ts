import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolder } from '../../src/lib/folder.js';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'folder-'))));
afterEach(() => rmSync(dir, { recursive: true }));

it('is created with those above it, for this user alone, and tells the topmost that was missing', () => {
  expect(createFolder(join(dir, 'a', 'b'))).toBe(join(dir, 'a'));
  expect(createFolder(join(dir, 'a', 'b'))).toBeUndefined();
  for (const path of ['a', 'a/b']) expect(statSync(join(dir, path)).mode & 0o777).toBe(0o700);
});

it('says why there can be none: where a file stands', () => {
  writeFileSync(join(dir, 'file'), '');
  for (const path of ['file', 'file/a', 'file/a/b'])
    expect(() => createFolder(join(dir, path))).toThrow(/EEXIST|ENOTDIR/);
});

it('says why there can be none, and does not try for ever, where the kernel keeps the folders', () => {
  expect(() => createFolder('/proc/self/nothing/here')).toThrow(/mkdir/);
});
