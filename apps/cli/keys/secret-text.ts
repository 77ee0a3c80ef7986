import { blake2b } from '@noble/hashes/blake2';
import {
  type Junction,
  keypairFromSeed,
  seedOfPhrase,
} from '../../../infra/crypto/sr25519-signer.ts';
import { KeyUnusable } from './key-unusable.ts';
import { type SigningKey, signingKey } from './signing-key.ts';

/** Of every Substrate tool: where nothing stands before the path, as in `//Alice`. */
const developmentPhrase = 'bottom drive obey lake curtain smoke basket hold race lonely fit walk';

/**
 * What Substrate tools call a secret URI: a seed of 32 bytes as hex, or a phrase of 12 to 24 words,
 * then `//hard` and `/soft` steps, then `///password`.
 */
export function keyOfText(text: string): SigningKey {
  const [, secret = '', path = '', , password = ''] =
    /^([^/]*)((?:\/\/?[^/]+)*)(\/\/\/(.*))?$/s.exec(text.trim()) ?? [];
  const words = secret.trim().split(/\s+/).join(' ');
  const steps = [...path.matchAll(/(\/\/?)([^/]+)/g)].map(([, slashes, name = '']) => ({
    isHard: slashes === '//',
    chainCode: chainCodeOf(name),
  }));
  const seed = seedOf(words === '' && steps.length > 0 ? developmentPhrase : words, password);
  return signingKey(keypairFromSeed(seed, steps satisfies Junction[]));
}

function seedOf(words: string, password: string): Uint8Array {
  if (/^(0x)?[0-9a-f]{64}$/i.test(words)) return Uint8Array.fromHex(words.replace(/^0x/i, ''));
  const seed = seedOfPhrase(words.toLowerCase(), password);
  if (seed !== undefined) return seed;
  const count = words === '' ? 0 : words.split(' ').length;
  throw new KeyUnusable(
    [12, 15, 18, 21, 24].includes(count)
      ? `these ${count} words are no seed phrase: one of them is misspelt or not in its place`
      : 'this is no key that I know: a seed has 64 hex digits, a seed phrase 12, 15, 18, 21 or 24 words',
  );
}

/** A number as 64 bits, any other name as SCALE writes text; what is too long, by its hash. */
function chainCodeOf(name: string): Uint8Array {
  const code = new Uint8Array(32);
  if (/^\d+$/.test(name) && BigInt(name) < 2n ** 64n) {
    new DataView(code.buffer).setBigUint64(0, BigInt(name), true);
    return code;
  }
  const bytes = Buffer.from(name);
  const size = bytes.length;
  // Compact: two bits say how many bytes hold the length.
  const length = size < 64 ? [size << 2] : [((size << 2) | 1) & 0xff, size >> 6];
  const encoded = Buffer.concat([Uint8Array.from(length), bytes]);
  if (encoded.length > 32) return blake2b(encoded, { dkLen: 32 });
  code.set(encoded);
  return code;
}
