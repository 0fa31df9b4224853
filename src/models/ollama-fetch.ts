import { retryAfterMs } from '../lib/retry.js';
import type { Clock } from '../ports.js';
import { complaintOf } from './complaint.js';
import { RequestFailed } from './failures.js';

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
    return new Response(response.body?.pipeThrough(jsonOnly()) ?? null, response);
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

/** Passes bytes on as they are, as long as they can be lines of JSON objects. */
function jsonOnly(): TransformStream<Uint8Array, Uint8Array> {
  let first: string | undefined;
  let last = '';
  return new TransformStream({
    transform(chunk, controller) {
      const text = Buffer.from(chunk).toString('latin1').trim();
      first ??= text[0];
      last = text.at(-1) ?? last;
      if (first !== undefined && first !== '{') throw new RequestFailed('the answer is no JSON', {});
      controller.enqueue(chunk);
    },
    flush() {
      if (last !== '}') throw new RequestFailed('the answer ended before it was complete', {});
    },
  });
}
