import type { Answers, McpAnswer } from './init-answers.js';

/** A short configuration with comments; secrets only as references to the environment. */
export function configText(answers: Answers): string {
  return [
    '# Written by `agent init`. Every other option: config.example.yaml and docs/configuration.md.',
    `task_source: ${answers.forge}`,
    `language: ${answers.language} # of every text the agent posts: auto (that of the issue) | ja | en`,
    '',
    ...forgeLines(answers),
    '',
    ...modelLines(answers),
    '',
    ...serverLines(answers.mcp),
    '',
  ].join('\n');
}

/** The environment variables that a configuration refers to. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(/(?<!\$)\$\{(\w+)\}/g)].map(([, name]) => name ?? ''))];
}

function forgeLines({ forge, places, all, apiUrl }: Answers): string[] {
  const [list, single] = forge === 'github' ? ['repositories', 'owner'] : ['projects', 'group'];
  return [
    `${forge}:`,
    ...(apiUrl ? [`  api_url: ${scalar(apiUrl)}`] : []),
    `  token: \${${forge.toUpperCase()}_TOKEN} # from the environment; never write it here`,
    "  username: null # the name of an account that is the bot's alone; null if the token is your own",
    ...(places.length > 0 ? [`  ${list}:`, ...places.map((place) => `    - ${scalar(place)}`)] : []),
    ...(all ? [`  ${single}: ${scalar(all)} # everything it has, by search`] : []),
    '  bot_label: coding agent # put this label on an item to ask for work',
  ];
}

function modelLines({ provider, model, baseUrl }: Answers): string[] {
  const urlKey = provider === 'ollama' ? 'endpoint' : 'base_url';
  return [
    'llm:',
    `  provider: ${provider}`,
    `  ${provider}:`,
    ...(baseUrl ? [`    ${urlKey}: ${scalar(baseUrl)}`] : []),
    ...(provider === 'openai' ? ['    api_key: ${OPENAI_API_KEY}'] : []),
    `    model: ${scalar(model)}`,
    ...(provider === 'openai' ? [] : ['    context_length: 32768 # what the model is loaded with']),
  ];
}

function serverLines(servers: McpAnswer[]): string[] {
  if (servers.length === 0)
    return ['# The tools of the model: without an MCP server it can only talk.', 'mcp_servers: []'];
  return [
    'mcp_servers: # the tools of the model',
    ...servers.flatMap(({ name, command }) => [
      `  - mcp_server_name: ${scalar(name)}`,
      `    command: [${command.map((word) => JSON.stringify(word)).join(', ')}]`,
    ]),
  ];
}

/** Whatever YAML could take for something else is quoted. */
function scalar(text: string): string {
  return /^[A-Za-z][\w./:-]*$/.test(text) && !/^(true|false|null|yes|no|on|off)$|:$/i.test(text)
    ? text
    : JSON.stringify(text);
}
