import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';

/**
 * A fetch that waits as long as its signal lets it. Node's own gives up when no header came within 300 s,
 * which a local model with a long prompt needs easily. It keeps one connection open and follows no redirects.
 */
export function patientFetch(): typeof fetch {
  const agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) };
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
    const answer = await exchange(url, agents, {
      method: request.method,
      headers: { ...Object.fromEntries(request.headers), ...(body ? { 'content-length': body.length } : {}) },
      signal: request.signal,
      body,
    });
    return responseFrom(answer);
  };
}

interface Exchange {
  method: string;
  headers: http.OutgoingHttpHeaders;
  signal: AbortSignal;
  body: Buffer | undefined;
}

function exchange(
  url: URL,
  agents: { 'http:': http.Agent; 'https:': https.Agent },
  { body, ...options }: Exchange,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request =
      url.protocol === 'https:'
        ? https.request(url, { ...options, agent: agents['https:'] }, resolve)
        : http.request(url, { ...options, agent: agents['http:'] }, resolve);
    request.on('error', reject);
    request.end(body);
  });
}

function responseFrom(answer: http.IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const status = answer.statusCode ?? 500;
  const empty = status === 204 || status === 304;
  if (empty) answer.resume();
  return new Response(empty ? null : (Readable.toWeb(answer) as ReadableStream), { status, headers });
}
