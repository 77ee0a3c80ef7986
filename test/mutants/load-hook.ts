/**
 * For `node --import`: sources of the product are changed on their way from the disk into memory, by
 * the mutant that PADDOCK_PLANTED names. Worker threads and child processes do the same when
 * NODE_OPTIONS says so. The product itself knows nothing of this.
 */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mutantNamed } from './every-mutant.ts';
import type { Edit } from './mutant.ts';
import { planted } from './plant.ts';

type SourceEdit = Extract<Edit, { file: `${string}.ts` }>;

const root = join(import.meta.dirname, '../..');
const { PADDOCK_PLANTED: id } = process.env;
const edits = new Map<string, SourceEdit[]>();
if (id !== undefined) {
  for (const edit of mutantNamed(id).edits) {
    if (!isOfSource(edit)) continue;
    const { href } = pathToFileURL(join(root, edit.file));
    edits.set(href, [...(edits.get(href) ?? []), edit]);
  }
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const ofFile = edits.get(url);
      if (ofFile === undefined) return loaded;
      loadedEdits.push(...ofFile);
      return { ...loaded, source: ofFile.reduce(planted, String(loaded.source)) };
    },
  });
}

/** Those that are in this process's memory. One that is not cannot be caught. */
export const loadedEdits: SourceEdit[] = [];

function isOfSource(edit: Edit): edit is SourceEdit {
  return edit.file.endsWith('.ts');
}
