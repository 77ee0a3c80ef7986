/**
 * The one edge that counts a key: rendezvous hashing. Every edge that knows of the same others
 * finds the same one, in whatever order it knows them; when one comes or goes, only its keys move.
 *
 * @param names not empty
 */
export function countingEdge(names: readonly string[], key: string): string {
  const [first = ''] = names;
  if (names.length < 2) return first;
  const keyHash = hash(key);
  let best = first;
  let bestWeight = -1;
  for (const name of names) {
    const weight = mixed(keyHash ^ hash(name));
    if (weight > bestWeight || (weight === bestWeight && name < best)) {
      best = name;
      bestWeight = weight;
    }
  }
  return best;
}

/** FNV-1a over UTF-16 units; 32 bits. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  }
  return state;
}

/** The finalizer of MurmurHash3: each bit of the input flips each of the result with even chance. */
function mixed(bits: number): number {
  let state = bits;
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
