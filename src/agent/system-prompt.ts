import { readFileSync } from 'node:fs';
import type { ToolSpec, Tools } from '../ports.js';
import type { Language } from '../records.js';
import { rowOf, type Attempt } from './attempt.js';
import { isRecord } from './reply-schema.js';

const LANGUAGE_NAMES: Record<Language, string> = { ja: 'Japanese', en: 'English' };

/** The template with its placeholders filled. With native tools the list is sent beside it, and not twice. */
export function systemPrompt(file: string, tools: Tools, options: { language: Language; native: boolean }): string {
  const parts = [...(options.native ? [] : [toolList(tools.list())]), ...tools.prompts()];
  return readFileSync(file, 'utf8')
    .replaceAll('{mcp_prompt}', () => parts.join('\n\n'))
    .replaceAll('{language}', LANGUAGE_NAMES[options.language])
    .trim();
}

/** Whether a model that is offered no tools can see which there are: the protocol may have changed while the attempt rested. */
export function promptListsTools(attempt: Attempt): boolean {
  if (rowOf(attempt).progress['protocol'] === 'json') return true;
  const system = attempt.history.messages.find((line) => line.role === 'system');
  const tools = attempt.tools.list();
  return tools.length === 0 || tools.some(({ name }) => system?.content.includes(`- ${name}(`));
}

/** The server refused native tools: from here on the prompt lists them, and replies are JSON. */
export function useJsonProtocol({ agent, conversation, history, tools }: Attempt): void {
  const language = conversation.language;
  const system = history.append({
    role: 'system',
    content: systemPrompt(agent.config.systemPrompt, tools, { language, native: false }),
    progress: { protocol: 'json' }, // a template without {mcp_prompt} lists no tools, and is not to be written at every turn
  });
  history.replace([system, ...history.messages.filter((line) => line.role !== 'system')]);
}

/** One line a tool: name, parameters, the first line of its description. */
function toolList(tools: ToolSpec[]): string {
  const lines = tools.map(({ name, parameters, description }) => {
    const summary = description.split('\n', 1)[0] ?? '';
    return `- ${name}(${parameterList(parameters)})${summary && `: ${summary}`}`;
  });
  return `Tools:\n${lines.join('\n')}`;
}

/** Tool servers are strangers: a schema of another shape costs what cannot be read of it, not the attempt. */
function parameterList(schema: Record<string, unknown>): string {
  const { properties, required } = schema;
  const names = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.entries(isRecord(properties) ? properties : {})
    .map(([name, property]) => `${name}${names.has(name) ? '' : '?'}${typeSuffix(property)}`)
    .join(', ');
}

function typeSuffix(property: unknown): string {
  const type = isRecord(property) ? property['type'] : undefined;
  return typeof type === 'string' ? `: ${type}` : '';
}
