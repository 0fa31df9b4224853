import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SHOP } from './shop.js';

const run = promisify(execFile);

/** The little project that the demo works on. */
export interface Project {
  folder: string;
  /** What was changed since the beginning; null where there is no git on this machine. */
  diff(options: { color: boolean }): Promise<string | null>;
  /** Whether all of its tests pass. */
  isHealthy(): Promise<boolean>;
}

/** Writes the project with its failing tests, as a git repository where git is there. */
export async function createProject(folder: string): Promise<Project> {
  await mkdir(folder);
  for (const [name, text] of Object.entries(SHOP)) await writeFile(join(folder, name), text);
  const hasGit = await commitAll(folder);
  return {
    folder,
    diff: async ({ color }) => (hasGit ? git(folder, ['diff', color ? '--color' : '--no-color']) : null),
    isHealthy: () => testsPass(folder),
  };
}

async function commitAll(folder: string): Promise<boolean> {
  try {
    await git(folder, ['init', '--quiet']);
    await git(folder, ['add', '--all']);
    await git(folder, ['commit', '--quiet', '--message', 'A shop, with two mistakes in it']);
    return true;
  } catch {
    return false; // the demo is as good without; only the diff is missing
  }
}

/** The settings of the person who runs the demo (signing, hooks, pagers) are none of its business. */
async function git(folder: string, args: string[]): Promise<string> {
  const settings = [
    'user.name=Demo',
    'user.email=demo@example.invalid',
    'commit.gpgsign=false',
    'core.hooksPath=/dev/null',
  ];
  const { stdout } = await run('git', ['-C', folder, ...settings.flatMap((setting) => ['-c', setting]), ...args]);
  return stdout;
}

async function testsPass(folder: string): Promise<boolean> {
  const tests = Object.keys(SHOP).filter((name) => name.endsWith('.test.js'));
  return run(process.execPath, ['--test', ...tests], { cwd: folder }).then(
    () => true,
    () => false,
  );
}
