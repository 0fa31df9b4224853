import { PassThrough, Writable } from 'node:stream';
import type { CommandIo } from '../../src/commands/io.js';

/** The surroundings of a command, with what it writes kept for looking at. */
export function capturedIo(given: {
  cwd: string;
  env: Record<string, string>;
  now: number;
}): CommandIo & { out: () => string; err: () => string } {
  const [stdout, stderr] = [keeper(), keeper()];
  return {
    ...{ cwd: given.cwd, env: given.env, isTTY: false, color: false },
    stdin: new PassThrough(),
    stdout: stdout.stream,
    stderr: stderr.stream,
    clock: { now: () => given.now, sleep: () => Promise.resolve() },
    signal: new AbortController().signal,
    out: stdout.text,
    err: stderr.text,
  };
}

function keeper(): { stream: Writable; text: () => string } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  return { stream, text: () => text };
}
