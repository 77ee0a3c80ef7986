import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const checksumAlgorithms = ['crc32', 'sha1', 'sha256'] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];
export type DigestAlgorithm = ChecksumAlgorithm | 'md5';

/** Digests of a body that passes by: MD5 for the ETag, SHA-256 always, others where asked for. */
export class PayloadDigests {
  readonly #hashes: ReadonlyMap<DigestAlgorithm, Hash>;
  readonly #digests = new Map<DigestAlgorithm, Buffer>();
  #crc32 = 0;

  constructor(algorithms: Iterable<DigestAlgorithm>) {
    const hashed = new Set<DigestAlgorithm>(['md5', 'sha256', ...algorithms]);
    hashed.delete('crc32');
    this.#hashes = new Map([...hashed].map((name) => [name, createHash(name)]));
  }

  update(bytes: Uint8Array): void {
    this.#crc32 = crc32(bytes, this.#crc32);
    for (const hash of this.#hashes.values()) hash.update(bytes);
  }

  /** Of everything; nothing may be added afterwards. */
  digest(algorithm: DigestAlgorithm): Buffer {
    const digest = this.#digests.get(algorithm) ?? this.#finish(algorithm);
    this.#digests.set(algorithm, digest);
    return digest;
  }

  #finish(algorithm: DigestAlgorithm): Buffer {
    if (algorithm === 'crc32') {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(this.#crc32);
      return bytes;
    }
    const hash = this.#hashes.get(algorithm);
    if (hash === undefined) throw new Error(`digest ${algorithm} was not asked for`);
    return hash.digest();
  }
}
