import { retryAfterMs } from '../lib/retry.js';
import type { Clock } from '../ports.js';
import { complaintOf } from './complaint.js';
import { RequestFailed } from './failures.js';
import { parsed } from './json.js';

/**
 * The fetch that the `ollama` package is given: it obeys our signal, and keeps from the package what the package
 * would print on the terminal: refusals, and answers that are not JSON.
 */
export function ollamaFetch(
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
  clock: Clock,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, signal }).catch((error: unknown) => {
      throw new RequestFailed(connectionMessage(error), { cause: error });
    });
    if (!response.ok) throw await refusal(response, clock.now());
    return new Response(response.body?.pipeThrough(jsonLines()) ?? null, response);
  };
}

function connectionMessage(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

async function refusal(response: Response, now: number): Promise<RequestFailed> {
  const { message } = await complaintOf(response).catch(() => ({ message: 'the reason was lost on the way' }));
  return new RequestFailed(`${response.status} ${message}`, {
    status: response.status,
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), now),
  });
}

/** One object a line, as the package wants them: of anything else it complains on the terminal. */
function jsonLines(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let waiting = '';
  return new TransformStream({
    transform(chunk, controller) {
      const [end = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
      waiting += end;
      for (const line of lines) waiting = `${passOn(controller)} ${line}`;
      if (/^\s*[^\s{]/.test(waiting)) throw new RequestFailed('the answer is no JSON', {});
    },
    flush(controller) {
      if (passOn(controller).trim() !== '') throw new RequestFailed('the answer ended before it was complete', {});
    },
  });

  /** Returns what still waits: an object spread over several lines goes on once it is whole. */
  function passOn(controller: TransformStreamDefaultController<Uint8Array>): string {
    const object = parsed(waiting);
    if (object === undefined) return waiting;
    controller.enqueue(Buffer.from(`${JSON.stringify(object)}\n`));
    return '';
  }
}
