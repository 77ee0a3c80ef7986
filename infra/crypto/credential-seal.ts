import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { type Seal, SealBroken, SealKeyMissing } from '../ports/seal.ts';

/** Of a key ring: the first seals, all open. */
export interface SealKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

const version = 'v1';
const algorithm = 'aes-256-gcm';
/** As NIST SP 800-38D wants it; random ones are safe for 2^32 texts under one key. */
const nonceBytes = 12;
const tagBytes = 16;
/** No two keys that anybody makes have the same. */
const checkBytes = 16;

/**
 * AES-256-GCM. A sealed text is `v1.<key id>.<base64url of nonce, ciphertext and tag>`; version, key
 * and context are authenticated with it, so that it opens nowhere but where it was made for.
 */
export function createCredentialSeal(ring: readonly SealKey[]): Seal {
  const [first] = ring;
  if (first === undefined) throw new Error('a key ring holds one key at least');
  return {
    sealingKeyId: first.id,
    keyChecks: new Map(ring.map((each) => [each.id, checkOf(each)])),
    seal: (plaintext, context) => sealWith(first, plaintext, context),
    open: (sealed, context) => {
      const { keyId, bytes } = partsOf(sealed);
      const known = ring.find(({ id }) => id === keyId);
      if (known === undefined) throw new SealKeyMissing(keyId);
      return openWith(known, bytes, context);
    },
  };
}

/** Derived for this purpose alone: a key of 32 random bytes cannot be guessed from it. */
function checkOf({ key }: SealKey): string {
  return Buffer.from(hkdfSync('sha256', key, '', `${version} key check`, checkBytes)).toString(
    'hex',
  );
}

function sealWith({ id, key }: SealKey, plaintext: string, context: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(boundTo(id, context));
  const body = [nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `${version}.${id}.${Buffer.concat(body).toString('base64url')}`;
}

function openWith({ id, key }: SealKey, bytes: Buffer, context: string): string {
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(boundTo(id, context));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  const start = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  try {
    return Buffer.concat([start, decipher.final()]).toString('utf8');
  } catch {
    throw new SealBroken('a sealed text was changed, or belongs elsewhere');
  }
}

/** As JSON: no two pairs of texts give the same bytes. */
function boundTo(keyId: string, context: string): Buffer {
  return Buffer.from(JSON.stringify([version, keyId, context]));
}

function partsOf(sealed: string): { readonly keyId: string; readonly bytes: Buffer } {
  // A key's id may hold dots; the other parts never do.
  const [, keyId, text] = /^v1\.(.+)\.([A-Za-z0-9_-]+)$/su.exec(sealed) ?? [];
  if (keyId === undefined || text === undefined) throw new SealBroken('not a sealed text');
  const bytes = Buffer.from(text, 'base64url');
  // One spelling for one text: the last digit's spare bits count, too.
  const isWhole = bytes.length >= nonceBytes + tagBytes && bytes.toString('base64url') === text;
  if (!isWhole) throw new SealBroken('not a sealed text');
  return { keyId, bytes };
}
