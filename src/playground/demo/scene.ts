import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { packageRoot } from '../../lib/package.js';
import type { Clock } from '../../ports.js';
import { startCannedModel } from '../model.js';
import { startPlayground, type Playground } from '../start.js';
import { canned } from './canned.js';
import { createProject, type Project } from './project.js';
import { BOT, THREADS, type Thread } from './story.js';

/** A real model for the demo, at its provider's usual address. */
export interface RealModel {
  provider: 'openai' | 'ollama' | 'lmstudio';
  model: string;
}

/** An issue of the story, opened on its forge. */
export interface OpenedThread extends Thread {
  number: number;
}

/** Everything the demo plays with: forges and model on loopback, a project, a configuration that knows them. */
export interface Scene {
  folder: string;
  configFile: string;
  project: Project;
  playground: Playground;
  threads: OpenedThread[];
  close(): Promise<void>;
}

const REQUEST_LABEL = 'coding agent';
const TOKENS = { github: 'demo-token-for-github', gitlab: 'demo-token-for-gitlab' };

export async function setScene(options: { planning: boolean; llm: RealModel | null; clock: Clock }): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-demo-'));
  const project = await createProject(join(folder, 'shop'));
  const playground = await startPlayground({ now: () => options.clock.now() });
  const model = await startCannedModel({ script: canned });
  const data = join(folder, 'data');
  const configFile = join(data, 'config.yaml');
  await mkdir(data, { mode: 0o700 });
  const llm = options.llm ? realModel(options.llm) : cannedModel(model.urls.openai);
  const config = configuration({ playground, llm, project: project.folder, planning: options.planning });
  await writeFile(configFile, dump(config), { mode: 0o600 });
  return {
    ...{ folder, configFile, project, playground },
    threads: THREADS.map((thread) => open(playground, thread)),
    close: async () => void (await Promise.all([playground.close(), model.close()])),
  };
}

function open(playground: Playground, thread: Thread): OpenedThread {
  const { source, repository, person, title, body } = thread;
  const world = playground.world[source];
  world.addRepository(repository);
  world.addToken(TOKENS[source], BOT);
  world.setAccess(repository, BOT, 'write');
  world.setAccess(repository, person, 'write');
  return { ...thread, number: world.addIssue(repository, { title, body, author: person }) };
}

/** The person asks for work. */
export function putLabelOn({ world }: Playground, { source, repository, number, person }: OpenedThread): string {
  world[source].label(repository, number, REQUEST_LABEL, person);
  return REQUEST_LABEL;
}

function configuration(parts: { playground: Playground; llm: object; project: string; planning: boolean }): object {
  const { github, gitlab } = parts.playground;
  const pathOn = (source: Thread['source']): string[] =>
    THREADS.filter((thread) => thread.source === source).map((thread) => thread.repository);
  return {
    task_source: ['github', 'gitlab'],
    github: { api_url: github.apiUrl, token: TOKENS.github, username: BOT, repositories: pathOn('github') },
    gitlab: { api_url: gitlab.apiUrl, token: TOKENS.gitlab, username: BOT, projects: pathOn('gitlab') },
    llm: parts.llm,
    mcp_servers: [
      {
        mcp_server_name: 'files',
        command: [process.execPath, join(packageRoot(), 'dist', 'file-server.js'), parts.project],
        system_prompt: 'The project is the folder that the files tools see; paths are relative to it.',
      },
    ],
    planning: { enabled: parts.planning },
  };
}

function cannedModel(url: string): object {
  return { provider: 'openai', openai: { base_url: url, api_key: 'no-key-is-needed', model: 'canned' } };
}

function realModel({ provider, model }: RealModel): object {
  const key = provider === 'openai' ? { api_key: '${OPENAI_API_KEY}' } : {};
  return { provider, [provider]: { model, ...key } };
}
