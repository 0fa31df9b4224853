import { matchesGlob, mayCall } from '../../src/tools/permissions.js';

describe('globs', () => {
  it.each([
    ['*', 'anything', true],
    ['read_*', 'read_file', true],
    ['read_*', 'spread_file', false],
    ['get?', 'gets', true],
    ['get?', 'get', false],
    ['a.b', 'a.b', true],
    ['a.b', 'axb', false],
    ['[ab]', 'a', false],
    ['*/write', 'fs/write', true],
  ])('%s and %s: %s', (glob, text, matches) => {
    expect(matchesGlob(glob, text)).toBe(matches);
  });
});

describe('what may be called', () => {
  it('is allowed by one list and not denied by the other', () => {
    const server = { name: 'fs', allowedTools: ['read_*', 'fs/write'], deniedTools: ['*_secret'] };
    const tools = ['read_file', 'read_secret', 'write', 'delete'];
    expect(tools.filter((tool) => mayCall(server, tool))).toEqual(['read_file', 'write']);
  });
});
