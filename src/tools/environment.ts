const PASSED_ON = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'LANG', 'LANGUAGE'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'],
]);
const PASSED_ON_PREFIXES = ['LC_', 'XDG_'];

/** What a server finds in its environment: where things are on this machine, its own settings, nothing else of ours. */
export function serverEnvironment(ours: NodeJS.ProcessEnv, own: Record<string, string>): Record<string, string> {
  const passedOn = Object.entries(ours).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    return value !== undefined && isPassedOn(name);
  });
  return { ...Object.fromEntries(passedOn), ...own };
}

function isPassedOn(name: string): boolean {
  const upper = name.toUpperCase();
  const isProxy = upper.endsWith('_PROXY');
  return PASSED_ON.has(isProxy ? upper : name) || PASSED_ON_PREFIXES.some((prefix) => name.startsWith(prefix));
}
