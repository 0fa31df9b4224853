/** So many characters of a secret in a row give it away; a shorter secret is masked as a whole. */
const RUN = 12;
const BASE = 31;
const { imul } = Math;

/** Prepares a search for the secrets in every form; the ranges found are sorted and do not overlap. */
export function findSecrets(secrets: string[]): (text: string) => [start: number, end: number][] {
  const forms = secrets.filter((secret) => secret.trim() !== '').flatMap((secret) => formsOf(secret.trim()));
  const searches = runsByLength(forms).map(([length, runs]) => searchRuns(length, runs));
  return (text) => merge(searches.flatMap((search) => search(text)));
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const percent = hex.replace(/../g, '%$&');
  const url = encodeURIComponent(bytes.toString());
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset));
  return [
    ...[secret, [...secret].reverse().join(''), JSON.stringify(secret).slice(1, -1)],
    ...[hex, hex.toUpperCase(), percent, percent.toUpperCase()],
    ...[url, url.replace(/%../g, (escape) => escape.toLowerCase())],
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** The characters that are the same whatever stands before and after the secret, `offset` bytes into a group of three. */
function base64At(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const whole = Math.floor(((offset + bytes.length) * 8) / 6);
  return text.slice(Math.ceil((offset * 8) / 6), whole);
}

function runsByLength(forms: string[]): [length: number, runs: Set<string>][] {
  const groups = new Map<number, Set<string>>();
  for (const form of forms) {
    const length = Math.min(RUN, form.length);
    const runs = groups.get(length) ?? new Set();
    for (let at = 0; at + length <= form.length; at++) runs.add(form.slice(at, at + length));
    groups.set(length, runs);
  }
  return [...groups];
}

/** Rabin-Karp: one pass with a rolling hash, however many runs there are. */
function searchRuns(length: number, runs: Set<string>): (text: string) => [number, number][] {
  const hashes = new Uint8Array(1 << 16);
  for (const run of runs) hashes[hashOf(run, length) & 0xffff] = 1;
  const leaving = power(length - 1);
  return (text) => {
    const found: [number, number][] = [];
    let hash = hashOf(text, length);
    for (let at = 0; at + length <= text.length; at++) {
      if (hashes[hash & 0xffff] === 1 && runs.has(text.slice(at, at + length))) found.push([at, at + length]);
      hash = (imul(hash - imul(text.charCodeAt(at), leaving), BASE) + text.charCodeAt(at + length)) | 0;
    }
    return found;
  };
}

function hashOf(text: string, length: number): number {
  let hash = 0;
  for (let at = 0; at < length && at < text.length; at++) hash = (imul(hash, BASE) + text.charCodeAt(at)) | 0;
  return hash;
}

function power(exponent: number): number {
  let product = 1;
  for (let step = 0; step < exponent; step++) product = imul(product, BASE);
  return product;
}

function merge(ranges: [number, number][]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [start, end] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}
