import type { ToolOutcome, Tools } from '../ports.js';
import { nearest } from './nearest.js';
import type { ToolServer } from './tool-server.js';

const MOST_NAMES = 15;

/** The tools of several servers as one: everything that can be refused is refused before a server hears of it. */
export function toolbox(servers: ToolServer[]): Tools {
  return {
    list: () => servers.flatMap((server) => server.specs()),
    prompts: () => servers.flatMap((server) => server.prompt ?? []),
    async call(name, args, signal) {
      signal.throwIfAborted();
      const { server, tool } = find(servers, name);
      if (!server) return refused(`There is no tool "${name}": tools are named server/tool.`, known(name, servers));
      if (!server.has(tool))
        return refused(`The server "${server.name}" has no tool "${tool}".`, known(name, [server]));
      if (!server.allows(tool)) return refused(`"${name}" may not be called here: the operator does not allow it.`);
      const complaint = server.complaintAbout(tool, args);
      if (complaint !== null) return refused(`The arguments do not fit "${name}": ${complaint}.`);
      return server.call(tool, args, signal);
    },
  };
}

function find(servers: ToolServer[], name: string): { server: ToolServer | undefined; tool: string } {
  const slash = name.indexOf('/');
  const server = servers.find((candidate) => slash > 0 && candidate.name === name.slice(0, slash));
  return { server, tool: name.slice(slash + 1) };
}

function known(asked: string, servers: ToolServer[]): string {
  const names = servers.flatMap((server) => server.specs()).map((spec) => spec.name);
  if (names.length === 0) return 'There are none.';
  const shown = nearest(asked, names, MOST_NAMES);
  const more = names.length - shown.length;
  return `Those that exist, nearest first: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

function refused(...sentences: string[]): ToolOutcome {
  return { ok: false, error: sentences.join(' ') };
}
