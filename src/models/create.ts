import type { LlmConfig } from '../config/config.js';
import type { Model } from '../ports.js';
import type { ModelDeps } from './exchange.js';

/** The configured model; only the code of its provider is loaded. */
export async function createModel(config: LlmConfig, deps: ModelDeps): Promise<Model> {
  switch (config.provider) {
    case 'openai':
      return (await import('./openai.js')).createOpenAi(config, deps);
    case 'lmstudio':
      return (await import('./lmstudio.js')).createLmStudio(config, deps);
    case 'ollama':
      return (await import('./ollama.js')).createOllama(config, deps);
  }
}
