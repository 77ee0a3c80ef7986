export const publicKeyBytes = 32;
export const signatureBytes = 64;

/** Schnorrkel sets it in every signature, so that no ed25519 signature passes for one. */
const schnorrkelMark = 0x80;
const scalarBytes = 32;

/** The order of the group, least byte first: 2^252 + 27742317777372353535851937790883648493. */
const groupOrder = Uint8Array.fromHex(
  'edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010',
);

/**
 * Refuses what can never be a good signature, before any curve arithmetic.
 *
 * 1. The all-zero key is the group's identity. Under it anybody signs anything (R = 0, s = 0), and
 *    the library accepts that. Ristretto has prime order, so no other weak element exists.
 * 2. Of every element exactly one encoding passes: canonical and non-negative. What Edwards curves
 *    know as small-order points has no ristretto encoding and fails in decompression at the latest.
 * 3. Of every number s exactly one spelling passes: the least.
 */
export function mayVerify(signature: Uint8Array, publicKey: Uint8Array): boolean {
  return (
    isMarked(signature) &&
    isReduced(signature) &&
    isCanonical(publicKey) &&
    publicKey.some((byte) => byte !== 0)
  );
}

function isMarked(signature: Uint8Array): boolean {
  return (
    signature.length === signatureBytes &&
    ((signature[signatureBytes - 1] ?? 0) & schnorrkelMark) !== 0
  );
}

/** Its second half, without the mark, is below the group's order. */
function isReduced(signature: Uint8Array): boolean {
  for (let at = scalarBytes - 1; at >= 0; at -= 1) {
    const marked = signature[signatureBytes - scalarBytes + at] ?? 0;
    const byte = at === scalarBytes - 1 ? marked & ~schnorrkelMark : marked;
    const bound = groupOrder[at] ?? 0;
    if (byte !== bound) return byte < bound;
  }
  return false;
}

/** A little-endian integer below 2^255 - 19 whose lowest bit, ristretto's sign, is clear. */
function isCanonical(key: Uint8Array): boolean {
  if (key.length !== publicKeyBytes) return false;
  const [lowest = 0] = key;
  const highest = key[publicKeyBytes - 1] ?? 0;
  if ((lowest & 1) !== 0 || highest > 0x7f) return false;
  return highest < 0x7f || lowest < 0xed || key.subarray(1, -1).some((byte) => byte !== 0xff);
}
