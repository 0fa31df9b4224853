const COMMANDS = ['pause', 'resume', 'stop', 'retry', 'status'] as const;

/** What a trusted person may tell the agent in the thread. */
export type ThreadCommand = (typeof COMMANDS)[number];

/**
 * `/agent <word>`, alone on the first line that says anything; `rest` is what else was written.
 * A quoted or indented line is no command, nor is one inside a code block.
 */
export function readCommand(body: string): { command: ThreadCommand; rest: string } | null {
  const text = body.replace(/^(?:[^\S\n]*\r?\n)+/, '');
  const [line = '', ...others] = text.split('\n');
  const word = /^ {0,3}\/agent[ \t]+([a-z]+)\s*$/i.exec(line)?.[1]?.toLowerCase();
  const command = COMMANDS.find((known) => known === word);
  return command ? { command, rest: others.join('\n').trim() } : null;
}
