import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { ObjectStore } from '../../../infra/ports/object-store.ts';
import type { ArchiveText } from '../../../infra/ports/text-archive.ts';

export interface ObjectMemory extends ObjectStore {
  /** Files that would lie on a local disk meanwhile. */
  readonly archive: ArchiveText;
}

/** The bucket, in memory, never away: it decides nothing in the lives of runs. */
export function createObjectMemory(): ObjectMemory {
  const objects = new Map<string, Uint8Array>();
  const files = new Map<string, Uint8Array>();
  const putOnce = async (key: string, body: Uint8Array) => {
    const isNew = !objects.has(key);
    if (isNew) objects.set(key, body);
    return isNew;
  };
  return {
    putOnce,
    putFileOnce: async (key, path) => {
      const file = files.get(path);
      if (file === undefined) throw new Error(`no file ${path}`);
      return await putOnce(key, file);
    },
    put: async (key, body) => void objects.set(key, body),
    putFile: async (key, path) => {
      const file = files.get(path);
      if (file === undefined) throw new Error(`no file ${path}`);
      objects.set(key, file);
    },
    copyOnce: async (source, target) => {
      const found = objects.get(source);
      return found && (await putOnce(target, found));
    },
    get: async (key) => objects.get(key),
    getStream: async (key) => {
      const found = objects.get(key);
      return found === undefined ? undefined : Readable.from([found]);
    },
    size: async (key) => objects.get(key)?.length,
    holds: async (key, { sha256, sizeBytes }) => {
      const found = objects.get(key);
      return found?.length === sizeBytes && sha256Hex(found) === sha256;
    },
    presignGet: async (key) => `https://store.invalid/${key}`,
    presignPut: async (key) => `https://store.invalid/${key}`,
    comparesUploads: async () => true,
    hasBucket: async () => true,
    ensureBucket: async () => undefined,
    probe: async () => undefined,
    archive: async (pieces) => {
      const texts: string[] = [];
      for await (const piece of pieces) texts.push(piece);
      const bytes = gzipSync(texts.join(''));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      files.set(sha256, bytes);
      const remove = async () => void files.delete(sha256);
      return { path: sha256, sha256, sizeBytes: bytes.length, [Symbol.asyncDispose]: remove };
    },
  };
}
