import nacl from 'tweetnacl';

const nonceBytes = 24;

/** Opens NaCl's secret box behind its nonce; undefined when the key is not the one that closed it. */
export function openSecretBox(sealed: Uint8Array, key: Uint8Array): Uint8Array | undefined {
  if (sealed.length <= nonceBytes) return undefined;
  // Plain arrays: the library knows no Buffer that is a window into a larger one.
  const nonce = new Uint8Array(sealed.subarray(0, nonceBytes));
  const box = new Uint8Array(sealed.subarray(nonceBytes));
  return nacl.secretbox.open(box, nonce, new Uint8Array(key)) ?? undefined;
}
