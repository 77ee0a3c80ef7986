import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { type Keypair, keypairFromSeed } from '../../infra/crypto/sr25519-signer.ts';
import { parsedJson } from '../../machines/parsed-json.ts';

/** The file cannot be used as a key; the message says why, and nothing of what stands in it. */
export class KeyInvalid extends Error {
  override name = 'KeyInvalid';
}

const seed = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
/** As wallets of the Substrate world keep a hotkey that is not encrypted. */
const walletFile = z.object({ secretSeed: seed });

/** @throws KeyInvalid */
export async function readKey(path: string): Promise<Keypair> {
  const text = (await readText(path)).trim();
  const found =
    seed.safeParse(text).data ?? walletFile.safeParse(parsedJson(text)).data?.secretSeed;
  if (found === undefined) {
    throw new KeyInvalid(
      `VALIDATOR_KEY_FILE ${path} holds no hotkey: it must be 0x and the 64 hex digits of its seed, or an unencrypted wallet file with "secretSeed"`,
    );
  }
  return keypairFromSeed(Buffer.from(found.slice(2), 'hex'));
}

/** Whether somebody else on this machine may read the file, and so sign as its hotkey. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  return ((await stat(path)).mode & 0o077) !== 0;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw new KeyInvalid(`VALIDATOR_KEY_FILE ${path} ${why}`);
  }
}
