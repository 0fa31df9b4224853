import type { ResponseCache } from '../ports.js';

/** Where an answer is remembered: one entry a key, good for one request only. */
interface Spot {
  key: string;
  /** All that the answer depends on. */
  url: string;
}

/** An answer that was read anew; without an ETag it is not remembered. */
interface Fresh<T> {
  etag: string | null;
  value: T;
}

/** Asks with the remembered ETag, and gives the remembered answer where the forge says 304 (`null`). */
export async function conditionally<T>(
  cache: ResponseCache,
  spot: Spot,
  ask: (etag: string | undefined) => Promise<Fresh<T> | null>,
): Promise<{ value: T; unchanged: boolean }> {
  const stored = recall<T>(cache, spot);
  const fresh = await ask(stored?.etag);
  // Only who sent an ETag is told 304 (http.ts sees to it), so something is stored.
  if (!fresh) return { value: (stored as Stored<T>).value, unchanged: true };
  if (fresh.etag) cache.set(spot.key, { url: spot.url, etag: fresh.etag, body: JSON.stringify(fresh.value) });
  return { value: fresh.value, unchanged: false };
}

interface Stored<T> {
  etag: string;
  value: T;
}

function recall<T>(cache: ResponseCache, spot: Spot): Stored<T> | null {
  const entry = cache.get(spot.key);
  if (!entry || entry.url !== spot.url) return null;
  try {
    return { etag: entry.etag, value: JSON.parse(entry.body) as T };
  } catch {
    return null;
  }
}
