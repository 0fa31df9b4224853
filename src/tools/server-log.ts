import type { Log } from '../ports.js';
import { LineBuffer } from './line-buffer.js';

const MOST_LINES = 500;
const LONGEST_LINE = 1000;
const LAST_LINES = 5;
// eslint-disable-next-line no-control-regex -- terminals' colours begin with this character
const ESCAPE_SEQUENCES = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** What a server process says besides its messages: into the log, bounded, the last lines kept for error texts. */
export class ServerLog {
  private readonly errors = new LineBuffer();
  private lastLines: string[] = [];
  private written = 0;

  constructor(
    private readonly server: string,
    private readonly log: Log,
  ) {}

  stderr(chunk: Buffer): void {
    for (const line of this.errors.push(chunk)) this.stderrLine(line);
    if (this.errors.size > LONGEST_LINE) this.stderrLine(this.errors.take());
  }

  junk(line: string): void {
    if (line.trim() !== '') this.write('Tool server printed something that is no message', line);
  }

  /** The end of its stderr, on one line. */
  lastWords(): string {
    if (this.errors.size > 0) this.stderrLine(this.errors.take());
    return this.lastLines.join(' | ');
  }

  private stderrLine(raw: string): void {
    const line = raw.replace(ESCAPE_SEQUENCES, '').trim().slice(0, LONGEST_LINE);
    if (line === '') return;
    this.lastLines = [...this.lastLines, line].slice(-LAST_LINES);
    this.write('Tool server wrote to stderr', line);
  }

  private write(message: string, line: string): void {
    this.written++;
    const fields = { server: this.server, line: line.slice(0, LONGEST_LINE) };
    if (this.written <= MOST_LINES) this.log.write('info', message, fields);
    if (this.written === MOST_LINES) {
      this.log.write('warning', 'Tool server says too much: the rest is not logged', { server: this.server });
    }
  }
}
