import { decodeHotkey } from '../../../infra/crypto/ss58.ts';
import { KeyUnusable } from '../keys/key-unusable.ts';
import { keyOfHalves, type SigningKey } from '../keys/signing-key.ts';
import type { StoredSession } from './session-file.ts';

/** The key that `login --keep-key` put beside the session. */
export function keptKey({ hotkey, secret_key: secret = '' }: StoredSession): SigningKey {
  const publicKey = decodeHotkey(hotkey);
  if (publicKey === undefined || !/^[0-9a-f]{128}$/.test(secret)) {
    throw new KeyUnusable('the kept key is damaged: run paddock login again');
  }
  return keyOfHalves(Uint8Array.fromHex(secret), publicKey);
}
