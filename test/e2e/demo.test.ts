import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const AGENT = join(process.cwd(), 'bin/agent.js');
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'demo-test-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

function demo(
  args: string[],
  env: Record<string, string> = {},
): { status: number | null; stdout: string; stderr: string } {
  const surroundings = { PATH: process.env['PATH'] ?? '', HOME: dir, TMPDIR: dir, ...env };
  return spawnSync(process.execPath, [AGENT, 'demo', ...args], { cwd: dir, env: surroundings, encoding: 'utf8' });
}

function inSentences(text: string): string {
  return text.replace(/\s+/g, ' ');
}

describe('agent demo', () => {
  it.each([
    ['in normal mode', []],
    ['in planning mode', ['--planning']],
  ])(
    'plays the whole story %s: label, work, answer, follow-up, thanks, done',
    (_mode, args) => {
      const { status, stdout, stderr } = demo(args);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toContain('The model is canned');
      expect(stdout).toContain(
        'labels: coding agent → coding agent processing → awaiting-response → coding agent processing → awaiting-response → coding agent done',
      );
      expect(stdout).toContain(
        'labels: coding agent → coding agent processing → awaiting-response → coding agent done',
      );
      expect(stdout).toContain('Context of an earlier attempt was taken over');
      expect(stdout).toContain('## 実行完了');
      expect(stdout).toContain('+  return price - (price * percent) / 100;');
      expect(stdout).not.toContain('<!--');
      expect(stdout.includes('## 📋 Execution Plan')).toBe(args.length > 0);
    },
    90_000,
  );

  it('points to files that are there, asks no proxy for what is on this machine, and needs no git', () => {
    const { status, stdout } = demo([], { HTTP_PROXY: 'http://127.0.0.1:9', PATH: '' });
    expect(status).toBe(0);
    expect(stdout).toContain('There is no git here');
    const named = [...stdout.matchAll(/^ {2}(?:project|configuration|database|log) +(\S+)$/gm)].map(
      (match) => match[1]!,
    );
    expect(named).toHaveLength(4);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  }, 90_000);

  it('says how a real model is named, before it starts anything', () => {
    const { status, stderr } = demo(['--llm', 'ollama']);
    expect(status).toBe(2);
    expect(inSentences(stderr)).toContain('agent demo --llm ollama --model <name>');
    expect(demo(['--model', 'qwen3']).status).toBe(2);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('says that it did not end well when there is no key for the model', () => {
    const { status, stderr } = demo(['--llm', 'openai', '--model', 'none', '--quiet']);
    expect(status).toBe(1);
    expect(stderr).toContain('octo/shop#1 is not done.');
    expect(stderr).toContain('tests still fail');
  }, 60_000);
});
