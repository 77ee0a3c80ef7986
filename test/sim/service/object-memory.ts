import { Readable } from 'node:stream';
import type { ObjectStore } from '../../../infra/ports/object-store.ts';

/** The bucket, in memory, never away: it decides nothing in the lives of runs. */
export function createObjectMemory(): ObjectStore {
  const objects = new Map<string, Uint8Array>();
  return {
    putOnce: async (key, body) => {
      const isNew = !objects.has(key);
      if (isNew) objects.set(key, body);
      return isNew;
    },
    putFileOnce: () => Promise.reject(new Error('no files in the simulated world')),
    get: async (key) => objects.get(key),
    getStream: async (key) => {
      const found = objects.get(key);
      return found === undefined ? undefined : Readable.from([found]);
    },
    size: async (key) => objects.get(key)?.length,
    presignGet: async (key) => `https://store.invalid/${key}`,
    presignPut: async (key) => `https://store.invalid/${key}`,
    ensureBucket: async () => undefined,
    probe: async () => undefined,
  };
}
