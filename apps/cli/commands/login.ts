import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asked } from '../asked.ts';
import type { Command } from '../command.ts';
import type { Desk } from '../desk.ts';
import { exitCodes } from '../exit-code.ts';
import { instantOf } from '../session/proofs.ts';
import { whenText } from '../show/moments.ts';
import { UsageError } from '../usage-error.ts';

export const login: Command = {
  name: 'login',
  says: 'Prove your hotkey and keep the session',
  options: {
    key: {
      ...{ value: 'FILE', isFile: true },
      says: 'a key file: keystore of polkadot-js, hotkey file of bittensor, seed or phrase; - is standard input',
    },
    wallet: { value: 'NAME', says: 'a wallet of bittensor under ~/.bittensor/wallets' },
    hotkey: { value: 'NAME', says: 'the hotkey of that wallet (default: default)' },
    phrase: { says: 'ask for the seed phrase; nothing of it is shown' },
    'keep-key': {
      says: 'keep the secret key beside the session, so that it never ends',
    },
  },
  more: `A password is asked for when the file has one; without a terminal it is taken from
PADDOCK_KEY_PASSWORD. The key itself is read, used once and forgotten: what stays is a session of
some hours in a file that only you may read. With --keep-key the secret key is in that file too.`,
  examples: [
    ['paddock login --wallet default --hotkey miner1', 'with a hotkey of bittensor’s wallet'],
    [
      'paddock login --url https://paddock.example --key 5Gv8YY.json',
      'with an export of polkadot-js',
    ],
    ['paddock login --phrase', 'with a seed phrase'],
  ],
  async run(asked, desk) {
    const { client, sessions, baseUrl, isJson, out, clock } = desk;
    const key = await keyOf(asked, desk);
    const { hotkey } = key;
    const { challenge } = await client.postAuthChallenge({ body: { hotkey } });
    const signature = key.sign(challenge);
    const session = await client.postAuthSession({ body: { hotkey, challenge, signature } });
    const { session_token: token, expires_at, role } = session;
    const isKept = asked.isSet('keep-key');
    const secret = isKept ? { secret_key: key.secretKey.toHex() } : {};
    await sessions.keep(baseUrl, { hotkey, role, token, expires_at, ...secret });
    if (isJson) {
      out.line(JSON.stringify({ base_url: baseUrl, hotkey, role, expires_at, key_kept: isKept }));
      return exitCodes.done;
    }
    out.line(`Signed in at ${baseUrl} as ${role} ${hotkey}`);
    out.line(`The session ends ${whenText(instantOf(expires_at), clock.nowMs())}.`);
    if (isKept) out.line(`The secret key is in ${sessions.path} until you log out.`);
    return exitCodes.done;
  },
};

async function keyOf(asked: Asked, desk: Desk) {
  // WebAssembly and key derivation: no other command pays for them.
  const [{ openKey }, { keyOfText }] = await Promise.all([
    import('../keys/open-key.ts'),
    import('../keys/secret-text.ts'),
  ]);
  const source = sourceOf(asked, desk);
  if (source === 'phrase') {
    return keyOfText(
      await desk.asking.hidden('Seed phrase: ', 'give a file with --key, or - for standard input'),
    );
  }
  const bytes = source.path === '-' ? await desk.asking.everything() : await readFile(source.path);
  return await openKey(bytes, async (isAgain) => {
    const { keyPassword } = desk.environment;
    if (keyPassword !== undefined && !isAgain) return keyPassword;
    const question = isAgain ? 'That was not it. Password: ' : `Password of ${source.path}: `;
    return await desk.asking.hidden(question, 'set PADDOCK_KEY_PASSWORD to the right password');
  });
}

function sourceOf(asked: Asked, desk: Desk): 'phrase' | { readonly path: string } {
  const [path, wallet, hotkey] = [asked.text('key'), asked.text('wallet'), asked.text('hotkey')];
  const isNamed = wallet !== undefined || hotkey !== undefined;
  const ways = [path !== undefined, isNamed, asked.isSet('phrase')].filter(Boolean).length;
  if (ways !== 1) {
    throw new UsageError('login needs one of --key FILE, --wallet NAME and --phrase');
  }
  if (path !== undefined) return { path };
  if (!isNamed) return 'phrase';
  const folders = ['.bittensor', 'wallets', wallet ?? 'default', 'hotkeys', hotkey ?? 'default'];
  return { path: join(desk.environment.home, ...folders) };
}
