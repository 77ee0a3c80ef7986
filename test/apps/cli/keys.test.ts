import { readFileSync } from 'node:fs';
import { sr25519Verify } from '@polkadot/wasm-crypto';
import test from 'ava';
import { KeyUnusable } from '../../../apps/cli/keys/key-unusable.ts';
import { openKey } from '../../../apps/cli/keys/open-key.ts';
import { keyOfText } from '../../../apps/cli/keys/secret-text.ts';
import { WrongPassword } from '../../../apps/cli/keys/wrong-password.ts';
import { decodeHotkey } from '../../../infra/crypto/ss58.ts';

/**
 * One phrase, in every format. The files were written by polkadot-js's keyring 14 and by libsodium 0.7;
 * what is in clear has the fields of bittensor's wallet.
 */
const phrase = 'caution juice atom organ advance problem want pledge someone senior holiday very';
const hotkey = '5Gv8YYFu8H1btvmrJy9FjjAWfb99wrhV3uhPFoNEr918utyR';
const password = 'correct horse';
const file = (name: string) => readFileSync(new URL(`keystores/${name}`, import.meta.url));
const nobody = () => Promise.reject(new Error('a password was asked for'));

for (const name of [
  'polkadot-unencrypted.json',
  'bittensor-hotkey',
  'bittensor-private-key-only',
  'phrase',
  'seed',
]) {
  test(`the key is read from ${name}`, async (t) => {
    t.is((await openKey(file(name), nobody)).hotkey, hotkey);
  });
}

test('an encrypted keystore takes its password, and is asked for again after another', async (t) => {
  const asked: boolean[] = [];
  const key = await openKey(file('polkadot.json'), async (isAgain) => {
    asked.push(isAgain);
    return isAgain ? password : 'wrong';
  });

  t.is(key.hotkey, hotkey);
  t.deepEqual(asked, [false, true]);
});

// Once alone: half a gigabyte and seconds are what its derivation is made to cost.
test('an encrypted hotkey file takes its password', async (t) => {
  const key = await openKey(file('bittensor-encrypted'), async () => password);
  t.is(key.hotkey, hotkey);
});

test('three wrong passwords are enough', async (t) => {
  let tries = 0;
  const guess = async () => `guess ${tries++}`;

  await t.throwsAsync(openKey(file('polkadot.json'), guess), { instanceOf: WrongPassword });
  t.is(tries, 3);
});

// The addresses are those that polkadot-js's keyring gives.
for (const [uri, address] of [
  ['//Alice', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY'],
  [`${phrase}//hard/soft//7`, '5GcErZGCcfn6agq4S5KBgRJj5nRQxSfxzrsf2cCDZHnFWTks'],
  [
    `${phrase}//a-name-that-is-longer-than-thirty-one-bytes///secret`,
    '5HZGTETLqvCXVj6sZ81rvURGrxVu5NgjRAQ5SPrNxLLjQMyp',
  ],
  [`  ${phrase.toUpperCase().replaceAll(' ', '\n ')}\n`, hotkey],
] as const) {
  test(`a phrase and its path give the key of other tools: ${uri.slice(-24).trim()}`, (t) => {
    t.is(keyOfText(uri).hotkey, address);
  });
}

test('what a key signs is good under its hotkey', async (t) => {
  const key = await openKey(file('bittensor-private-key-only'), nobody);
  const message = Buffer.from('paddock-auth:1:00');
  const signature = Uint8Array.fromHex(key.sign(message.toString()).slice(2));
  const publicKey = decodeHotkey(key.hotkey);
  if (publicKey === undefined) return t.fail();
  t.true(sr25519Verify(signature, message, publicKey));
});

const bittensor = JSON.parse(file('bittensor-hotkey').toString()) as object;
const polkadot = JSON.parse(file('polkadot.json').toString()) as { readonly encoded: string };

/** What a keystore holds, encrypted at this cost. */
function scryptOf(cost: number, parallel: number, blocks: number): string {
  const head = Buffer.alloc(44);
  [cost, parallel, blocks].forEach((value, at) => {
    head.writeUInt32LE(value, 32 + 4 * at);
  });
  return Buffer.concat([head, Buffer.alloc(100)]).toString('base64');
}

for (const [what, bytes, message] of [
  ['another kind of key', file('polkadot-ed25519.json'), /must be sr25519/],
  [
    'an address that is not the secret’s',
    JSON.stringify({ ...bittensor, ss58Address: keyOfText('//Alice').hotkey }),
    /the secret in it is that of 5Gv8YYFu/,
  ],
  ['a file that is cut off', JSON.stringify({ ...polkadot, encoded: 'AAAA' }), /cut off/],
  [
    'a file that asks for all memory',
    JSON.stringify({ ...polkadot, encoded: Buffer.alloc(80, 255).toString('base64') }),
    /more memory/,
  ],
  [
    'a file whose cost of scrypt is no power of two',
    JSON.stringify({ ...polkadot, encoded: scryptOf(3, 1, 8) }),
    /export the key again/,
  ],
  ['a misspelt phrase', phrase.replace('juice', 'juicy'), /these 12 words are no seed phrase/],
  ['any other text', 'hello', /a seed has 64 hex digits/],
  ['any other JSON', '{"a": 1}', /neither a keystore of polkadot-js nor a hotkey file/],
  ['an encryption of long ago', '$ANSIBLE_VAULT;1.1;AES256', /newer btcli/],
] as const) {
  test(`one sentence tells why a key cannot be used: ${what}`, async (t) => {
    const opening = openKey(Buffer.from(bytes), async () => password);
    await t.throwsAsync(opening, { instanceOf: KeyUnusable, message });
  });
}
