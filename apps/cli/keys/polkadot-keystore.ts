import { type ScryptOptions, scryptSync } from 'node:crypto';
import { z } from 'zod';
import { keypairFromSeed } from '../../../infra/crypto/sr25519-signer.ts';
import { KeyUnusable } from './key-unusable.ts';
import { openSecretBox } from './secret-box.ts';
import { keyOfHalves, type SigningKey, signingKey } from './signing-key.ts';
import { WrongPassword } from './wrong-password.ts';

/** An account as polkadot-js, its browser extension and other wallets export it. */
const keystore = z.object({
  encoded: z.string(),
  encoding: z.object({
    content: z.array(z.string()),
    type: z.union([z.array(z.string()), z.string()]),
    version: z.string(),
  }),
});

export type PolkadotKeystore = z.infer<typeof keystore>;

const known = ['scrypt,xsalsa20-poly1305', 'none'];

/** Undefined for what is no keystore; throws for one that this cannot read. */
export function polkadotKeystore(value: unknown): PolkadotKeystore | undefined {
  const parsed = keystore.safeParse(value);
  if (!parsed.success) return undefined;
  const { content, type } = parsed.data.encoding;
  if (content.includes('batch-pkcs8')) {
    throw new KeyUnusable('the file holds several accounts: export the one of your hotkey alone');
  }
  if (!content.includes('pkcs8') || !content.includes('sr25519')) {
    throw new KeyUnusable(
      `the file holds a key of the kind ${content.join(', ')}: a hotkey must be sr25519`,
    );
  }
  if (!known.includes(String(type))) {
    throw new KeyUnusable(`the file is encrypted by ${String(type)}: export the key again`);
  }
  return parsed.data;
}

export function needsPassword({ encoding: { type } }: PolkadotKeystore): boolean {
  return String(type) !== 'none';
}

export function openKeystore(store: PolkadotKeystore, password: string): SigningKey {
  const bytes = Buffer.from(store.encoded, 'base64');
  return keyOfPkcs8(needsPassword(store) ? decrypted(bytes, password) : bytes);
}

const saltBytes = 32;
/** Salt, then N, p and r of scrypt as 32 bits each, little end first. */
const headBytes = saltBytes + 12;

function decrypted(bytes: Buffer, password: string): Uint8Array {
  if (bytes.length <= headBytes) throw new KeyUnusable('the key in the file is cut off');
  const [cost, parallel, blocks] = [0, 4, 8].map((at) => bytes.readUInt32LE(saltBytes + at));
  const memory = 128 * (cost ?? 0) * (blocks ?? 0);
  // Wallets use 16 to 128 MiB; a file that asks for far more is none of theirs.
  if (memory === 0 || memory > 2 ** 30 || parallel === 0 || (parallel ?? 0) > 16) {
    throw new KeyUnusable('the file asks for more memory than wallets do: export the key again');
  }
  const options = { N: cost, r: blocks, p: parallel, maxmem: 2 * memory + 2 ** 20 };
  const key = stretched(password, bytes.subarray(0, saltBytes), options as ScryptOptions);
  const opened = openSecretBox(bytes.subarray(headBytes), key.subarray(0, 32));
  if (opened === undefined) throw new WrongPassword();
  return opened;
}

/** Not every cost is one of scrypt: a power of two is. */
function stretched(password: string, salt: Uint8Array, options: ScryptOptions): Buffer {
  try {
    return scryptSync(password, salt, 64, options);
  } catch (cause) {
    const why = 'the file is encrypted at a cost that scrypt does not have: export the key again';
    throw new KeyUnusable(why, { cause });
  }
}

const header = Uint8Array.fromHex('3053020101300506032b657004220420');
const divider = Uint8Array.fromHex('a123032100');
const publicKeyBytes = 32;

/** What older wallets kept was the seed, where today's keep the secret key. */
function keyOfPkcs8(bytes: Uint8Array): SigningKey {
  for (const secretBytes of [64, 32]) {
    const end = header.length + secretBytes;
    const rest = bytes.subarray(end + divider.length);
    const fits =
      isAt(bytes, header, 0) && isAt(bytes, divider, end) && rest.length === publicKeyBytes;
    if (!fits) continue;
    const secret = bytes.slice(header.length, end);
    return secretBytes === 64
      ? keyOfHalves(secret, rest.slice())
      : signingKey(keypairFromSeed(secret));
  }
  throw new KeyUnusable('what is in the file is no key of polkadot-js: export the key again');
}

function isAt(bytes: Uint8Array, part: Uint8Array, at: number): boolean {
  return part.every((byte, index) => bytes[at + index] === byte);
}
