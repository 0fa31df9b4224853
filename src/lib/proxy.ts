const VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'];

/** undici gives up after 300 s without headers; a model may think longer, and every caller has a time limit of its own. */
const PATIENT = { headersTimeout: 0, bodyTimeout: 0 };

/** Sends the process's fetches through the proxy that the environment names, if it names one; `no_proxy` is obeyed. */
export async function useProxyOf(env: NodeJS.ProcessEnv): Promise<void> {
  if (!VARIABLES.some((name) => env[name])) return;
  const { default: undici } = await import('undici'); // bundled, a CommonJS module has its default export only
  const { EnvHttpProxyAgent, setGlobalDispatcher } = undici;
  setGlobalDispatcher(new EnvHttpProxyAgent({ ...settings(env), ...PATIENT }));
}

function settings(env: NodeJS.ProcessEnv): { httpProxy: string; httpsProxy: string; noProxy: string } {
  const httpProxy = env.http_proxy ?? env.HTTP_PROXY ?? '';
  const httpsProxy = env.https_proxy ?? env.HTTPS_PROXY ?? httpProxy;
  return { httpProxy, httpsProxy, noProxy: env.no_proxy ?? env.NO_PROXY ?? '' };
}
