import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomHex } from '../ids/ids.ts';
import type { MarkCopy } from '../ports/history.ts';
import { markOfText, textOfMark } from './mark-text.ts';

/** In a folder of this host, which several processes may share: the last one to write counts. */
export function createMarkFile(folder: string): MarkCopy {
  const pathOf = (genesis: string) => join(folder, `history-${genesis}.json`);
  return {
    name: 'folder',
    async read(genesis) {
      try {
        return markOfText(await readFile(pathOf(genesis), 'utf8'));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async write(mark) {
      await mkdir(folder, { recursive: true });
      const path = pathOf(mark.genesis);
      // Written aside and moved whole: who reads finds the old one or the new one.
      const unfinished = `${path}.${randomHex(4)}`;
      try {
        await using file = await open(unfinished, 'wx');
        await file.writeFile(textOfMark(mark));
        await file.sync();
        await rename(unfinished, path);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    },
  };
}
