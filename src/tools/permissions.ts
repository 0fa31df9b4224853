import type { McpServerConfig } from '../config/config.js';

/** Whether the configuration lets the model call this tool: some glob of `allowed_tools`, none of `denied_tools`. */
export function mayCall(server: Pick<McpServerConfig, 'name' | 'allowedTools' | 'deniedTools'>, tool: string): boolean {
  const matches = (glob: string) => matchesGlob(glob, tool) || matchesGlob(glob, `${server.name}/${tool}`);
  return server.allowedTools.some(matches) && !server.deniedTools.some(matches);
}

/** `*` stands for any run of characters, `?` for one; everything else for itself. */
export function matchesGlob(glob: string, text: string): boolean {
  const pattern = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${pattern}$`, 'su').test(text);
}
