import { isDiskTrouble } from '../../src/lib/disk.js';

test.each([
  ['ENOSPC', true],
  ['EROFS', true],
  ['SQLITE_FULL', true],
  ['SQLITE_IOERR_WRITE', true],
  ['SQLITE_BUSY', true], // a backup that holds the database: no task fails for that
  ['SQLITE_BUSY_SNAPSHOT', true],
  ['SQLITE_CONSTRAINT_UNIQUE', false],
  ['ENOENT', false],
  [undefined, false],
])('%s is trouble with the disk, not with the work: %s', (code, is) => {
  expect(isDiskTrouble(Object.assign(new Error('x'), { code }))).toBe(is);
});
