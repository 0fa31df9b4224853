const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines; what has no end yet waits, each byte copied once. */
export class LineBuffer {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;

  /** How much waits for its end. */
  get size(): number {
    return this.waitingBytes;
  }

  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.keep(chunk.subarray(from, at));
      lines.push(this.take());
      from = at + 1;
    }
    this.keep(chunk.subarray(from));
    return lines;
  }

  /** What waits, as a line. */
  take(): string {
    const line = Buffer.concat(this.waiting).toString('utf8');
    this.waiting = [];
    this.waitingBytes = 0;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  private keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
  }
}
