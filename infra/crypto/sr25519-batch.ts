import { publicKeyBytes, signatureBytes } from './sr25519-encoding.ts';

export interface Claim {
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** What goes to a thread: claims end to end, so that one buffer is moved and none is cloned. */
export interface PackedClaims {
  readonly messageSizesBytes: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What comes back. `ready` once, then one `verdicts` per batch: 1 is a good signature, 0 is not. */
export type ThreadReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'verdicts'; readonly verdicts: Uint8Array };

const fixedBytes = signatureBytes + publicKeyBytes;

export function packClaims(claims: readonly Claim[]): PackedClaims {
  const messageSizesBytes = claims.map(({ message }) => message.length);
  const total = messageSizesBytes.reduce((sum, size) => sum + fixedBytes + size, 0);
  const bytes = new Uint8Array(total);
  let offset = 0;
  for (const { signature, publicKey, message } of claims) {
    bytes.set(signature, offset);
    bytes.set(publicKey, offset + signatureBytes);
    bytes.set(message, offset + fixedBytes);
    offset += fixedBytes + message.length;
  }
  return { messageSizesBytes, bytes };
}

export function unpackClaims({ messageSizesBytes, bytes }: PackedClaims): readonly Claim[] {
  let offset = 0;
  return messageSizesBytes.map((size) => {
    const claim = bytes.subarray(offset, offset + fixedBytes + size);
    offset += claim.length;
    return {
      signature: claim.subarray(0, signatureBytes),
      publicKey: claim.subarray(signatureBytes, fixedBytes),
      message: claim.subarray(fixedBytes),
    };
  });
}
