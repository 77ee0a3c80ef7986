/**
 * Fingerprints of a program by winnowing (Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003).
 *
 * 1. Two programs with a run of `guaranteedRun` equal tokens share a fingerprint, wherever the run
 *    stands in either, unless one of them has more than `fingerprintsMax` fingerprints.
 * 2. Nothing shorter than `gramTokens` is ever taken for shared.
 * 3. The same tokens have the same fingerprints, in every process and version: they are stored.
 */

/** Two to three lines of Python: shorter ones are said alike by people who never met. */
export const gramTokens = 18;
export const windowGrams = 14;
/** Five lines or so. */
export const guaranteedRun = windowGrams + gramTokens - 1;
/**
 * About 130 kB of dense code. Of a larger file only those are kept that are multiples of a power of
 * two, so that one file costs the store no more, and any two keep the same ones.
 */
export const fingerprintsMax = 4096;

/** Higher by one with each change of how they are made; a migration empties the tables of the former ones. */
export const fingerprintFormat = 2;

/** A program without what a disguise changes: one number for each token that is left. */
export interface CodeShape {
  readonly codes: Uint32Array;
  /** Of each token, from 1. */
  readonly firstLines: Uint32Array;
  readonly lastLines: Uint32Array;
}

export interface Fingerprints {
  readonly tokenCount: number;
  /** Only hashes that are multiples of it are kept; a power of two. */
  readonly modulus: number;
  /** Distinct, of 52 bits, in the order of their first place. */
  readonly hashes: readonly number[];
  /** Of the first place of each hash. */
  readonly firstLines: readonly number[];
  readonly lastLines: readonly number[];
}

/** @param published fingerprints that are nobody's own, and so of no file */
export function fingerprintsOf(
  { codes, firstLines, lastLines }: CodeShape,
  published: ReadonlySet<number> = new Set(),
): Fingerprints {
  const hashes = gramHashes(codes);
  const places = new Map<number, number>();
  for (const at of winnowed(hashes)) {
    const hash = hashes[at] ?? 0;
    if (!places.has(hash) && !published.has(hash)) places.set(hash, at);
  }
  const modulus = modulusOf([...places.keys()]);
  const kept = [...places].filter(([hash]) => hash % modulus === 0);
  const lastToken = (at: number) => Math.min(at + gramTokens, codes.length) - 1;
  return {
    tokenCount: codes.length,
    modulus,
    hashes: kept.map(([hash]) => hash),
    firstLines: kept.map(([, at]) => firstLines[at] ?? 0),
    lastLines: kept.map(([, at]) => lastLines[lastToken(at)] ?? 0),
  };
}

/** Of every run of `gramTokens`; a shorter program is one run. */
export function gramHashes(codes: Uint32Array): Float64Array {
  const length = Math.min(gramTokens, codes.length);
  const hashes = new Float64Array(length === 0 ? 0 : codes.length - length + 1);
  for (let at = 0; at < hashes.length; at += 1) hashes[at] = hashOf(codes, at, at + length);
  return hashes;
}

// Two lanes of 32 bits, each mixed by an odd multiplier and shifts (as murmur3 and xxhash do). 52
// bits of them are exact in a double; among five million grams a chance hit is one in a billion.
function hashOf(codes: Uint32Array, from: number, to: number): number {
  let high = 0x2f0b4c47;
  let low = 0x7a3d70e5;
  for (let at = from; at < to; at += 1) {
    const code = codes[at] ?? 0;
    high = Math.imul(high ^ code, 0x9e3779b1);
    high ^= high >>> 15;
    low = Math.imul((low + code) | 0, 0x85ebca77);
    low ^= low >>> 13;
  }
  return (mixed(high) >>> 12) * 2 ** 32 + (mixed(low) >>> 0);
}

function mixed(lane: number): number {
  let bits = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** The rightmost least hash of each window, by its place; of a program shorter than one, its least. */
export function winnowed(hashes: Float64Array): readonly number[] {
  const places: number[] = [];
  const width = Math.min(windowGrams, hashes.length);
  let least = -1;
  for (let end = width; end <= hashes.length && width > 0; end += 1) {
    const start = end - width;
    if (least < start) least = rightmostLeast(hashes, start, end);
    else if ((hashes[end - 1] ?? 0) <= (hashes[least] ?? 0)) least = end - 1;
    if (places.at(-1) !== least) places.push(least);
  }
  return places;
}

function rightmostLeast(hashes: Float64Array, start: number, end: number): number {
  let least = start;
  for (let at = start + 1; at < end; at += 1) {
    if ((hashes[at] ?? 0) <= (hashes[least] ?? 0)) least = at;
  }
  return least;
}

function modulusOf(hashes: readonly number[]): number {
  let modulus = 1;
  let kept = hashes;
  while (kept.length > fingerprintsMax) {
    modulus *= 2;
    kept = kept.filter((hash) => hash % modulus === 0);
  }
  return modulus;
}
