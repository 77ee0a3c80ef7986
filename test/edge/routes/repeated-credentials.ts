import { randomUUID } from 'node:crypto';
import test from 'ava';
import { credentialStatus, legacyCredentialStatus } from '../../spec/answers/inference.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { caller, type TestKey } from '../../support/edge-client.ts';
import { refused, shaped } from './answers.ts';

// The provider replaces each refresh token with its use, and refuses the one that was used.

let service: TestService;
test.serial.before(async () => {
  service = await startTestService({ edges: 2 });
  service.providers.providera.set({ rotates: true });
});
test.after.always(() => service?.stop());

const base = '/v1/miner/inference-auth/providera';
const secret = () => `demo-${randomUUID()}`;

interface Sent {
  readonly path: string;
  readonly body: object;
  readonly idempotencyKey?: string;
}

const sendAt = (edge: number, key: TestKey, { path, body, idempotencyKey }: Sent) => {
  const keyed = idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey };
  const headers = { ...key.headers(), ...keyed };
  return caller(service.baseUrls[edge] ?? '')('POST', path, { headers, body });
};

/** As a client repeats what was answered OUTCOME_UNKNOWN, or not at all: each further time at another edge. */
async function repeated(key: TestKey, sent: Sent): Promise<[Response, ...Response[]]> {
  const first = await sendAt(0, key, sent);
  return [first, await sendAt(1, key, sent), await sendAt(0, key, sent)];
}

for (const isKeyed of [true, false]) {
  const how = isKeyed ? 'under its Idempotency-Key' : 'without a key';
  const keyed = () => (isKeyed ? { idempotencyKey: randomUUID() } : {});

  test.serial(`a credential that is sent again ${how} is answered as at first`, async (t) => {
    const { counts } = service.providers.providera;
    const key = await service.miner(randomUUID());
    for (const path of [base, `${base}/rotate`]) {
      const { keysMade } = counts;
      const body = { credential: secret() };
      const [first, ...others] = await repeated(key, { path, body, ...keyed() });
      const status = await shaped(t, credentialStatus, first);
      t.true(status.connected);
      for (const other of others) t.deepEqual(await shaped(t, credentialStatus, other), status);
      t.is(counts.keysMade, keysMade + 1, 'shown once');
    }
  });

  test.serial(`so is one of the deprecated route ${how}`, async (t) => {
    const key = await service.miner(randomUUID());
    const body = { refresh_token: secret() };
    const path = '/v1/miner/providera-auth';
    const [first, ...others] = await repeated(key, { path, body, ...keyed() });
    const status = await shaped(t, legacyCredentialStatus, first);
    t.true(status.connected);
    for (const other of others) t.deepEqual(await shaped(t, legacyCredentialStatus, other), status);
  });
}

test.serial('an order that is repeated while it is under way is carried out once', async (t) => {
  const { providera } = service.providers;
  const key = await service.miner(randomUUID());
  const { keysMade } = providera.counts;
  providera.set({ delayMs: 500 });
  const order = { path: base, body: { credential: secret() } };
  const answers = await Promise.all([0, 1, 0].map((edge) => sendAt(edge, key, order)));
  providera.set({ delayMs: 0 });

  const [first, ...others] = await Promise.all(
    answers.map((answer) => shaped(t, credentialStatus, answer)),
  );
  t.true(first?.connected);
  for (const other of others) t.deepEqual(other, first);
  t.is(providera.counts.keysMade, keysMade + 1);
});

test.serial('a credential that was spent before it came here is refused plainly', async (t) => {
  const { providera } = service.providers;
  const key = await service.miner(randomUUID());
  const credential = secret();
  providera.reject(credential);
  for (const _ of [1, 2]) {
    const answer = await key.post(base, { credential });
    const { detail } = await refused(t, answer, '422 CREDENTIAL_REJECTED');
    t.notRegex(detail, /before/);
  }
});
