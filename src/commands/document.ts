/** What `--json` prints where there is no more to tell than what is wrong, and what `run --json` prints of its work. */
export function runDocument(exitCode: number, problems: string[], tasks: object[] = []): string {
  return `${JSON.stringify({ exit_code: exitCode, tasks, problems })}\n`;
}
