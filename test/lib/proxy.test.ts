import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

let folder: string;
let origin: string;
let proxy: string;
const delays: Record<string, number> = { '/slow': 2000 };
const tunnels: string[] = [];
const servers: Server[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proxy-test-'));
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  const outfile = join(folder, 'proxy.mjs');
  await build({ entryPoints: ['src/lib/proxy.ts'], bundle: true, platform: 'node', format: 'esm', outfile, banner });
  origin = await listen(
    createServer(({ url }, response) => void setTimeout(() => response.end('hello'), delays[url!] ?? 0)),
  );
  proxy = await listen(tunnelling());
});
afterAll(async () => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  await rm(folder, { recursive: true });
});
beforeEach(() => void tunnels.splice(0));

async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A proxy that opens tunnels and remembers where to. */
function tunnelling(): Server {
  return createServer().on('connect', (request, client) => {
    tunnels.push(request.url ?? '');
    const target = new URL(`http://${request.url ?? ''}`);
    const upstream = connect(Number(target.port), target.hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
}

/** Fetches in a process of its own: it is Node's own `fetch` that must take the proxy. */
async function fetchWith(env: Record<string, string>, { path = '/', before = '' } = {}): Promise<string> {
  const script = `
    ${before}
    const { useProxyOf } = await import('./proxy.mjs');
    await useProxyOf(process.env);
    process.stdout.write(await (await fetch('${origin}${path}')).text());
    process.exit();`;
  const options = { cwd: folder, env: { PATH: process.env.PATH ?? '', ...env } };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], options);
  return stdout;
}

test('fetches go through the proxy that the environment names', async () => {
  expect(await fetchWith({ http_proxy: proxy })).toBe('hello');
  expect(tunnels).toEqual([new URL(origin).host]);
});

test('hosts named by no_proxy are asked directly', async () => {
  expect(await fetchWith({ HTTP_PROXY: proxy, no_proxy: '127.0.0.1' })).toBe('hello');
  expect(tunnels).toEqual([]);
});

test('without a proxy nothing changes', async () => {
  expect(await fetchWith({})).toBe('hello');
  expect(tunnels).toEqual([]);
});

/** undici counts 0.5 s at each tick of its own timer: ten minutes pass in two seconds. */
const HASTE =
  'const { setTimeout: wait } = globalThis; globalThis.setTimeout = (f, ms, ...a) => wait(f, ms / 300, ...a);';

test('an answer that takes more than five minutes is waited for: models think, and callers have their own limits', async () => {
  expect(await fetchWith({ http_proxy: proxy }, { path: '/slow', before: HASTE })).toBe('hello');
  expect(tunnels).toHaveLength(1);
});
