import { randomBytes, randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { checkSealKeys } from '../../../actors/services/sealing/check-keys.ts';
import { secretContext } from '../../../actors/services/webhooks/signature.ts';
import { insertWebhook } from '../../../actors/services/webhooks/store.ts';
import { sealedPlaces } from '../../../apps/coordinator/sealed-places.ts';
import { createCredentialSeal } from '../../../infra/crypto/credential-seal.ts';
import { type Seal, SealKeyChanged } from '../../../infra/ports/seal.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { openLoanDesk } from '../../support/loan-desk.ts';

const key = (id: string) => ({ id, key: randomBytes(32) });
const [first, impostor, second] = [key('k1'), key('k1'), key('k2')];

async function openDesk(t: ExecutionContext, ...ring: readonly ReturnType<typeof key>[]) {
  const seal = createCredentialSeal(ring);
  const desk = await openLoanDesk(t, { seal });
  const check = (...others: readonly ReturnType<typeof key>[]) =>
    checkSealKeys({
      ...{ sql: desk.sql, places: sealedPlaces },
      seal: createCredentialSeal(others),
    });
  const refuse = (...others: readonly ReturnType<typeof key>[]) =>
    t.throwsAsync(check(...others), { instanceOf: SealKeyChanged });
  return { desk, seal, check, refuse };
}

async function addWebhook(sql: Sql, seal: Seal): Promise<void> {
  const webhookId = randomUUID();
  const sealedSecret = seal.seal('whsec_1', secretContext(webhookId));
  const given = { webhookId, url: 'https://example.org/hook', eventTypes: null, sealedSecret };
  await transaction(sql, {}, (tx) => insertWebhook(tx, given));
}

test('the first key under an id is its key for ever, before anything is sealed with it', async (t) => {
  const { check, refuse } = await openDesk(t, first);
  await check(first);
  await check(first);
  await refuse(impostor);
  await check(first, second);
  await check(second, first);
  // It was removed, and its id is used again.
  await check(second);
  await refuse(second, impostor);
});

test('a refused ring leaves nothing behind that others would be refused for', async (t) => {
  const { check, refuse } = await openDesk(t, first);
  await check(first);
  await refuse(key('k2'), impostor);
  await check(second, first);
});

// A database of before the notes, as an upgrade finds it.
test('where no key was noted yet, it has to open something of what stands under its id', async (t) => {
  const { desk, seal, check, refuse } = await openDesk(t, first);
  await desk.connect('alice', 'providera', 'demo-1');
  await addWebhook(desk.sql, seal);
  await refuse(impostor);
  await check(first);
});

test('a text that was damaged does not stand against its key', async (t) => {
  const { desk, seal, check } = await openDesk(t, first);
  await addWebhook(desk.sql, seal);
  await addWebhook(desk.sql, seal);
  await desk.admin`
    update webhook set sealed_secret = 'v1.k1.' || repeat('A', 60)
    where webhook_id = (select webhook_id from webhook order by created_at desc limit 1)`;
  await t.notThrowsAsync(check(first));
});

test('of two that start at once with other keys under one id, one is refused', async (t) => {
  const { check, refuse } = await openDesk(t, first);
  const started = await Promise.allSettled([check(first), check(impostor)]);
  t.deepEqual(started.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const [isFirst] = started;
  await refuse(isFirst?.status === 'fulfilled' ? impostor : first);
});

test('a check value tells keys apart and nothing of them', (t) => {
  const checksOf = (...ring: ReturnType<typeof key>[]) => createCredentialSeal(ring).keyChecks;
  const [check = ''] = checksOf(first).values();
  t.regex(check, /^[0-9a-f]{32}$/);
  t.deepEqual([...checksOf(first, second).keys()], ['k1', 'k2']);
  t.is(checksOf({ ...first, id: 'other' }).get('other'), check);
  t.not(checksOf(impostor).get('k1'), check);
  t.false(first.key.toString('hex').includes(check.slice(0, 8)));
});
