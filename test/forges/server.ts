import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** Text is sent as it is, all else as JSON. */
  body?: unknown;
}

/** A server on loopback that answers what the function says, and remembers what it was asked. */
export async function serve(answer: (url: URL, message: IncomingMessage) => Reply) {
  const asked: { method: string; path: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((message, response) => {
    const url = new URL(message.url ?? '/', 'http://127.0.0.1');
    asked.push({ method: message.method ?? '', path: message.url ?? '', headers: message.headers });
    const { status = 200, headers = {}, body = '' } = answer(url, message);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(status === 304 ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { origin, asked, close };
}
