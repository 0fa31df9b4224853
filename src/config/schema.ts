import { planningSchema } from './schema-planning.js';
import type { SchemaNode } from './schema-node.js';
import {
  choice,
  count,
  flag,
  fraction,
  optionalCount,
  optionalText,
  section,
  text,
  texts,
  url,
} from './schema-node.js';

const LEVELS = ['error', 'warning', 'info', 'debug'];

const labels = {
  bot_label: label('coding agent', 'Put this label on an item to ask for work.'),
  processing_label: label('coding agent processing', 'It is being worked on.'),
  awaiting_label: label('awaiting-response', 'Work was handed over; an answer in the thread goes on with it.'),
  done_label: label('coding agent done', 'The conversation is over.'),
  paused_label: label('coding agent paused', 'Paused; put it on or take it off yourself to pause or go on.'),
  stopped_label: label('coding agent stopped', 'Stopped before the end.'),
  failed_label: label('coding agent failed', 'It could not be done; the thread says why.'),
};

const github = section('GitHub', 'Used when `task_source` names `github`.', {
  api_url: url('https://api.github.com', 'The REST API. GitHub Enterprise Server: `https://<host>/api/v3`.'),
  token: text('${GITHUB_TOKEN}', 'Access token: read and write issues, pull requests and contents.'),
  username: optionalText(
    "The account that is the bot's alone: everything it writes counts as ours. Null: the account is asked from the token, and unmarked comments of it are a person's.",
  ),
  repositories: texts([], 'Repositories to watch, as `owner/repo`. Either this or `owner`.', {
    pattern: '^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$',
    hint: 'must look like owner/repo',
  }),
  owner: optionalText('Watch all repositories of this user or organisation, by search: slower and never free.', {
    pattern: '^[A-Za-z0-9_.-]+$',
    hint: 'must be the name of a user or an organisation',
  }),
  query: text('', 'Extra search terms, with `owner`.'),
  ...labels,
});

const gitlab = section('GitLab', 'Used when `task_source` names `gitlab`.', {
  api_url: url('https://gitlab.com/api/v4', 'The REST API. Your own GitLab: `https://<host>/api/v4`.'),
  token: text('${GITLAB_TOKEN}', 'Access token with scope `api`.'),
  username: optionalText('As for GitHub.'),
  projects: {
    type: 'array',
    items: {
      anyOf: [
        { type: 'string', pattern: '^([^/\\s]+(/[^/\\s]+)+|[0-9]+)$' },
        { type: 'integer', minimum: 1 },
      ],
      hint: 'must be a path like group/project or the id of a project',
    },
    description: 'Projects to watch, by path or id. Either this or `group`.',
    default: [],
  },
  group: optionalText('Watch all projects of this group and its subgroups.'),
  ...labels,
});

const llm = section('The model', 'Only the section of the chosen provider is used.', {
  provider: choice('openai', ['openai', 'ollama', 'lmstudio'], 'Who answers.'),
  function_calling: {
    ...choice('auto', ['auto', true, false], 'Native tool calls; `auto` finds out whether the model has them.'),
  },
  timeout_seconds: count(600, 'How long one reply may take.'),
  openai: section('OpenAI', 'OpenAI, or a server that speaks its protocol.', {
    base_url: url('https://api.openai.com/v1', 'Where the API is.'),
    api_key: text('${OPENAI_API_KEY}', 'The key.'),
    ...modelKeys(128_000),
    price: {
      type: ['object', 'null'],
      properties: { input: price('of the prompt'), output: price('of the reply') },
      required: ['input', 'output'],
      additionalProperties: false,
      description: 'US dollars per million tokens, to show what a task cost: `{ input: 1.25, output: 10 }`.',
      default: null,
    },
  }),
  ollama: section('Ollama', 'A model of your own, through Ollama.', {
    endpoint: url('http://localhost:11434', 'Where Ollama listens.'),
    ...modelKeys(32_768),
  }),
  lmstudio: section('LM Studio', 'A model of your own, through LM Studio.', {
    base_url: url('http://localhost:1234/v1', 'Where LM Studio listens.'),
    ...modelKeys(32_768),
  }),
});

const mcpServers: SchemaNode = {
  type: 'array',
  title: 'Tools',
  description: 'MCP servers (stdio), started when there is work. The model calls `mcp_server_name/tool_name`.',
  default: [],
  items: {
    type: 'object',
    required: ['mcp_server_name', 'command'],
    additionalProperties: false,
    properties: {
      mcp_server_name: {
        type: 'string',
        description: 'The name its tools go by: unique, without `/` and `__`.',
        pattern: '^(?!.*__)[^/\\s]+$',
        hint: 'must be a name without spaces, "/" and "__"',
      },
      command: {
        type: 'array',
        items: { type: 'string', minLength: 1 },
        minItems: 1,
        description: 'Program and arguments. `{workspace}` becomes the working folder of the task.',
      },
      env: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: "Added to the server's environment, which is otherwise PATH, HOME and the like.",
        default: {},
      },
      system_prompt: optionalText('Text for the system prompt about this server.'),
      allowed_tools: texts(['*'], 'Globs of tool names that may be called.'),
      denied_tools: texts([], 'Globs of tool names that may not, even if allowed.'),
      timeout_seconds: count(120, 'How long one call may take.'),
    },
  },
};

/** The one definition of the configuration: validates, fills the defaults, and becomes docs/configuration.md. */
export const configSchema: SchemaNode & { properties: Record<string, SchemaNode> } = {
  type: 'object',
  title: 'Configuration',
  additionalProperties: false,
  properties: {
    task_source: {
      anyOf: [
        { enum: ['github', 'gitlab'] },
        { type: 'array', items: { enum: ['github', 'gitlab'] }, minItems: 1, uniqueItems: true },
      ],
      hint: 'must be github, gitlab, or [github, gitlab]',
      description: 'Where the work comes from: `github`, `gitlab`, or `[github, gitlab]`.',
      default: 'github',
    },
    language: choice('auto', ['auto', 'ja', 'en'], 'Of every text the agent posts; `auto` is that of the issue.'),
    github,
    gitlab,
    llm,
    max_llm_process_num: count(200, 'LLM calls in one attempt; retries, summaries and unreadable replies count.'),
    limits: section('Limits', 'Null means no limit.', {
      max_tokens_per_task: optionalCount('Tokens in one attempt.'),
      max_minutes_per_task: optionalCount('Minutes of one attempt.'),
      max_tasks_per_run: optionalCount('Tasks one run takes up.'),
      max_tokens_per_day: optionalCount('Tokens in a day, over all tasks; then they wait for tomorrow.'),
      same_error: count(
        3,
        'The same call with the same result or error is pointed out to the model at this time running, and fails the attempt at twice as many.',
      ),
    }),
    system_prompt: text(
      'system_prompt.txt',
      'Template of the system prompt; the default falls back to the shipped one.',
      { minLength: 1 },
    ),
    mcp_servers: mcpServers,
    comment_detection: section('Comments while it works', 'New comments reach the model before its next call.', {
      enabled: flag(true, 'Look for them.'),
      bot_username: optionalText("The bot's own account, if not the `username` of the forge."),
      check_interval: count(1, 'Look at every n-th checkpoint.'),
      log_level: choice('info', LEVELS, 'Level of the log lines about comments found.'),
      include_review_comments: flag(false, 'Read review comments, reviews and diff notes too.'),
    }),
    comment_handling: section('Comments afterwards', 'An answer to finished work starts a follow-up.', {
      enabled: flag(true, 'Off: finished work is completed at once.'),
      completion_keywords: texts(
        [
          'ありがとう',
          'ありがとうございます',
          'ありがとうございました',
          '完了',
          'OK',
          '了解',
          '承知',
          'thank you',
          'thanks',
          'done',
          'complete',
        ],
        'A comment that says no more than one of these ends the conversation.',
      ),
      max_comment_count: count(10, 'Follow-ups of one request.'),
      timeout_hours: {
        ...count(24, 'Without an answer for so long, the conversation ends.'),
        type: 'number',
        minimum: 0,
      },
      respond_to: choice('trusted', ['author', 'trusted', 'anyone'], 'Whose words count.'),
    }),
    pause_resume: section('Pausing', 'Pause everything by creating a file, or one task by command, label or comment.', {
      enabled: flag(true, 'Heed the signal file.'),
      signal_file: text(
        'contexts/pause_signal',
        'While this file exists nothing is worked on. Not given: `pause_signal` in `context_storage.base_dir`.',
        { minLength: 1 },
      ),
      paused_task_expiry_days: count(30, 'Paused for longer, a task is stopped.'),
    }),
    context_storage: section('What is kept', 'History and database.', {
      base_dir: text('contexts', 'Folder of everything that is kept.', { minLength: 1 }),
      compression_threshold: fraction(0.7, 'Share of the context length above which old messages are summarised.'),
      keep_recent_messages: count(5, 'The newest messages are never summarised.', { minimum: 0 }),
    }),
    context_inheritance: section(
      'Memory between attempts',
      'A new attempt at a task knows the summary of the last one.',
      {
        enabled: flag(true, 'Hand it on.'),
        context_expiry_days: count(90, 'Older attempts are forgotten and deleted.'),
        max_inherited_tokens: count(8000, 'The most that is handed on.'),
        planning: section('Memory of plans', 'In planning mode.', {
          inherit_plans: flag(true, 'Earlier plans, revisions and replan decisions.'),
          inherit_verifications: flag(true, 'Earlier verification rounds.'),
          inherit_reflections: flag(true, 'Earlier reflections.'),
          max_previous_plans: count(3, 'Plans to look back on.'),
          reuse_successful_patterns: flag(true, 'Recommend the tool patterns that worked.'),
        }),
      },
    ),
    planning: planningSchema,
    progress_comments: choice(
      'sticky',
      ['sticky', 'append'],
      '`sticky`: one comment that is edited; `append`: one per message.',
    ),
    security: section('Security', 'See docs/security.md.', {
      trusted_users: texts([], 'Accounts trusted besides those with write access.'),
      check_labeller: flag(true, 'Work only where the label was put on by somebody who may triage.'),
      secret_patterns: texts([], 'Regular expressions of further secrets to mask.'),
    }),
    logging: section('Log', 'One file a day.', {
      dir: text('logs', 'Folder of the log files.', { minLength: 1 }),
      level: choice('info', LEVELS, 'The least important level that is written.'),
      keep_days: count(14, 'Older files are deleted.'),
    }),
  },
};

function label(name: string, description: string): SchemaNode {
  return text(name, description, { pattern: '^[^,\\n]*[^,\\s][^,\\n]*$', hint: 'must be a label name without commas' });
}

function modelKeys(contextLength: number): Record<string, SchemaNode> {
  return {
    model: optionalText('The model. Must be set for the chosen provider.'),
    max_token: optionalCount("The most tokens of one reply; null: the server's own limit."),
    context_length: count(contextLength, 'Tokens the model can take in.', { minimum: 1024 }),
  };
}

function price(what: string): SchemaNode {
  return { type: 'number', minimum: 0, description: `US dollars per million tokens ${what}.` };
}
