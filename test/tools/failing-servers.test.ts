import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpServerConfig } from '../../src/config/config.js';
import type { Tools } from '../../src/ports.js';
import { openTools, type ToolShed } from '../../src/tools/mcp.js';
import { ToolsError } from '../../src/tools/tools-error.js';
import { isRunning, never, rig, serverConfig, unruly, until, type Rig } from './rig.js';

let shed: ToolShed | undefined;
let folder: string;
beforeEach(async () => {
  shed = undefined;
  folder = await mkdtemp(join(tmpdir(), 'tools-'));
});
afterEach(async () => {
  await shed?.close();
  await rm(folder, { recursive: true });
});

async function open(servers: McpServerConfig[], deps: Rig = rig()): Promise<Tools> {
  shed = await openTools(servers, deps);
  return shed.forTask(folder);
}

async function outputOf(tools: Tools, tool: string): Promise<string> {
  const outcome = await tools.call(tool, {}, never);
  return outcome.ok ? outcome.output : outcome.error;
}

describe('a server that does not start', () => {
  it('is tried twice, then named with its last words, and no other server is left running', async () => {
    const deps = rig();
    const failure = await openTools([unruly(), unruly(['crash'], { name: 'broken' })], deps).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ToolsError);
    expect(failure).toMatchObject({
      server: 'broken',
      reason: 'it left with exit code 7; its last words: cannot find my configuration',
    });
    expect(deps.recorded.map((server) => server.name).sort()).toEqual(['broken', 'broken', 'unruly']);
    expect(deps.recorded.filter((server) => isRunning(server.pid))).toEqual([]);
    expect(deps.registry.list()).toEqual([]);
  });

  it('may succeed at the second try', async () => {
    const tools = await open([unruly([`crash-once=${join(folder, 'tried')}`])]);
    expect(await tools.call('unruly/echo', { text: 'hi' }, never)).toEqual({ ok: true, output: 'hi' });
  });

  it('is not blamed for a full disk: whoever cannot record it says so, and it is ended', async () => {
    const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    const deps = rig();
    const pids: number[] = [];
    deps.registry.record = ({ pid }) => {
      pids.push(pid);
      throw full;
    };
    await expect(openTools([unruly()], deps)).rejects.toBe(full);
    expect([pids.length, pids.filter(isRunning)]).toEqual([1, []]);
  });

  it('is told from a program that does not exist', async () => {
    const failure = openTools([serverConfig({ name: 'absent', command: ['no-such-program-here'] })], rig());
    await expect(failure).rejects.toThrow(/"absent" did not start.*Is "no-such-program-here" installed/);
  });

  it.each([
    ['never answers', ['hang'], 'no answer within 0.3 s'],
    ['has no list of tools', ['shapeless-list'], 'no list of tools'],
  ])('because it %s, is ended', async (_, manners, reason) => {
    const deps = rig({ startLimitMs: 300 });
    await expect(openTools([unruly(manners)], deps)).rejects.toThrow(reason);
    expect(deps.recorded.filter((server) => isRunning(server.pid))).toEqual([]);
  });

  it('takes only its own task down, not the servers of all', async () => {
    const deps = rig();
    shed = await openTools([unruly(), unruly(['crash', '{workspace}'], { name: 'broken' })], deps);
    await expect(shed.forTask(folder)).rejects.toThrow(ToolsError);
    expect(deps.registry.list().map((server) => server.name)).toEqual(['unruly']);
  });

  it('is given up at once when the process is told to stop', async () => {
    const stop = new AbortController();
    const deps = rig({ signal: stop.signal });
    const opening = openTools([unruly(['hang'])], deps);
    stop.abort(new Error('SIGTERM'));
    await expect(opening).rejects.toThrow('SIGTERM');
    expect(deps.registry.list()).toEqual([]);
  });
});

describe('a server that dies', () => {
  it('costs the call and is there again for the next one', async () => {
    const tools = await open([unruly()]);
    const before = await outputOf(tools, 'unruly/pid');
    expect(await outputOf(tools, 'unruly/crash')).toMatch(
      /died during this call: it left with exit code 3; its last words: the last straw.*being restarted/,
    );
    const after = await outputOf(tools, 'unruly/pid');
    expect(Number(after)).toBeGreaterThan(0);
    expect(after).not.toBe(before);
  });

  it('between two calls costs none', async () => {
    const deps = rig();
    const tools = await open([unruly()], deps);
    expect(await outputOf(tools, 'unruly/answer_and_leave')).toBe('farewell');
    await until(() => deps.registry.list().length === 0);
    expect(await tools.call('unruly/echo', { text: 'back again' }, never)).toEqual({ ok: true, output: 'back again' });
    expect(deps.recorded).toHaveLength(2);
  });

  it('with every call stays down after three restarts', async () => {
    const deps = rig();
    const tools = await open([unruly()], deps);
    for (let call = 1; call <= 3; call++) expect(await outputOf(tools, 'unruly/crash')).toContain('being restarted');
    expect(await outputOf(tools, 'unruly/crash')).toContain('stays down');
    expect(await outputOf(tools, 'unruly/pid')).toContain('stays down');
    expect(deps.recorded).toHaveLength(4);
  });

  it('and answers in between is restarted each time', async () => {
    const tools = await open([unruly()]);
    for (let call = 1; call <= 5; call++) {
      expect(await outputOf(tools, 'unruly/crash')).toContain('being restarted');
      expect(Number(await outputOf(tools, 'unruly/pid'))).toBeGreaterThan(0);
    }
  });

  it('is what a message above 10 MiB makes of it', async () => {
    const tools = await open([unruly()]);
    expect(await outputOf(tools, 'unruly/deluge')).toContain('died during this call: it sent a message above 10 MiB');
    expect(Number(await outputOf(tools, 'unruly/pid'))).toBeGreaterThan(0);
  });

  it('does not leave its children behind', async () => {
    const tools = await open([unruly()]);
    const child = Number(await outputOf(tools, 'unruly/child'));
    await outputOf(tools, 'unruly/crash');
    await outputOf(tools, 'unruly/pid');
    expect(isRunning(child)).toBe(false);
  });
});

describe('a call that hangs', () => {
  it.each(['hang', 'hang_with_progress'])('is given up after its time (%s), and the server replaced', async (tool) => {
    const deps = rig();
    const tools = await open([unruly([], { timeoutSeconds: 0.2 })], deps);
    expect(await outputOf(tools, `unruly/${tool}`)).toMatch(/given up: no answer within 0.2 s.*restarted.*look before/);
    expect(await outputOf(tools, 'unruly/pid')).toBe(String(deps.recorded[1]?.pid));
    expect(isRunning(deps.recorded[0]!.pid)).toBe(false);
  });

  it('beside another one has the server replaced only once', async () => {
    const deps = rig();
    const tools = await open([unruly([], { timeoutSeconds: 0.2 })], deps);
    await Promise.all([outputOf(tools, 'unruly/hang'), outputOf(tools, 'unruly/hang')]);
    expect(await outputOf(tools, 'unruly/pid')).toBe(String(deps.recorded[1]?.pid));
    expect(deps.recorded).toHaveLength(2);
  });

  it('is cancelled by its signal, whose reason is thrown, and the server goes on', async () => {
    const deps = rig();
    const tools = await open([unruly()], deps);
    const stop = new AbortController();
    const call = tools.call('unruly/hang', {}, stop.signal);
    await until(() => deps.lines.some((line) => line.fields['line'] === 'hanging'));
    stop.abort(new Error('a person said stop'));
    await expect(call).rejects.toThrow('a person said stop');
    expect(JSON.parse(await outputOf(tools, 'unruly/seen'))).toContain('notifications/cancelled');
    expect(deps.recorded).toHaveLength(1);
  });

  it('is not begun under a signal that has fired', async () => {
    const tools = await open([unruly()]);
    await expect(tools.call('unruly/pid', {}, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  });
});
