import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

const hex = z.string().regex(/^0x[0-9a-f]*$/);
const content = z.object({
  genesisMs: z.int(),
  storage: z.record(hex, hex),
});

export type ChainContent = z.infer<typeof content>;

/** Undefined when there is no chain yet. A file that cannot be read is an error, never a new chain. */
export async function readChainFile(path: string): Promise<ChainContent | undefined> {
  try {
    return content.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`the embedded chain's file ${path} cannot be read`, { cause: error });
  }
}

/** On disk, whole, when it resolves; a crash on the way leaves the file as it was. */
export async function writeChainFile(path: string, chain: ChainContent): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const temporary = `${path}.new`;
  await using file = await open(temporary, 'w');
  await file.writeFile(JSON.stringify(chain));
  await file.sync();
  await rename(temporary, path);
  // Windows knows no such thing as syncing a folder.
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}
