import type { Config } from '../config/config.js';
import type { ForgeOptions } from '../forges/http.js';
import { useProxyOf } from '../lib/proxy.js';
import type { Forge } from '../ports.js';
import type { Source } from '../task/key.js';

type ForgeDeps = Pick<ForgeOptions<unknown>, 'clock' | 'cache' | 'log' | 'memory'>;

/** How to open a forge; only the adapters of the forges in use are loaded. */
export async function openForges(
  config: Config,
  deps: ForgeDeps,
  env: Readonly<Record<string, string | undefined>>,
): Promise<(source: Source, signal: AbortSignal) => Forge> {
  await useProxyOf(env);
  const github = config.github && (await import('../forges/github.js'));
  const gitlab = config.gitlab && (await import('../forges/gitlab.js'));
  return (source, signal) =>
    source === 'github'
      ? github!.createGitHub({ ...deps, signal, config: config.github! })
      : gitlab!.createGitLab({ ...deps, signal, config: config.gitlab! });
}
