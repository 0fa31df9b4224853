import type { ToolLine } from '../records.js';

/** What the watch says about a call that just ended: nothing, a word to the model, or that it is enough. */
export type LoopVerdict = { times: number; verdict: 'fine' | 'warn' | 'enough' };

/**
 * Sees a model run in circles: the same call with the same result, or the same tool failing in the same
 * way, without anything else between.
 */
export class LoopWatch {
  private same = { signature: '', times: 0 };

  constructor(private readonly sameError: number) {}

  /** A resumed attempt goes on counting where it stood. */
  static over(lines: Iterable<ToolLine>, sameError: number): LoopWatch {
    const watch = new LoopWatch(sameError);
    for (const line of lines) if (line.status !== 'started') watch.note(line);
    return watch;
  }

  note(line: ToolLine): LoopVerdict {
    const signature = signatureOf(line);
    this.same = { signature, times: signature === this.same.signature ? this.same.times + 1 : 1 };
    const { times } = this.same;
    if (times >= this.sameError * 2) return { times, verdict: 'enough' };
    return { times, verdict: times >= this.sameError ? 'warn' : 'fine' };
  }
}

function signatureOf({ tool, args, status, result, error }: ToolLine): string {
  return status === 'success'
    ? JSON.stringify([tool, args, result])
    : JSON.stringify([tool, withoutParticulars(error ?? '')]);
}

/** An error's wording without digits and paths: what is left is the way in which it failed. */
function withoutParticulars(error: string): string {
  return error.replace(/[\w.\\/-]+/g, (word) => (/[/\\]/.test(word) ? '<path>' : word)).replace(/\d+/g, '<n>');
}
