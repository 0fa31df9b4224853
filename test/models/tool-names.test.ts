import { toolNames } from '../../src/models/tool-names.js';

const tool = (name: string) => ({ name, description: '', parameters: {} });
const FUNCTION_NAME = /^[A-Za-z0-9_-]{1,64}$/;

describe('the names of native tools', () => {
  test('a slash becomes two underscores, and comes back', () => {
    const names = toolNames([tool('fs/read_file')]);
    expect(names.toWire('fs/read_file')).toBe('fs__read_file');
    expect(names.fromWire('fs__read_file')).toBe('fs/read_file');
  });

  test.each(['ファイル/読む', 'my server/do.it!', 's/a/b'])(
    '%s becomes a valid function name and comes back',
    (name) => {
      const names = toolNames([tool(name)]);
      expect(names.toWire(name)).toMatch(FUNCTION_NAME);
      expect(names.fromWire(names.toWire(name))).toBe(name);
    },
  );

  test('names over 64 characters are cut and told apart by a hash', () => {
    const [a, b] = [`server/${'x'.repeat(80)}a`, `server/${'x'.repeat(80)}b`];
    const names = toolNames([tool(a), tool(b)]);
    expect(names.toWire(a)).toHaveLength(64);
    expect(names.toWire(a)).not.toBe(names.toWire(b));
    expect(names.fromWire(names.toWire(b))).toBe(b);
  });

  test('names that collide get a hash each, whatever their order', () => {
    const tools = [tool('fs/read.file'), tool('fs/read_file')];
    const names = toolNames(tools);
    const reversed = toolNames([...tools].reverse());
    expect(new Set(tools.map(({ name }) => names.toWire(name))).size).toBe(2);
    for (const { name } of tools) {
      expect(names.toWire(name)).toBe(reversed.toWire(name));
      expect(names.fromWire(names.toWire(name))).toBe(name);
    }
  });

  test('a server with two underscores in its name is not confused with its tool', () => {
    const names = toolNames([tool('my__server/read')]);
    expect(names.fromWire(names.toWire('my__server/read'))).toBe('my__server/read');
  });

  test('a name that was never offered is shown in our spelling', () => {
    expect(toolNames([]).fromWire('fs__invented')).toBe('fs/invented');
    expect(toolNames([]).fromWire('done')).toBe('done');
  });
});
