import type { LlmConfig } from '../config/config.js';

/** What a model's server is known to refuse, kept between ticks: rows in tasks.db. */
export interface ModelMemory {
  get(key: string): string | null;
  set(key: string, value: string): void;
}

export type Refusable = 'tools' | 'schema';

/** The refusals of one model: remembered for (provider, URL, model), so that another model is asked anew. */
export interface Refusals {
  has(what: Refusable): boolean;
  add(what: Refusable): void;
}

export function refusalsOf(config: LlmConfig, memory: ModelMemory): Refusals {
  const key = (what: Refusable) => JSON.stringify([config.provider, config.url, config.model, what]);
  return {
    has: (what) => memory.get(key(what)) === 'refused',
    add: (what) => memory.set(key(what), 'refused'),
  };
}
