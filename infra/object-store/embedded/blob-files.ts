import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { link, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomHex } from '../../ids/ids.ts';
import type { BlobRecord } from './blob-record.ts';
import { encodeRecord, readRecord } from './blob-record.ts';

/**
 * Objects on disk: `buckets/<bucket>/<2 hex>/<sha256 of the key>`.
 *
 * 1. No part of a key ever becomes part of a path. Bucket names are checked before they come here.
 * 2. An object is seen whole or not at all, and (with fsync) is on disk before anybody is told so.
 */
export class BlobFiles {
  readonly #buckets: string;
  readonly #incoming: string;
  readonly #fsync: boolean;

  private constructor(dataDir: string, fsync: boolean) {
    this.#fsync = fsync;
    this.#buckets = join(dataDir, 'buckets');
    this.#incoming = join(dataDir, 'incoming');
  }

  static async open(dataDir: string, fsync: boolean): Promise<BlobFiles> {
    const files = new BlobFiles(dataDir, fsync);
    await mkdir(files.#buckets, { recursive: true });
    // What a crash left behind was never promised to anybody.
    await rm(files.#incoming, { recursive: true, force: true });
    await mkdir(files.#incoming);
    return files;
  }

  async hasBucket(bucket: string): Promise<boolean> {
    return (await unlessAbsent(stat(join(this.#buckets, bucket)))) !== undefined;
  }

  /** False when there is one already. */
  async createBucket(bucket: string): Promise<boolean> {
    const created = await mkdir(join(this.#buckets, bucket), { recursive: true });
    if (created !== undefined) await this.#syncFolder(this.#buckets);
    return created !== undefined;
  }

  /** The caller closes the file. */
  async find(bucket: string, key: string): Promise<OpenBlob | undefined> {
    const file = await unlessAbsent(open(this.#pathOf(bucket, key), 'r'));
    if (file === undefined) return undefined;
    try {
      return { file, record: await readRecord(file) };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async has(bucket: string, key: string): Promise<boolean> {
    return (await unlessAbsent(stat(this.#pathOf(bucket, key)))) !== undefined;
  }

  /** A new file that nobody sees; disposing of it removes it unless it was published. */
  async receive(): Promise<IncomingBlob> {
    const path = join(this.#incoming, randomHex(16));
    const file = await open(path, 'wx');
    return {
      write: (bytes) => file.writeFile(bytes),
      publish: (target, record) => this.#publish({ file, path }, target, record),
      [Symbol.asyncDispose]: async () => {
        await file.close();
        await rm(path, { force: true });
      },
    };
  }

  async remove(bucket: string, key: string): Promise<void> {
    const path = this.#pathOf(bucket, key);
    await unlessAbsent(unlink(path));
    await unlessAbsent(this.#syncFolder(dirname(path)));
  }

  /** In no order. */
  async *records(bucket: string): AsyncGenerator<BlobRecord> {
    const root = join(this.#buckets, bucket);
    for (const folder of await readdir(root)) {
      for (const name of await readdir(join(root, folder))) {
        await using file = await unlessAbsent(open(join(root, folder, name), 'r'));
        if (file !== undefined) yield await readRecord(file);
      }
    }
  }

  async #publish(
    source: { readonly file: FileHandle; readonly path: string },
    target: PublishTarget,
    record: BlobRecord,
  ): Promise<boolean> {
    await source.file.writeFile(encodeRecord(record));
    if (this.#fsync) await source.file.sync();
    const path = this.#pathOf(target.bucket, record.key);
    const created = await mkdir(dirname(path), { recursive: true });
    if (created !== undefined) await this.#syncFolder(dirname(created));
    if (!(await moveTo(source.path, path, target.onlyIfAbsent))) return false;
    await this.#syncFolder(dirname(path));
    return true;
  }

  /** Makes a name last. Windows knows no such thing. */
  async #syncFolder(path: string): Promise<void> {
    if (!this.#fsync || process.platform === 'win32') return;
    await using folder = await open(path, 'r');
    await folder.sync();
  }

  #pathOf(bucket: string, key: string): string {
    const name = createHash('sha256').update(key).digest('hex');
    return join(this.#buckets, bucket, name.slice(0, 2), name);
  }
}

export interface OpenBlob {
  readonly file: FileHandle;
  readonly record: BlobRecord;
}

export interface PublishTarget {
  readonly bucket: string;
  readonly onlyIfAbsent: boolean;
}

export interface IncomingBlob extends AsyncDisposable {
  write(bytes: Uint8Array): Promise<void>;
  /** False when the key exists and should not. */
  publish(target: PublishTarget, record: BlobRecord): Promise<boolean>;
}

/** A link fails where the name is taken, whoever took it a moment ago; a rename replaces. */
async function moveTo(from: string, to: string, onlyIfAbsent: boolean): Promise<boolean> {
  if (!onlyIfAbsent) {
    await rename(from, to);
    return true;
  }
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function unlessAbsent<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
