import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '../../local/postgres.ts';
import { scratchFolder } from '../../local/scratch-folder.ts';
import { schemaPages } from './schema-pages.ts';

const folder = await scratchFolder('reference');
const server = await startPostgres({ dataDir: join(folder, 'data'), fsync: false });
try {
  for (const [name, text] of await schemaPages(server.url)) {
    writeFileSync(new URL(`../${name}`, import.meta.url), text);
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
