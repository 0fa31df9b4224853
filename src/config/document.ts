import { configSchema } from './schema.js';
import type { SchemaNode } from './schema-node.js';

/** docs/configuration.md, made of the schema. */
export function configurationPage(): string {
  const sections = Object.entries(configSchema.properties).filter(([, node]) => isSection(node));
  const plain = Object.entries(configSchema.properties).filter(([, node]) => !isSection(node));
  return [
    INTRODUCTION,
    heading('##', 'General'),
    table(plain),
    ...sections.flatMap(([key, node]) => describeSection(key, node, '##')),
  ].join('\n');
}

const INTRODUCTION = `# Configuration

<!-- Made by \`npm run docs\` from src/config/schema.ts. -->

YAML, found at \`--config\`, else \`$AGENT_CONFIG\`, else \`./config.yaml\`, else \`$XDG_CONFIG_HOME/agent/config.yaml\`
(\`~/.config\` where that is not set). \`agent init\` writes one; \`config.example.yaml\` spells out every option.

- \`\${NAME}\` in a string is taken from the environment. A variable that is not set is an error, in the sections in use. \`$\${\` stands for \`\${\` itself.
- Relative paths start from the folder of the configuration file; those of data (\`base_dir\`, \`signal_file\`, \`logging.dir\`) from \`--data-dir\` where it is given.
- Unknown keys are errors, and all mistakes are reported at once. Nothing is run with a bad configuration.
- Secrets (tokens, keys, and variables whose names say so) are masked in all that leaves the agent, and must have 8 characters or more.
`;

function isSection(node: SchemaNode): boolean {
  return fieldsOf(node) !== undefined;
}

/** A mapping's own keys, or those of a list's entries; a value such as `price` is no section. */
function fieldsOf(node: SchemaNode): Record<string, SchemaNode> | undefined {
  return node.type === 'object' ? node.properties : node.items?.properties;
}

function describeSection(path: string, node: SchemaNode, level: string): string[] {
  const fields = Object.entries(fieldsOf(node) ?? {});
  const inner = fields.filter(([, field]) => isSection(field));
  const own = fields.filter(([, field]) => !isSection(field));
  return [
    heading(level, `${node.title ?? path}: \`${path}${node.items ? '[]' : ''}\``),
    `${node.description ?? ''}\n`,
    ...(own.length > 0 ? [table(own, node.items?.required)] : []),
    ...inner.flatMap(([key, field]) => describeSection(`${path}.${key}`, field, `${level}#`)),
  ];
}

function heading(level: string, text: string): string {
  return `${level} ${text}\n`;
}

function table(fields: [string, SchemaNode][], required: string[] = []): string {
  const rows = fields.map(([key, node]) => {
    const value = required.includes(key) ? 'required' : `\`${JSON.stringify(node.default)}\``;
    return `| \`${key}\` | ${kindOf(node)} | ${value} | ${node.description ?? ''} |`;
  });
  return ['| key | value | default | meaning |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

function kindOf(node: SchemaNode): string {
  if (node.enum) return node.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (node.anyOf) return 'name or list';
  const types = [node.type ?? 'string']
    .flat()
    .map((type) => (type === 'array' ? 'list' : type === 'object' ? 'mapping' : type));
  return `${types.join(' or ')}${rangeOf(node)}`;
}

function rangeOf({ minimum, maximum }: SchemaNode): string {
  if (minimum === undefined) return '';
  return maximum === undefined ? `, ${minimum} or more` : `, ${minimum} to ${maximum}`;
}
