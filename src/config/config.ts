import type { LogLevel } from '../ports.js';
import type { Source } from '../task/key.js';

/** The configuration as the code reads it: validated, defaults filled, paths absolute, `${NAME}` replaced. */
export interface Config {
  /** The file it came from. */
  file: string;
  taskSources: Source[];
  language: 'auto' | 'ja' | 'en';
  /** Present exactly when `task_source` names it. */
  github?: GitHubConfig;
  gitlab?: GitLabConfig;
  llm: LlmConfig;
  maxLlmProcessNum: number;
  limits: {
    maxTokensPerTask: number | null;
    maxMinutesPerTask: number | null;
    maxTasksPerRun: number | null;
    maxTokensPerDay: number | null;
    sameError: number;
  };
  /** Absolute path. */
  systemPrompt: string;
  mcpServers: McpServerConfig[];
  commentDetection: {
    enabled: boolean;
    botUsername: string | null;
    checkInterval: number;
    logLevel: LogLevel;
    includeReviewComments: boolean;
  };
  commentHandling: {
    enabled: boolean;
    completionKeywords: string[];
    maxCommentCount: number;
    timeoutHours: number;
    respondTo: 'author' | 'trusted' | 'anyone';
  };
  pauseResume: { enabled: boolean; signalFile: string; pausedTaskExpiryDays: number };
  contextStorage: { baseDir: string; compressionThreshold: number; keepRecentMessages: number };
  contextInheritance: {
    enabled: boolean;
    contextExpiryDays: number;
    maxInheritedTokens: number;
    planning: {
      inheritPlans: boolean;
      inheritVerifications: boolean;
      inheritReflections: boolean;
      maxPreviousPlans: number;
      reuseSuccessfulPatterns: boolean;
    };
  };
  planning: {
    enabled: boolean;
    prePlanning: { enabled: boolean };
    maxSubtasks: number;
    reflection: { enabled: boolean; triggerInterval: number; triggerOnError: boolean; maxCount: number };
    revision: { maxRevisions: number };
    verification: { enabled: boolean; maxRounds: number };
    replanning: { enabled: boolean; minConfidence: number; maxActionRetries: number; maxTotalReplans: number };
    llmCallComments: { enabled: boolean };
  };
  progressComments: 'sticky' | 'append';
  security: { trustedUsers: string[]; checkLabeller: boolean; secretPatterns: string[] };
  logging: { dir: string; level: LogLevel; keepDays: number };
  /** Every secret value in the configuration (tokens, keys, values of `env` that look like secrets). */
  secrets: string[];
}

/** The seven labels of a forge, by the state they show. */
export interface LabelNames {
  botLabel: string;
  processingLabel: string;
  awaitingLabel: string;
  doneLabel: string;
  pausedLabel: string;
  stoppedLabel: string;
  failedLabel: string;
}

export interface GitHubConfig extends LabelNames {
  apiUrl: string;
  token: string;
  username: string | null;
  repositories: string[];
  owner: string | null;
  query: string;
}

export interface GitLabConfig extends LabelNames {
  apiUrl: string;
  token: string;
  username: string | null;
  projects: string[];
  group: string | null;
}

export interface LlmConfig {
  provider: 'openai' | 'ollama' | 'lmstudio';
  functionCalling: 'auto' | boolean;
  timeoutSeconds: number;
  /** The section of the chosen provider; `url` is its base_url or endpoint. */
  model: string;
  url: string;
  apiKey: string | null;
  maxToken: number | null;
  contextLength: number;
  /** US dollars per million tokens, where known. */
  price: { input: number; output: number } | null;
}

export interface McpServerConfig {
  name: string;
  command: string[];
  env: Record<string, string>;
  systemPrompt: string | null;
  allowedTools: string[];
  deniedTools: string[];
  timeoutSeconds: number;
}
