#!/usr/bin/env node
import { existsSync } from 'node:fs';

const cli = new URL('../dist/cli.js', import.meta.url);
if (!existsSync(cli)) {
  process.stderr.write('agent: not built yet (dist/cli.js is missing). Run `npm ci` or `npm run build` first.\n');
  process.exit(2);
}
const { start } = await import(cli.href);
await start(process);
