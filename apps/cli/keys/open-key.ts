import { parsedJson } from '../../../machines/parsed-json.ts';
import { bittensorKeyfile, decryptKeyfile, isEncrypted, openKeyfile } from './bittensor-keyfile.ts';
import { KeyUnusable } from './key-unusable.ts';
import { needsPassword, openKeystore, polkadotKeystore } from './polkadot-keystore.ts';
import { keyOfText } from './secret-text.ts';
import type { SigningKey } from './signing-key.ts';
import { WrongPassword } from './wrong-password.ts';

/** Asks for what opens a file; `isAgain` after one that did not. */
export type AskPassword = (isAgain: boolean) => Promise<string>;

const triesMax = 3;

/** The key in a file, whichever of the formats it has; throws KeyUnusable or WrongPassword. */
export async function openKey(bytes: Uint8Array, ask: AskPassword): Promise<SigningKey> {
  if (isEncrypted(bytes)) {
    return await withPassword(ask, (password) => keyInClear(decryptKeyfile(bytes, password)));
  }
  const store = polkadotKeystore(parsedJson(Buffer.from(bytes).toString('utf8')));
  if (store === undefined) return keyInClear(bytes);
  if (!needsPassword(store)) return openKeystore(store, '');
  return await withPassword(ask, (password) => openKeystore(store, password));
}

async function withPassword(
  ask: AskPassword,
  open: (password: string) => SigningKey,
): Promise<SigningKey> {
  for (let tries = 1; ; tries++) {
    try {
      return open(await ask(tries > 1));
    } catch (error) {
      if (!(error instanceof WrongPassword) || tries === triesMax) throw error;
    }
  }
}

function keyInClear(bytes: Uint8Array): SigningKey {
  const text = Buffer.from(bytes).toString('utf8').trim();
  if (text.startsWith('$ANSIBLE_VAULT') || text.startsWith('gAAAAA')) {
    throw new KeyUnusable(
      'the file is encrypted as old versions of bittensor did: open it once with a newer btcli',
    );
  }
  const value = parsedJson(Buffer.from(bytes).toString('utf8'));
  const file = bittensorKeyfile(value);
  if (file !== undefined) return openKeyfile(file);
  if (typeof value === 'object' && value !== null) {
    throw new KeyUnusable(
      'the file is JSON, but neither a keystore of polkadot-js nor a hotkey file of bittensor',
    );
  }
  return keyOfText(typeof value === 'string' ? value : text);
}
