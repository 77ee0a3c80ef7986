import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { statusByCode } from '../../../apps/edge/faults.ts';
import { createEd25519Signer } from '../../../infra/crypto/ed25519.ts';
import type { FaultCode } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import { listening } from '../../support/listening.ts';
import { paddockUser } from '../../support/paddock-command.ts';
import { sealed, trialBundle } from '../../support/trial-bundle.ts';

const raceId = '019a0000-0000-7000-8000-000000000001';

async function verifiedAt(t: ExecutionContext, url: string) {
  const user = await paddockUser(t, { url });
  return await user.run('verify', raceId);
}

/** Of a service that answers everything so. */
async function verified(t: ExecutionContext, status: number, body: object) {
  const { origin } = await listening(t, (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' });
    response.end(JSON.stringify(body));
  });
  return await verifiedAt(t, origin);
}

test('a service that is not there says nothing of the race', async (t) => {
  const { code, error } = await verifiedAt(t, 'http://127.0.0.1:2');

  t.is(code, 5, error);
  t.regex(error, /^paddock: http:\/\/127\.0\.0\.1:2 does not answer \(ECONNREFUSED\)\nCheck the/);
});

const refused: readonly [FaultCode, number, RegExp][] = [
  ['RACE_NOT_FOUND', 4, /^paddock: There is no such race\.\nSee past races with: paddock races\n$/],
  ['RACE_IN_FLIGHT', 5, /It is sealed until the race is over/],
  ['RATE_LIMITED', 5, /^paddock: Too many requests\.\nTry again in 7 s\.\n$/],
  ['OVERLOADED', 5, /^paddock: Too much is asked at once\.\nTry again in 7 s\.\n$/],
];

for (const [error_code, exitCode, told] of refused) {
  test(`${error_code} is told as of any other command, and says nothing of the race`, async (t) => {
    const { message: detail } = refusal(error_code);
    const { code, error } = await verified(t, statusByCode[error_code], { detail, error_code });

    t.is(code, exitCode, error);
    t.regex(error, told);
  });
}

test('a store that does not hand out the bundle says nothing of the race', async (t) => {
  const seal = { race_id: raceId, sha256: '0'.repeat(64), size_bytes: 1, signature: '' };
  const download_url = 'http://127.0.0.1:2/bundle';
  const { code, error } = await verified(t, 200, { ...seal, public_key: '', download_url });

  t.is(code, 5, error);
  t.is(error, 'paddock: the store does not hand out the bundle\nTry again in a moment.\n');
});

test('a bundle that another key has signed than the one that is known is refused', async (t) => {
  const [own, other] = [1, 2].map((byte) => createEd25519Signer(new Uint8Array(32).fill(byte)));
  if (own === undefined || other === undefined) throw new Error('two signers');
  const { bytes, seal } = sealed(trialBundle(), own);
  const user = await paddockUser(t);
  const path = join(user.folder, 'race.json.gz');
  await writeFile(path, bytes);
  await writeFile(`${path}.manifest.json`, JSON.stringify(seal));
  const verifiedBy = (key: string) => user.run('verify', '--bundle', path, '--public-key', key);

  const known = await verifiedBy(own.publicKey.toUpperCase());
  t.is(known.code, 0, known.error);
  t.regex(known.out, /signed by +[0-9a-f]{64} \(the one you gave\)/);
  const stranger = await verifiedBy(other.publicKey);
  t.is(stranger.code, 1);
  t.is(stranger.out, '');
  t.regex(stranger.error, /^paddock: the bundle is signed by another key than yours: /);
});
