import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import Database from 'better-sqlite3';
import { dump } from 'js-yaml';
import type * as Cli from '../../src/cli.js';
import { systemClock } from '../../src/lib/clock.js';
import { startCannedModel, type CannedModel, type CannedModelOptions } from '../../src/playground/model.js';
import { startPlayground } from '../../src/playground/start.js';

type Playground = Awaited<ReturnType<typeof startPlayground>>;
export type ForgeName = 'github' | 'gitlab';

export const REPO = 'octo/hello';
export const LABEL = 'coding agent';
export const TOKEN = 'token-of-the-bot-0123456789';

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface StageOptions extends CannedModelOptions {
  forge?: ForgeName;
  provider?: 'openai' | 'lmstudio' | 'ollama';
  /** Merged over the configuration (one level deep). */
  config?: Record<string, unknown>;
}

/** The whole world of one test: playground, canned model, data folder, and the real command line. */
export class Stage {
  private readonly children = new Set<ChildProcess>();

  constructor(
    readonly dir: string,
    readonly forge: ForgeName,
    readonly playground: Playground,
    readonly model: CannedModel,
    private config: Record<string, unknown>,
  ) {
    this.configure({});
  }

  get world(): Playground['world']['github'] {
    return this.playground.world[this.forge];
  }

  get dataDir(): string {
    return join(this.dir, 'contexts');
  }

  /** Lines that the notes server was made to write: each call that took effect. */
  get notes(): string[] {
    const file = join(this.dir, 'notes.txt');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  }

  configure(change: Record<string, unknown>): void {
    this.config = merged(this.config, change);
    writeFileSync(join(this.dir, 'config.yaml'), dump(this.config), { mode: 0o600 });
  }

  /** The configuration as it is now. */
  settings(): Record<string, unknown> {
    return { ...this.config };
  }

  /** An issue by `alice`, who may write, labelled by her. */
  issue({ title = 'Fix the greeting', body = 'It says hullo.', labelled = true } = {}): number {
    const n = this.world.addIssue(REPO, { title, body, author: 'alice' });
    if (labelled) this.world.label(REPO, n, LABEL, 'alice');
    return n;
  }

  /** `program`: something else than the agent, in the same surroundings. */
  start(args: string[], { env = {}, program }: { env?: Record<string, string>; program?: string } = {}): ChildProcess {
    const command = program ? args : [join(process.cwd(), 'bin/agent.js'), ...args];
    const child = spawn(program ?? process.execPath, command, {
      cwd: this.dir,
      env: { ...this.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.children.add(child);
    child.once('exit', () => this.children.delete(child));
    return child;
  }

  /** The built command line in this process: the same door with its own argv, environment, folder and streams. */
  async agent(...args: string[]): Promise<Finished> {
    const { main } = await commandLine();
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const code = await main(args, {
      env: this.env,
      cwd: this.dir,
      stdin: new PassThrough(),
      stdout,
      stderr,
      clock: systemClock,
      isTTY: false,
      color: false,
      signal: new AbortController().signal,
    });
    return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
  }

  private get env(): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.dir,
      BOT_TOKEN: TOKEN,
      OPENAI_API_KEY: 'key-0123456789',
      TZ: 'UTC',
    };
  }

  /** One tick, as cron runs it. */
  async tick(): Promise<Finished> {
    return this.agent('run');
  }

  /** What was said to cron becomes more than an hour old. */
  ageComplaints(): void {
    const file = join(this.dataDir, 'said.json');
    const said = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>);
    writeFileSync(file, JSON.stringify(Object.fromEntries(said.map(([line, at]) => [line, at - 3_600_001]))));
  }

  query<T>(sql: string, ...values: unknown[]): T[] {
    const db = new Database(join(this.dataDir, 'tasks.db'));
    try {
      const statement = db.prepare(sql);
      return (statement.reader ? statement.all(...values) : (statement.run(...values), [])) as T[];
    } finally {
      db.close();
    }
  }

  lines<T>(uuid: string, file: string): T[] {
    return readFileSync(join(this.dataDir, uuid, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as T);
  }

  text(uuid: string, file: string): string {
    return readFileSync(join(this.dataDir, uuid, file), 'utf8');
  }

  json(uuid: string, file: string): unknown {
    return JSON.parse(this.text(uuid, file));
  }

  log(): string {
    const found = this.query<{ x: number }>('SELECT 1 AS x') && existsSync(join(this.dir, 'logs'));
    if (!found) return '';
    const day = new Date().toISOString().slice(0, 10);
    const file = join(this.dir, 'logs', `agent-${day}.log`);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  comments(n: number | string): { author: string; body: string; id: string }[] {
    return this.world.comments(REPO, n as number).map(({ author, body, id }) => ({ author, body, id: String(id) }));
  }

  /** What our comments in a thread are, in their order, by their markers. */
  kinds(n: number | string): string[] {
    return this.comments(n).flatMap(
      ({ body }) => /<!-- agent:v1 attempt=\S+ kind=(\w+) n=\d+ -->$/.exec(body)?.[1] ?? [],
    );
  }

  /** The sets of labels the item has had, one after the other. */
  labelsOverTime(n: number | string): string[][] {
    return this.world.labelHistory(REPO, n as number).map(({ labels }) => labels);
  }

  /** The row of the newest attempt. */
  attempt(): Record<string, unknown> & { uuid: string; status: string } {
    return this.query<Record<string, unknown> & { uuid: string; status: string }>(
      'SELECT * FROM tasks ORDER BY rowid DESC LIMIT 1',
    )[0]!;
  }

  conversation(): Record<string, unknown> {
    return this.query<Record<string, unknown>>('SELECT * FROM conversations ORDER BY id DESC LIMIT 1')[0]!;
  }

  /** What the model was shown in its n-th request, as one text. */
  shown(request: number): string {
    return (this.model.requests[request]?.messages ?? []).map(({ role, content }) => `[${role}] ${content}`).join('\n');
  }

  labels(n: number | string): string[] {
    return this.world.labels(REPO, n as number);
  }

  /** Keeps what lasts, the folder and the forge, and returns what puts both back as they are now. */
  keep(): () => void {
    const copy = `${this.dir}.kept`;
    const { now, ...lasting } = this.world.state;
    const state = structuredClone(lasting);
    cpSync(this.dir, copy, { recursive: true });
    return () => {
      rmSync(this.dir, { recursive: true });
      cpSync(copy, this.dir, { recursive: true });
      Object.assign(this.world.state, structuredClone(state), { now });
    };
  }

  async close(): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL');
    await Promise.all([this.playground.close(), this.model.close()]);
    for (const dir of [this.dir, `${this.dir}.kept`]) rmSync(dir, { recursive: true, force: true });
  }
}

let loading: Promise<typeof Cli> | null = null;

/** jest cannot load modules that are asked for at the same time, as our lazy ones are: one after the other, before they are used. */
async function commandLine(): Promise<typeof Cli> {
  return (loading ??= loadAll());
}

async function loadAll(): Promise<typeof Cli> {
  const dist = join(process.cwd(), 'dist');
  for (const file of readdirSync(dist)) {
    if (file.endsWith('.js') && file !== 'file-server.js') await import(join(dist, file));
  }
  return (await import(join(dist, 'cli.js'))) as typeof Cli;
}

export async function setStage({
  forge = 'github',
  provider = 'openai',
  config = {},
  ...model
}: StageOptions): Promise<Stage> {
  const dir = mkdtempSync(join(tmpdir(), 'agent-stage-'));
  const [playground, canned] = await Promise.all([startPlayground({}), startCannedModel(model)]);
  const world = playground.world[forge];
  world.addRepository(REPO);
  world.addToken(TOKEN, 'agent-bot', { scopes: forge === 'github' ? ['repo'] : ['api'] });
  world.setAccess(REPO, 'agent-bot', 'write');
  world.setAccess(REPO, 'alice', 'write');
  return new Stage(dir, forge, playground, canned, merged(configFor(dir, forge, provider, playground, canned), config));
}

/** The command of the server whose notes are counted. */
export function notesServer(file: string): string[] {
  return ['sh', join(process.cwd(), 'test/e2e/servers/notes.sh'), file];
}

export async function finished(child: ChildProcess): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

function configFor(
  dir: string,
  forge: ForgeName,
  provider: string,
  playground: Playground,
  model: CannedModel,
): Record<string, unknown> {
  const url =
    provider === 'ollama'
      ? { endpoint: model.urls.ollama }
      : { base_url: provider === 'openai' ? model.urls.openai : model.urls.lmstudio };
  return {
    task_source: forge,
    [forge]: {
      api_url: playground[forge].apiUrl,
      token: '${BOT_TOKEN}',
      ...(forge === 'github' ? { repositories: [REPO] } : { projects: [REPO] }),
    },
    llm: { provider, [provider]: { ...url, model: 'canned' } },
    mcp_servers: [
      {
        mcp_server_name: 'notes',
        command: notesServer(join(dir, 'notes.txt')),
      },
    ],
    logging: { level: 'debug' },
  };
}

function merged(base: Record<string, unknown>, change: Record<string, unknown>): Record<string, unknown> {
  const result = { ...base };
  for (const [key, value] of Object.entries(change)) {
    const old = result[key];
    const both = isRecord(old) && isRecord(value);
    result[key] = both ? { ...old, ...value } : value;
  }
  return result;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
