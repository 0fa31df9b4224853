import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openTools } from '../../src/tools/mcp.js';
import { processStartTime } from '../../src/tools/process-group.js';
import { endSurvivors } from '../../src/tools/survivors.js';
import { isRunning, never, rig, unruly } from './rig.js';

describe('closing', () => {
  it('ends stubborn servers and their children in parallel within 5 s, polite ones at once', async () => {
    const deps = rig();
    const stubborn = ['one', 'two'].map((name) => unruly(['stubborn'], { name }));
    const shed = await openTools([...stubborn, unruly()], deps);
    const tools = await shed.forTask('/nowhere');
    const child = await tools.call('one/child', {}, never);
    const startedAt = Date.now();
    await shed.close();
    expect(Date.now() - startedAt).toBeLessThan(5000);
    const pids = [...deps.recorded.map((server) => server.pid), Number(child.ok && child.output)];
    expect(pids.filter(isRunning)).toEqual([]);
    expect(deps.registry.list()).toEqual([]);
  });

  it('of polite servers takes no longer than they do', async () => {
    const shed = await openTools([unruly()], rig());
    const startedAt = Date.now();
    await shed.close();
    expect(Date.now() - startedAt).toBeLessThan(1000);
  });

  it('ends children that outlive a polite server', async () => {
    const shed = await openTools([unruly()], rig());
    const tools = await shed.forTask('/nowhere');
    const child = await tools.call('unruly/child', {}, never);
    await shed.close();
    expect(isRunning(Number(child.ok && child.output))).toBe(false);
  });

  it('answers calls in flight and closes the servers of tasks that were left open', async () => {
    const deps = rig();
    const shed = await openTools([unruly(['{workspace}'])], deps);
    const tools = await shed.forTask('/nowhere');
    const call = tools.call('unruly/hang', {}, never);
    await shed.close();
    expect(await call).toMatchObject({ ok: false });
    expect(deps.registry.list()).toEqual([]);
  });
});

describe('survivors of a killed tick', () => {
  it('are recorded with a start time before they hear the first message', async () => {
    const deps = rig();
    const shed = await openTools([unruly()], deps);
    const [server] = deps.registry.list();
    expect(server).toEqual({ pid: server!.pid, startTime: processStartTime(server!.pid), name: 'unruly' });
    await shed.close();
  });

  it('are ended when pid and start time prove them ours', async () => {
    const deps = rig();
    const survivor = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true });
    const exit = once(survivor, 'exit');
    deps.registry.record({ pid: survivor.pid!, startTime: processStartTime(survivor.pid!)!, name: 'left' });
    await endSurvivors(deps.registry, deps.log);
    expect(await exit).toEqual([null, 'SIGTERM']);
    expect(deps.registry.list()).toEqual([]);
    expect(deps.lines).toMatchObject([{ level: 'warning', fields: { server: 'left', pid: survivor.pid } }]);
  });

  it('are killed when they ignore SIGTERM', async () => {
    const deps = rig();
    const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready')";
    const survivor = spawn(process.execPath, ['-e', script], { detached: true });
    const exit = once(survivor, 'exit');
    await once(survivor.stdout, 'data');
    deps.registry.record({ pid: survivor.pid!, startTime: processStartTime(survivor.pid!)!, name: 'left' });
    await endSurvivors(deps.registry, deps.log);
    expect(await exit).toEqual([null, 'SIGKILL']);
  });

  it('are only forgotten when another process has their pid now, or none', async () => {
    const deps = rig();
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true });
    deps.registry.record({ pid: stranger.pid!, startTime: 'another time', name: 'stranger' });
    deps.registry.record({ pid: 2 ** 22 + 1, startTime: 'long ago', name: 'gone' });
    await endSurvivors(deps.registry, deps.log);
    expect(deps.registry.list()).toEqual([]);
    expect(isRunning(stranger.pid!)).toBe(true);
    const exit = once(stranger, 'exit');
    stranger.kill('SIGKILL');
    await exit;
  });
});
