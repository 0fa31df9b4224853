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

/** Both threads as a person sees them, the Japanese one included. */
function expectTheStory(stdout: string): void {
  const [work, rest] = ['coding agent → coding agent processing → awaiting-response', 'coding agent done'];
  expect(stdout).toContain(`labels: ${work} → coding agent processing → awaiting-response → ${rest}\n`);
  expect(stdout).toContain(`labels: ${work} → ${rest}\n`);
  expect(stdout).toContain('Context of an earlier attempt was taken over');
  expect(stdout).toContain('## 実行完了');
  expect(stdout).not.toContain('<!--');
}

function inSentences(text: string): string {
  return text.replace(/\s+/g, ' ');
}

describe('agent demo', () => {
  it('plays the whole story: label, work, answer, follow-up, thanks, done', () => {
    const { status, stdout, stderr } = demo([]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('The model is canned');
    expect(stdout).toMatch(/status +node \S+\/bin\/agent\.js status --config \S+\n/);
    expectTheStory(stdout);
    expect(stdout).toContain('+  return price - (price * percent) / 100;');
    const named = [...stdout.matchAll(/^ {2}(?:project|configuration|database|log) +(\S+)$/gm)].map(
      (match) => match[1]!,
    );
    expect(named).toHaveLength(4);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  }, 90_000);

  it('plays it in planning mode, without git, and asks no proxy for what is on this machine', () => {
    const { status, stdout, stderr } = demo(['--planning'], { PATH: '', HTTP_PROXY: 'http://127.0.0.1:9' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expectTheStory(stdout);
    expect(stdout).toContain('## 📋 Execution Plan');
    expect(stdout).toContain('There is no git here');
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
