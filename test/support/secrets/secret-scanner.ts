import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { spellingsOf, windowBytes } from './spellings.ts';

export interface Canary {
  /** What was done with it. */
  readonly kind: string;
  readonly secret: string;
}

export interface Leak {
  readonly kind: string;
  readonly spelling: string;
  readonly place: string;
  /** Of the first window found. */
  readonly offset: number;
  /** What stands around it. */
  readonly excerpt: string;
}

interface Needle {
  readonly window: string;
  readonly kind: string;
  readonly spelling: string;
}

const filterBits = 26;
/** A database has a thousand small files and few large ones. */
const usualWholeBytes = 1 << 25;
const factor = 0x01000193;
/** `factor ** windowBytes`, by which the byte that leaves the window has grown. */
const leaving = Array.from({ length: windowBytes }).reduce<number>(
  (power) => Math.imul(power, factor),
  1,
);

/**
 * Finds any 16 bytes of any spelling of any canary, in one pass over the bytes: a rolling hash of each
 * window is looked up in a filter of 8 MiB, and what passes is compared.
 */
export class SecretScanner {
  readonly #filter = new Uint8Array(2 ** (filterBits - 3));
  readonly #needles = new Map<number, Needle[]>();
  readonly #wholeBytesMax: number;
  scannedBytes = 0;
  needleCount = 0;

  /** Files beyond `wholeBytesMax` are read in pieces. */
  constructor(canaries: readonly Canary[], wholeBytesMax = usualWholeBytes) {
    this.#wholeBytesMax = wholeBytesMax;
    for (const { kind, secret } of canaries) {
      for (const [spelling, text] of spellingsOf(secret)) this.#add(kind, spelling, text);
    }
  }

  #add(kind: string, spelling: string, text: string): void {
    const bytes = Buffer.from(text, spelling === 'UTF-16' ? 'latin1' : 'utf8');
    for (let at = 0; at + windowBytes <= bytes.length; at++) {
      const window = bytes.subarray(at, at + windowBytes);
      const hash = hashOf(window);
      const needle = { window: window.toString('latin1'), kind, spelling };
      const place = hash >>> (32 - filterBits);
      this.#filter[place >>> 3] = (this.#filter[place >>> 3] ?? 0) | (1 << (place & 7));
      this.#needles.set(hash, [...(this.#needles.get(hash) ?? []), needle]);
      this.needleCount += 1;
    }
  }

  /** Each kind and spelling once. `carry` is what the last chunk of the same place left. */
  scan(bytes: Uint8Array, place: string, from = 0): Leak[] {
    const leaks = new Map<string, Leak>();
    const filter = this.#filter;
    let hash = 0;
    for (let at = 0; at < bytes.length; at++) {
      const leaves = at < windowBytes ? 0 : Math.imul(bytes[at - windowBytes] as number, leaving);
      hash = (Math.imul(hash, factor) + (bytes[at] as number) - leaves) | 0;
      const bit = hash >>> (32 - filterBits);
      if (((filter[bit >>> 3] as number) & (1 << (bit & 7))) === 0) continue;
      if (at + 1 < windowBytes) continue;
      for (const { kind, spelling } of this.#matches(hash, bytes, at + 1)) {
        const key = `${kind} ${spelling}`;
        const offset = from + at + 1 - windowBytes;
        if (!leaks.has(key))
          leaks.set(key, { kind, spelling, place, offset, excerpt: excerptOf(bytes, at) });
      }
    }
    this.scannedBytes += bytes.length;
    return [...leaks.values()];
  }

  #matches(hash: number, bytes: Uint8Array, end: number): readonly Needle[] {
    const known = this.#needles.get(hash);
    if (known === undefined) return [];
    const seen = Buffer.from(bytes.subarray(end - windowBytes, end)).toString('latin1');
    return known.filter(({ window }) => window === seen);
  }

  async scanFile(path: string): Promise<Leak[]> {
    const { size } = await stat(path);
    return size <= this.#wholeBytesMax
      ? this.scan(await readFile(path), path)
      : this.#scanLong(path);
  }

  async #scanLong(path: string): Promise<Leak[]> {
    const leaks: Leak[] = [];
    let carry = Buffer.alloc(0);
    let from = 0;
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
      const bytes = Buffer.concat([carry, chunk as Buffer]);
      leaks.push(...this.scan(bytes, path, from));
      const kept = Math.min(windowBytes - 1, bytes.length);
      from += bytes.length - kept;
      carry = Buffer.from(bytes.subarray(bytes.length - kept));
    }
    return leaks;
  }

  /** Every file below a folder, but those that are known to be somebody's own keeping. */
  async scanFolder(folder: string, isExempt: (path: string) => boolean): Promise<Leak[]> {
    const leaks: Leak[] = [];
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && !isExempt(path)) leaks.push(...(await this.scanFile(path)));
    }
    return leaks;
  }
}

function excerptOf(bytes: Uint8Array, at: number): string {
  const around = Buffer.from(bytes.subarray(Math.max(0, at - 120), at + 80)).toString('latin1');
  return JSON.stringify(around.replaceAll(/[^\x20-\x7e]/g, '.'));
}

function hashOf(window: Uint8Array): number {
  let hash = 0;
  for (const byte of window) hash = (Math.imul(hash, factor) + byte) | 0;
  return hash;
}
