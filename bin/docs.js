import { writeFile } from 'node:fs/promises';
import { importSource, root } from './import-source.js';

const { configurationPage } = await importSource('src/config/document.ts');
await writeFile(`${root}docs/configuration.md`, configurationPage());
