/** A mistake only the person who runs the agent can mend; the cli prints it and exits with its code. */
export class OperatorError extends Error {
  /** One line per thing that is wrong, where it is more than the message. */
  readonly details: string[];
  /** What to do about it. */
  readonly fix: string | null;
  /** 2 usage or configuration, 3 credentials refused, 4 a forge could not be asked, 75 the lock is held (`--once`). */
  readonly exitCode: number;

  constructor(
    message: string,
    options: { details?: string[]; fix?: string; exitCode?: 1 | 2 | 3 | 4 | 75; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'OperatorError';
    this.details = options.details ?? [];
    this.fix = options.fix ?? null;
    this.exitCode = options.exitCode ?? 2;
  }
}

/** An error that was said a short while ago: it still has its exit code, and needs no more words. */
export class SaidBefore extends Error {
  constructor(readonly original: unknown) {
    super('said before', { cause: original });
    this.name = 'SaidBefore';
  }
}

/** SIGINT or SIGTERM came: the reason of the abort signal that every command is given. */
export class Interrupted extends Error {
  readonly exitCode: 130 | 143;

  constructor(readonly signalName: 'SIGINT' | 'SIGTERM') {
    super(`interrupted by ${signalName}`);
    this.name = 'Interrupted';
    this.exitCode = signalName === 'SIGINT' ? 130 : 143;
  }
}
