import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { LONGEST_TIMER_MS } from './time-limit.js';

/** A tool as its server describes it. */
export interface RemoteTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

const MOST_PAGES = 100;

/**
 * All pages of `tools/list`. The SDK's own `listTools` refuses a whole list for one odd tool and compiles
 * every output schema, which nobody here reads.
 */
export async function listTools(client: Client, signal: AbortSignal): Promise<RemoteTool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const tools = new Map<string, RemoteTool>();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const options = { signal, timeout: LONGEST_TIMER_MS };
    const result = await client.request({ method: 'tools/list', params }, ResultSchema, options);
    for (const tool of toolsOf(result)) tools.set(tool.name, tool);
    if (typeof result['nextCursor'] !== 'string' || result['nextCursor'] === cursor) break;
    cursor = result['nextCursor'];
  }
  return [...tools.values()];
}

function toolsOf(result: Record<string, unknown>): RemoteTool[] {
  if (!Array.isArray(result['tools'])) throw new Error('its tools/list answer has no list of tools');
  return result['tools'].flatMap(toolOf);
}

/** None where it has no name or cannot be called as others are; missing parts are filled in. */
function toolOf(tool: unknown): RemoteTool[] {
  if (!isObject(tool) || typeof tool['name'] !== 'string' || tool['name'] === '' || runsOnlyAsTask(tool)) return [];
  const { name, description, inputSchema } = tool;
  return [
    {
      name,
      description: typeof description === 'string' ? description.trim() : '',
      inputSchema: isObject(inputSchema) ? inputSchema : { type: 'object' },
    },
  ];
}

/** The protocol's long-running tasks, which need a client that comes back for them. */
function runsOnlyAsTask({ execution }: Record<string, unknown>): boolean {
  return isObject(execution) && execution['taskSupport'] === 'required';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
