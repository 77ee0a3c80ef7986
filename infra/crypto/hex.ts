const evenHex = /^(?:[0-9a-fA-F]{2})*$/;
const signatureText = /^0x[0-9a-fA-F]{128}$/;

/** Digits in pairs of either case, no prefix; undefined for anything else. */
export function decodeHex(text: string): Uint8Array | undefined {
  return evenHex.test(text) ? Uint8Array.fromHex(text) : undefined;
}

/** Lower case, no prefix. */
export function encodeHex(bytes: Uint8Array): string {
  return bytes.toHex();
}

/** `0x` and 128 digits of either case; undefined for any other spelling. */
export function decodeSignature(text: string): Uint8Array | undefined {
  return signatureText.test(text) ? Uint8Array.fromHex(text.slice(2)) : undefined;
}

export function encodeSignature(signature: Uint8Array): string {
  return `0x${signature.toHex()}`;
}
