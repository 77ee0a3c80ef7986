import { argon2Sync } from 'node:crypto';
import { z } from 'zod';
import { KeyUnusable } from './key-unusable.ts';
import { openSecretBox } from './secret-box.ts';
import { keyOfText } from './secret-text.ts';
import { keyOfHalves, type SigningKey } from './signing-key.ts';
import { WrongPassword } from './wrong-password.ts';

/** What bittensor's wallet writes into `hotkeys/NAME`; some versions leave fields empty. */
const keyfile = z
  .object({
    publicKey: z.string().nullish(),
    accountId: z.string().nullish(),
    privateKey: z.string().nullish(),
    secretPhrase: z.string().nullish(),
    secretSeed: z.string().nullish(),
    ss58Address: z.string().nullish(),
  })
  .refine((file) => file.secretPhrase || file.secretSeed || file.privateKey);

export type BittensorKeyfile = z.infer<typeof keyfile>;

/** Undefined for what is no such file. */
export function bittensorKeyfile(value: unknown): BittensorKeyfile | undefined {
  const parsed = keyfile.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

export function openKeyfile(file: BittensorKeyfile): SigningKey {
  const key = keyOf(file);
  const { ss58Address: told } = file;
  if (!told || told === key.hotkey) return key;
  throw new KeyUnusable(
    `the file says ${told}, but the secret in it is that of ${key.hotkey}: restore it from its phrase`,
  );
}

function keyOf(file: BittensorKeyfile): SigningKey {
  if (file.secretSeed) return keyOfText(file.secretSeed);
  if (file.secretPhrase) return keyOfText(file.secretPhrase);
  const secret = hexOf(file.privateKey);
  const publicKey = hexOf(file.publicKey) ?? hexOf(file.accountId);
  if (secret?.length !== 64 || publicKey === undefined) {
    throw new KeyUnusable('the file has neither seed nor phrase nor a whole key');
  }
  return keyOfHalves(withCofactor(secret), publicKey);
}

function hexOf(text: string | null | undefined): Uint8Array | undefined {
  const [, digits] = /^(?:0x)?((?:[0-9a-f]{2})+)$/i.exec(text ?? '') ?? [];
  return digits === undefined ? undefined : Uint8Array.fromHex(digits);
}

/** Python's library keeps the scalar itself, polkadot's eight times it: three bits to the left. */
function withCofactor(secret: Uint8Array): Uint8Array {
  const shifted = secret.slice();
  let carried = 0;
  for (let at = 0; at < 32; at++) {
    const value = ((secret[at] ?? 0) << 3) | carried;
    shifted[at] = value & 0xff;
    carried = value >> 8;
  }
  return shifted;
}

const mark = Buffer.from('$NACL');
/** The wallet's own, the same for everybody. */
const salt = Buffer.from('137183dff15a09bc9c90b5518739e9b1', 'hex');

export function isEncrypted(bytes: Uint8Array): boolean {
  return mark.equals(bytes.subarray(0, mark.length));
}

/** The bytes of the file inside. Takes seconds and half a gigabyte: that is libsodium's SENSITIVE. */
export function decryptKeyfile(bytes: Uint8Array, password: string): Uint8Array {
  const key = argon2Sync('argon2i', {
    message: password,
    nonce: salt,
    ...{ parallelism: 1, tagLength: 32, memory: 512 * 1024, passes: 8 },
  });
  const opened = openSecretBox(bytes.subarray(mark.length), key);
  if (opened === undefined) throw new WrongPassword();
  return opened;
}
