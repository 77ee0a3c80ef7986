import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'ava';
import { createEd25519Signer, verifyEd25519 } from '../../../infra/crypto/ed25519.ts';
import { systemEnv } from '../../support/system-env.ts';

const main = join(import.meta.dirname, '../../../apps/public-key/main.ts');

function typed(seed: string | undefined, ...args: readonly string[]) {
  const env = { ...systemEnv(), ...(seed !== undefined && { BUNDLE_SIGNING_KEY: seed }) };
  return spawnSync(process.execPath, [main, ...args], { env, encoding: 'utf8' });
}

test('the key that is published verifies what the secret one signs', (t) => {
  const seed = Buffer.alloc(32, 7);

  const { status, stdout } = typed(seed.toString('base64'));

  t.is(status, 0);
  t.regex(stdout, /^[0-9a-f]{64}\n$/);
  const message = Buffer.from('a bundle');
  t.true(verifyEd25519(message, createEd25519Signer(seed).sign(message), stdout.trim()));
});

test('without a key, or with what is none, it says what to set and shows nothing of it', (t) => {
  for (const seed of [undefined, '', 'c2hvcnQ=']) {
    const { status, stdout, stderr } = typed(seed);

    t.is(status, 2);
    t.is(stdout, '');
    t.is(stderr, 'Set BUNDLE_SIGNING_KEY, base64 of 32 bytes, as coordinators have it.\n');
  }
});

test('a line that it does not know ends with 2, and help with 0', (t) => {
  t.is(typed(undefined, '--moon').status, 2);
  t.is(typed(undefined, '--help').status, 0);
});
