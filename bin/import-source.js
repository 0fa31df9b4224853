import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const node = { absWorkingDir: root, bundle: true, platform: 'node', target: 'node20', format: 'esm' };

/** Imports a TypeScript file of ours that needs no package. */
export async function importSource(file) {
  const bundled = await build({ ...node, entryPoints: [file], write: false });
  return import(`data:text/javascript;base64,${Buffer.from(bundled.outputFiles[0].contents).toString('base64')}`);
}
