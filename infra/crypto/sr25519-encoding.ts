export const publicKeyBytes = 32;
export const signatureBytes = 64;

/** Schnorrkel sets it in every signature, so that no ed25519 signature passes for one. */
const schnorrkelMark = 0x80;

/**
 * Refuses what can never be a good signature, before any curve arithmetic.
 *
 * 1. The all-zero key is the group's identity. Under it anybody signs anything (R = 0, s = 0), and
 *    the library accepts that. Ristretto has prime order, so no other weak element exists.
 * 2. Of every element exactly one encoding passes: canonical and non-negative. What Edwards curves
 *    know as small-order points has no ristretto encoding and fails in decompression at the latest.
 */
export function mayVerify(signature: Uint8Array, publicKey: Uint8Array): boolean {
  return isMarked(signature) && isCanonical(publicKey) && publicKey.some((byte) => byte !== 0);
}

function isMarked(signature: Uint8Array): boolean {
  return (
    signature.length === signatureBytes &&
    ((signature[signatureBytes - 1] ?? 0) & schnorrkelMark) !== 0
  );
}

/** A little-endian integer below 2^255 - 19 whose lowest bit, ristretto's sign, is clear. */
function isCanonical(key: Uint8Array): boolean {
  if (key.length !== publicKeyBytes) return false;
  const [lowest = 0] = key;
  const highest = key[publicKeyBytes - 1] ?? 0;
  if ((lowest & 1) !== 0 || highest > 0x7f) return false;
  return highest < 0x7f || lowest < 0xed || key.subarray(1, -1).some((byte) => byte !== 0xff);
}
