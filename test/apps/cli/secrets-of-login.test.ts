import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { keyOfText } from '../../../apps/cli/keys/secret-text.ts';
import { SessionFile } from '../../../apps/cli/session/session-file.ts';
import { lineAt } from '../../support/answered-line.ts';

const key = keyOfText('//Alice');
const token = 'a-token-that-nobody-may-see';

/** Signs in by a phrase: what is shown of it, and what is kept. */
async function signedIn(t: ExecutionContext, ...args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-login-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const sessions = new SessionFile(join(folder, 'session.json'));
  const client = {
    postAuthChallenge: async () => ({ challenge: 'sign this' }),
    postAuthSession: async () => ({
      ...{ session_token: token, expires_at: 1_800_000_000, role: 'miner', hotkey: key.hotkey },
    }),
  };
  const { code, out, error } = await lineAt(
    {
      ...{ client: client as never, sessions, baseUrl: 'https://a.example' },
      asking: { hidden: async () => '//Alice', everything: async () => new Uint8Array() },
    },
    ...['login', '--phrase', ...args],
  );
  t.is(code, 0, error);
  return { shown: out + error, kept: await readFile(sessions.path, 'utf8') };
}

test('signing in shows neither the token nor the key, and keeps the key for who asks for it', async (t) => {
  const secret = key.secretKey.toHex();
  for (const more of [[], ['--json']]) {
    const { shown, kept } = await signedIn(t, ...more);
    t.true(shown.includes(key.hotkey));
    for (const each of [token, secret, '//Alice']) t.false(shown.includes(each), each);
    t.true(kept.includes(token));
    t.false(kept.includes(secret));

    const keeping = await signedIn(t, '--keep-key', ...more);
    for (const each of [token, secret]) t.false(keeping.shown.includes(each));
    t.true(keeping.kept.includes(secret));
  }
});
