import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemPrompt } from '../../src/agent/system-prompt.js';
import { estimateTokens } from '../../src/lib/tokens.js';
import type { Tools } from '../../src/ports.js';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'prompt-'))));
afterEach(() => rmSync(dir, { recursive: true }));

function promptFor(parameters: Record<string, unknown>): string {
  const file = join(dir, 'prompt.txt');
  writeFileSync(file, '{mcp_prompt}');
  const list = () => [{ name: 'odd/tool', description: 'Does it.', parameters }];
  return systemPrompt(file, { list, prompts: () => [] } as unknown as Tools, { language: 'en', native: false });
}

describe('the tool list of the JSON protocol', () => {
  test('names the parameters, their types, and which may be left out', () => {
    const properties = { path: { type: 'string' }, mode: { type: ['string', 'null'] } };
    expect(promptFor({ properties, required: ['path'] })).toBe('Tools:\n- odd/tool(path: string, mode?): Does it.');
  });

  test.each([
    ['required that is no list', { properties: { a: { type: 'string' } }, required: true }, 'a?: string'],
    ['a property that is null', { properties: { a: null } }, 'a?'],
    ['a property that is a boolean', { properties: { a: true }, required: ['a'] }, 'a'],
    ['properties that are no object', { properties: 'none' }, ''],
    ['nothing at all', {}, ''],
  ])('survives a schema with %s', (_, schema, parameters) => {
    expect(promptFor(schema)).toBe(`Tools:\n- odd/tool(${parameters}): Does it.`);
  });
});

test('the prompt that comes with the program has a place for tools and language, and under 700 tokens', () => {
  const template = readFileSync('system_prompt.txt', 'utf8');
  expect(template).toMatch(/\{language\}[^]*\{mcp_prompt\}/);
  expect(estimateTokens(template)).toBeLessThan(700);
});
