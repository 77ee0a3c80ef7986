import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { isOpenToOthers, KeyInvalid, readKey } from '../../../apps/validator/read-key.ts';
import {
  readSettings,
  SettingsInvalid,
  validatorKeys,
} from '../../../apps/validator/validator-settings.ts';

const least = { PADDOCK_URL: 'http://127.0.0.1:8080', VALIDATOR_KEY_FILE: '/key' };

test('two variables are enough', (t) => {
  t.like(readSettings(least), { ...least, VALIDATOR_AUTH: 'session', VALIDATOR_BATCH_SIZE: 10 });
});

test('everything that is wrong is said at once, a line each', (t) => {
  const error = t.throws(
    () =>
      readSettings({ PADDOCK_URL: 'ftp://x', VALIDATOR_TASK_SECOND: '5', VALIDATOR_AUTH: 'no' }),
    { instanceOf: SettingsInvalid },
  );

  t.regex(
    error.message,
    /VALIDATOR_TASK_SECOND is no variable of ours; did you mean VALIDATOR_TASK_SECONDS\?/,
  );
  t.regex(error.message, /PADDOCK_URL: "ftp:\/\/x" must be a URL/);
  t.regex(error.message, /VALIDATOR_KEY_FILE is not set/);
  t.regex(error.message, /VALIDATOR_AUTH: "no" must be one of session, signatures/);
});

test('variables of the service and of other programs may stand beside', (t) => {
  const others = { VALIDATOR_STAKE_MIN: '5', PADDOCK_PROFILE: 'x', LEASE_SECONDS: '9', HOME: '/' };

  t.notThrows(() => readSettings({ ...least, ...others }));
  t.throws(() => readSettings({ ...least, VALIDATOR_COFFEE: '1' }), {
    message: /see infra.reference/,
  });
});

test('its page names every variable and no other', async (t) => {
  const page = await readFile(
    join(import.meta.dirname, '../../../infra/reference/reference-validator.md'),
    'utf8',
  );
  const section = /## Its variables\n([\s\S]*)/.exec(page)?.[1] ?? '';
  const named = new Set(
    section.match(/`(?:VALIDATOR_[A-Z_]+|PADDOCK_URL|METRICS_PORT|PROCESS_NAME|LOG_LEVEL)`/g),
  );

  t.deepEqual([...named].toSorted(), validatorKeys.map((key) => `\`${key}\``).toSorted());
});

async function keyFile(t: ExecutionContext, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'validator-key-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'hotkey'), text);
  return join(folder, 'hotkey');
}

const seed = `0x${'1f'.repeat(32)}`;

test('a key is its seed, or a wallet file that is not encrypted', async (t) => {
  const plain = await readKey(await keyFile(t, `${seed}\n`));
  const wallet = await readKey(
    await keyFile(t, JSON.stringify({ secretSeed: seed, ss58Address: 'x' })),
  );

  t.deepEqual(plain.publicKey, wallet.publicKey);
  t.is(plain.publicKey.length, 32);
});

for (const text of ['', 'bottom drive obey', '{"encoded": "abc"}', '0x12', '{']) {
  test(`a key file that holds ${JSON.stringify(text)} is refused without showing it`, async (t) => {
    const error = await t.throwsAsync(readKey(await keyFile(t, text)), { instanceOf: KeyInvalid });

    t.regex(error.message, /holds no hotkey/);
    if (text !== '' && text !== '{') t.false(error.message.includes(text));
  });
}

// A mount of secrets may leave it open to all and yet be nobody else's, so it is said and not refused.
test('a key file that others may read is known', async (t) => {
  const path = await keyFile(t, seed);
  await chmod(path, 0o600);
  t.false(await isOpenToOthers(path));
  await chmod(path, 0o640);
  t.true(await isOpenToOthers(path));
  await chmod(path, 0o604);
  t.true(await isOpenToOthers(path));
});

test('a key file that is not there is said so', async (t) => {
  await t.throwsAsync(readKey('/nowhere/hotkey'), {
    message: /VALIDATOR_KEY_FILE \/nowhere\/hotkey does not exist/,
  });
});
