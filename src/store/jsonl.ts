import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from '../ports.js';

const CHUNK_BYTES = 64 * 1024;

/** What every line of a file has at least; one without it is as broken as one that is no JSON. */
export type Essentials = Record<string, 'string' | 'number' | 'object'>;

/** A file of JSON lines that is only appended to, and that a crash can tear in its last line only. */
export class JsonlFile {
  private fd: number | null = null;

  constructor(
    readonly path: string,
    private readonly essentials: Essentials,
    private readonly log: Log,
  ) {}

  /** On disk, synced, when this returns. A write that fails half-way is taken back. */
  append(line: object, { sync = true } = {}): void {
    const fd = (this.fd ??= this.openRepaired());
    const before = fstatSync(fd).size;
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
      if (sync) fsyncSync(fd);
    } catch (error) {
      ftruncateSync(fd, before);
      throw error;
    }
  }

  /** Every readable line, one at a time; broken ones are skipped with a warning, a torn last one with a note. */
  *lines<T>(): Generator<T> {
    for (const { text, complete } of rawLines(this.path)) {
      const value = parse(text, this.essentials);
      if (value !== undefined) yield value as T;
      else if (complete) this.log.write('warning', 'skipped a broken line', { file: this.path });
      else this.log.write('info', 'left out a torn last line', { file: this.path });
    }
  }

  close(): void {
    if (this.fd !== null) closeSync(this.fd);
    this.fd = null;
  }

  private openRepaired(): number {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 }); // somebody may have deleted the folder
    const fd = openSync(this.path, 'a+', 0o600);
    const size = fstatSync(fd).size;
    const end = endOfLastLine(fd, size);
    if (end < size) this.mend(fd, end, size - end);
    return fd;
  }

  /** A last line that lacks nothing but its line break is whole: it was read, so it stays. */
  private mend(fd: number, end: number, length: number): void {
    const tail = Buffer.alloc(length);
    readSync(fd, tail, 0, length, end);
    if (parse(tail.toString('utf8'), this.essentials) !== undefined) return void writeSync(fd, '\n');
    this.log.write('info', 'cut off a torn last line', { file: this.path, bytes: length });
    ftruncateSync(fd, end);
  }
}

function parse(text: string, essentials: Essentials): unknown {
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null;
    const isWhole = Object.entries(essentials).every(([name, type]) => typeof value?.[name] === type);
    return isWhole ? value : undefined;
  } catch {
    return undefined; // the caller says what was skipped
  }
}

function* rawLines(path: string): Generator<{ text: string; complete: boolean }> {
  if (!existsSync(path)) return;
  const fd = openSync(path, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let rest: Buffer[] = [];
    for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) {
      let start = 0;
      for (let end = chunk.indexOf(10, start); end !== -1 && end < read; end = chunk.indexOf(10, start)) {
        rest.push(Buffer.from(chunk.subarray(start, end)));
        yield { text: Buffer.concat(rest).toString('utf8'), complete: true };
        rest = [];
        start = end + 1;
      }
      rest.push(Buffer.from(chunk.subarray(start, read)));
    }
    const tail = Buffer.concat(rest).toString('utf8');
    if (tail !== '') yield { text: tail, complete: false };
  } finally {
    closeSync(fd);
  }
}

function endOfLastLine(fd: number, size: number): number {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const read = readSync(fd, chunk, 0, end - start, start);
    const newline = chunk.subarray(0, read).lastIndexOf(10);
    if (newline !== -1) return start + newline + 1;
    end = start;
  }
  return 0;
}
