import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTools, type ToolShed } from '../../src/tools/mcp.js';
import { isRunning, never, published, rig, unruly, type Rig } from './rig.js';
import type { McpServerConfig } from '../../src/config/config.js';
import type { Tools } from '../../src/ports.js';

let shed: ToolShed;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tools-'));
});
afterEach(async () => {
  await shed?.close();
  await rm(folder, { recursive: true });
});

async function open(servers: McpServerConfig[], deps: Rig = rig()): Promise<Tools & { close(): Promise<void> }> {
  shed = await openTools(servers, deps);
  return shed.forTask(folder);
}

describe('with published servers', () => {
  it('reads a file of the workspace with server-filesystem, started for the task and ended with it', async () => {
    await writeFile(join(folder, 'hello.txt'), 'こんにちは\n');
    const deps = rig();
    const tools = await open([published('filesystem', '{workspace}')], deps);
    expect(tools.list().map((tool) => tool.name)).toContain('filesystem/read_text_file');

    const read = await tools.call('filesystem/read_text_file', { path: join(folder, 'hello.txt') }, never);
    expect(read).toEqual({ ok: true, output: 'こんにちは\n' });
    const outside = await tools.call('filesystem/read_text_file', { path: '/etc/hostname' }, never);
    expect(outside).toMatchObject({ ok: false, error: expect.stringContaining('Access denied') });

    const [server] = deps.recorded;
    await tools.close();
    expect(isRunning(server!.pid)).toBe(false);
    expect(deps.registry.list()).toEqual([]);
  });

  it('calls server-everything, names its image and keeps its structured content from being told twice', async () => {
    const tools = await open([published('everything')]);
    expect(await tools.call('everything/echo', { message: 'hi' }, never)).toEqual({ ok: true, output: 'Echo: hi' });
    const image = await tools.call('everything/get-tiny-image', {}, never);
    expect(image).toMatchObject({ ok: true, output: expect.stringMatching(/\[image image\/png, \d+ bytes\]/) });
    const weather = await tools.call('everything/get-structured-content', { location: 'Chicago' }, never);
    expect(weather.ok && weather.output.match(/temperature/g)).toHaveLength(1);
    expect(tools.list().map(({ name }) => name)).not.toContain('everything/simulate-research-query'); // runs as a task only
  });
});

describe('what the model may call', () => {
  it('lists all pages of tools in the order of the configuration, with trimmed descriptions and their schemas', async () => {
    const tools = await open([unruly(['pages']), unruly(['{workspace}'], { name: 'second' })]);
    const names = tools.list().map((tool) => tool.name);
    expect(names.slice(0, 2)).toEqual(['unruly/echo', 'unruly/pid']);
    expect(names).toContain('unruly/result_no_object');
    expect(names.indexOf('second/echo')).toBe(names.length / 2);
    expect(tools.list()[0]).toMatchObject({ description: 'echo', parameters: { required: ['text'] } });
  });

  it('leaves out and refuses what the configuration does not allow', async () => {
    const tools = await open([unruly([], { allowedTools: ['e*', 'pid'], deniedTools: ['unruly/en?'] })]);
    expect(tools.list().map((tool) => tool.name)).toEqual(['unruly/echo', 'unruly/pid']);
    const refusal = await tools.call('unruly/env', {}, never);
    expect(refusal).toMatchObject({ ok: false, error: expect.stringContaining('may not be called') });
  });

  it('answers an unknown tool or server with the names that exist, the nearest first', async () => {
    const tools = await open([unruly([], { allowedTools: ['echo', 'pid', 'flood'] })]);
    const tool = await tools.call('unruly/ecko', {}, never);
    expect(tool).toMatchObject({ ok: false, error: expect.stringMatching(/no tool "ecko".*first: unruly\/echo, /) });
    const server = await tools.call('unrulli/pid', {}, never);
    expect(server).toMatchObject({
      ok: false,
      error: expect.stringMatching(/no tool "unrulli\/pid".*first: unruly\/pid, /),
    });
    expect(await tools.call('pid', {}, never)).toMatchObject({ ok: false });
  });

  it('hands back arguments that do not fit, with the place and the complaint', async () => {
    const tools = await open([unruly()]);
    const bad = await tools.call('unruly/echo', { mode: 'c', other: 1 }, never);
    expect(bad.ok).toBe(false);
    const error = bad.ok ? '' : bad.error;
    expect(error).toContain("args must have required property 'text'");
    expect(error).toContain('args must NOT have additional properties: other');
    expect(error).toContain('args.mode must be equal to one of the allowed values: ["a","b"]');
  });

  it('does not let a broken schema stand in the way of a call', async () => {
    const tools = await open([unruly()]);
    expect(await tools.call('unruly/pid', { anything: 1 }, never)).toMatchObject({ ok: true });
  });

  it("passes on the servers' own prompts", async () => {
    const tools = await open([unruly([], { systemPrompt: 'Be gentle.' }), unruly([], { name: 'other' })]);
    expect(tools.prompts()).toEqual(['Be gentle.']);
  });
});

describe('results that go wrong', () => {
  it.each([
    ['isError', 'fail', 'the disk is full'],
    ['isError without a reason', 'fail_silently', 'gave no reason'],
    ['a protocol error', 'refuse', 'not today'],
    ['no content', 'no_content', 'wrong shape'],
    ['content that is no list', 'content_no_list', 'wrong shape'],
    ['a part that is no text', 'odd_part', 'wrong shape'],
    ['a result that is no object', 'result_no_object', 'wrong shape'],
  ])('reports %s as an error, and the server serves on', async (_, tool, complaint) => {
    const deps = rig();
    const tools = await open([unruly()], deps);
    expect(await tools.call(`unruly/${tool}`, {}, never)).toMatchObject({
      ok: false,
      error: expect.stringContaining(complaint),
    });
    expect(await tools.call('unruly/echo', { text: 'still here' }, never)).toEqual({ ok: true, output: 'still here' });
    expect(deps.recorded).toHaveLength(1);
  });

  it('cuts five megabytes in the middle', async () => {
    const tools = await open([unruly()]);
    const flood = await tools.call('unruly/flood', {}, never);
    expect(flood.ok && flood.output.length).toBeLessThanOrEqual(10_000);
    expect(flood.ok && flood.output).toMatch(/x\n\[… 49\d{5} characters left out …\]\nx/);
  });

  it('skips junk on stdout, and logs it', async () => {
    const deps = rig();
    const tools = await open([unruly(['junk'])], deps);
    expect(await tools.call('unruly/junk', {}, never)).toEqual({ ok: true, output: 'after the junk' });
    const junk = deps.lines.filter((line) => line.message.includes('no message')).map((line) => line.fields['line']);
    expect(junk).toEqual(['Welcome to unruly 1.0!', 'DEBUG: here I am', '{"half": ', '[]', '42']);
  });

  it('logs stderr line by line, but not without end', async () => {
    const deps = rig();
    const tools = await open([unruly()], deps);
    await tools.call('unruly/chatter', {}, never);
    await shed.close();
    const said = deps.lines.filter((line) => line.message === 'Tool server wrote to stderr');
    expect(said[0]?.fields).toEqual({ server: 'unruly', line: 'line 0' });
    expect(said).toHaveLength(500);
  });
});

describe('the environment of a server', () => {
  it('has PATH, HOME and its own settings, and nothing else of ours', async () => {
    const env = {
      PATH: process.env['PATH'],
      HOME: '/home/somebody',
      LC_ALL: 'C',
      GITHUB_TOKEN: 'ours',
      https_proxy: 'http://proxy',
    };
    const tools = await open([unruly([], { env: { OWN: 'its own' } })], rig({ env }));
    const shown = await tools.call('unruly/env', {}, never);
    const expected = {
      PATH: process.env['PATH'],
      HOME: '/home/somebody',
      LC_ALL: 'C',
      https_proxy: 'http://proxy',
      OWN: 'its own',
    };
    expect(JSON.parse(shown.ok ? shown.output : '{}')).toEqual(expected);
  });
});
