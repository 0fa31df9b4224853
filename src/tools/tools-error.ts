/** A server that cannot be had: the operator's to mend, so nothing new is claimed. */
export class ToolsError extends Error {
  constructor(
    readonly server: string,
    readonly reason: string,
    readonly advice: string,
    cause: unknown,
  ) {
    super(`MCP server "${server}" did not start: ${reason}. ${advice}`, { cause });
    this.name = 'ToolsError';
  }
}
