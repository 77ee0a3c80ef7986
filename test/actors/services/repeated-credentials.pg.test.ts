import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { Transact } from '../../../actors/services/service-handler.ts';
import { type LoanDeskOptions, openLoanDesk } from '../../support/loan-desk.ts';
import { until } from '../../support/until.ts';

const secret = () => `demo-${randomUUID()}`;

/** The provider replaces each refresh token with its use, and refuses the one that was used. */
async function openDesk(t: ExecutionContext, options: LoanDeskOptions = {}) {
  const desk = await openLoanDesk(t, options);
  const { providera } = desk.standIns;
  providera.set({ rotates: true });
  return {
    ...desk,
    providera,
    /** What is connected still makes keys. */
    isServing: async () => {
      const run = await desk.plantRun('alice');
      if ((await desk.token(run)) === null) return false;
      return await desk.isGood('providera', (await desk.key(run, 'providera')).text);
    },
    stored: async () => [
      ...(await desk.admin`select credential_id, sealed, updated_at from inference_credential`),
    ],
  };
}

test('an order that is read once more shows its provider nothing again', async (t) => {
  const { connect, another, command, providera, isServing } = await openDesk(t);
  const [credential, order] = [secret(), command()];
  const first = await connect('alice', 'providera', credential, false, order);
  const { requests } = providera.counts;

  t.deepEqual(await another().connect('alice', 'providera', credential, false, order), first);
  t.is(providera.counts.requests, requests);
  t.true(await isServing());
});

test('a credential that is sent again is known, whoever sends it as what', async (t) => {
  const { connect, another, providera, isServing, stored } = await openDesk(t);
  await connect('alice', 'providera', secret());
  const credential = secret();
  const first = await connect('alice', 'providera', credential, true);
  const [kept] = [await stored()];
  const { requests } = providera.counts;

  t.deepEqual(await another().connect('alice', 'providera', credential, true), first);
  t.deepEqual(await connect('alice', 'providera', credential), first);
  t.is(providera.counts.requests, requests);
  t.deepEqual(await stored(), kept);
  t.true(await isServing());
  t.deepEqual(await connect('alice', 'providera', credential), first, 'also after it made a key');
});

test('a replacement that is read once more after its miner disconnected is not refused', async (t) => {
  const { connect, disconnect, command, refusal, providera, stored } = await openDesk(t);
  await connect('alice', 'providera', secret());
  const [credential, order] = [secret(), command()];
  await connect('alice', 'providera', credential, true, order);
  await disconnect('alice', 'providera');
  const { requests } = providera.counts;

  const again = await connect('alice', 'providera', credential, true, order);
  t.deepEqual(again, { connected: false, updatedAtMs: null }, 'what is so now');
  t.is(await refusal(connect('alice', 'providera', credential, true)), 'NOT_CONNECTED');
  t.is(providera.counts.requests, requests);
  t.deepEqual(await stored(), []);
});

test('what is known is a credential of its miner at its provider, and no other', async (t) => {
  const { connect, refusal, standIns } = await openDesk(t);
  const credential = secret();
  await connect('alice', 'providera', credential);
  const { requests } = standIns.providerb.counts;

  t.like(await connect('alice', 'providerb', credential), { connected: true });
  t.true(standIns.providerb.counts.requests > requests);
  t.is(await refusal(connect('bob', 'providera', credential)), 'CREDENTIAL_REJECTED');
});

test('a credential that was replaced or refused since is asked for at its provider', async (t) => {
  const { connect, refusal, admin, providera, isServing, token, plantRun } = await openDesk(t);
  const [first, second] = [secret(), secret()];
  await connect('alice', 'providera', first);
  await connect('alice', 'providera', second);
  t.is(await refusal(connect('alice', 'providera', first)), 'CREDENTIAL_REJECTED');
  t.true(await isServing());

  providera.fail({ kind: 'status', status: 401 }, 'accounts');
  t.is(await token(await plantRun('alice')), null);
  t.is((await admin`select from inference_credential where rejected_at is null`).length, 0);
  providera.set({ fault: null });
  t.is(await refusal(connect('alice', 'providera', second)), 'CREDENTIAL_REJECTED');
});

test('one that its provider does not replace is looked at with each order', async (t) => {
  const { connect, providera, admin } = await openDesk(t);
  providera.set({ rotates: false });
  const credential = secret();
  await connect('alice', 'providera', credential);
  const { keysMade } = providera.counts;

  await connect('alice', 'providera', credential);
  t.is(providera.counts.keysMade, keysMade + 1);
  t.is((await admin`select from inference_check`).length, 0, 'nothing is kept of it');
});

for (const isOneOrder of [true, false]) {
  const what = isOneOrder ? 'one order' : 'two orders';
  test(`of two who are sent a credential at once by ${what} one shows it`, async (t) => {
    const { connect, another, command, providera, isServing } = await openDesk(t);
    const [credential, order] = [secret(), command()];
    const { requests } = providera.counts;
    providera.fail({ kind: 'hang' });
    const tries = [connect, another().connect].map((each) =>
      each('alice', 'providera', credential, false, isOneOrder ? order : command()),
    );
    await until(() => providera.counts.requests > requests);
    providera.set({ fault: null });

    const [first, second] = await Promise.all(tries);
    t.deepEqual(second, first);
    t.is(providera.counts.keysMade, 1);
    t.true(await isServing());
  });
}

test('what a provider says after its caller has gone is kept, and told to who sends it again', async (t) => {
  const { connect, refusal, providera, isServing, stored } = await openDesk(t, {
    connectMs: 2_000,
  });
  const credential = secret();
  providera.fail({ kind: 'hang' });
  t.is(await refusal(connect('alice', 'providera', credential)), 'PROVIDER_UNAVAILABLE');
  t.is(
    await refusal(connect('alice', 'providera', credential)),
    'OUTCOME_UNKNOWN',
    'one is asking',
  );
  t.is(providera.counts.requests, 1);
  providera.set({ fault: null });
  await until(async () => (await stored()).length === 1);

  t.like(await connect('alice', 'providera', credential), { connected: true });
  t.true(await isServing());
});

for (const since of ['disconnected', 'replaced', 'sent the first one again'] as const) {
  test(`what a provider says too late undoes nothing that its miner ${since} since`, async (t) => {
    const { connect, disconnect, providera, stored } = await openDesk(t);
    const first = secret();
    await connect('alice', 'providera', first);
    const { requests } = providera.counts;
    providera.set({ fault: { fault: { kind: 'hang' }, scope: 'accounts', times: 1 } });
    const late = connect('alice', 'providera', secret(), true);
    await until(() => providera.counts.requests > requests);
    const now =
      since === 'disconnected'
        ? await disconnect('alice', 'providera')
        : await connect('alice', 'providera', since === 'replaced' ? secret() : first);
    const kept = await stored();
    providera.set({});

    t.deepEqual(await late, now);
    t.deepEqual(await stored(), kept);
  });
}

// Told that there is nothing, its miner would not look again, and have it spent from.
test('what is not stored yet is not stored any more once its miner disconnected', async (t) => {
  const { connect, disconnect, refusal, providera, stored } = await openDesk(t);
  providera.set({ fault: { fault: { kind: 'hang' }, scope: 'accounts', times: 1 } });
  const { requests } = providera.counts;
  const late = connect('alice', 'providera', secret());
  await until(() => providera.counts.requests > requests);
  t.is(await refusal(disconnect('alice', 'providera')), 'NOT_CONNECTED');
  providera.set({});

  t.like(await late, { connected: false });
  t.deepEqual(await stored(), []);
});

test('the later of two orders prevails, also where the earlier one is stored meanwhile', async (t) => {
  const { connect, another, providera, stored, isServing } = await openDesk(t);
  const { requests } = providera.counts;
  providera.set({ fault: { fault: { kind: 'hang' }, scope: 'accounts', times: 1 } });
  const earlier = connect('alice', 'providera', secret());
  await until(() => providera.counts.requests > requests);
  const { answered, store, transactAs } = standstill();
  const later = another({ transactAs }).connect('alice', 'providera', secret());
  await answered.promise;
  providera.set({});
  await earlier;
  const [before] = await stored();
  store.resolve();

  await later;
  t.not((await stored())[0]?.['credential_id'], before?.['credential_id']);
  t.true(await isServing());
});

/** Of a process, between what its provider answers and the transaction that stores it. */
function standstill() {
  const [answered, store] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let transactions = 0;
  const transactAs =
    (plain: Transact): Transact =>
    async (body) => {
      transactions += 1;
      if (transactions > 1) {
        answered.resolve();
        await store.promise;
      }
      return await plain(body);
    };
  return { answered, store, transactAs };
}

/** Who shows a credential to its provider, and stands still before it stores what that gave for it. */
async function openWithLateHolder(t: ExecutionContext) {
  const desk = await openDesk(t);
  const { answered, store, transactAs } = standstill();
  const credential = secret();
  const settled = desk.another({ transactAs }).connect('alice', 'providera', credential);
  t.teardown(() => store.resolve());
  await answered.promise;
  await desk.admin`update inference_check set busy_until = rt.wall_clock() - interval '1 second'`;
  return { ...desk, credential, slow: { store, settled } };
}

test('who sends a spent credential again whose successor was lost is told so', async (t) => {
  const { connect, credential } = await openWithLateHolder(t);
  const plain = await t.throwsAsync(connect('alice', 'providera', 'no-such-secret'));
  const told = await t.throwsAsync(connect('alice', 'providera', credential));

  t.like(told, { code: 'CREDENTIAL_REJECTED' });
  t.regex(told.message, /shown to it before.+Make a new one at the provider/);
  t.notRegex(plain.message, /before/);
  t.is((await t.throwsAsync(connect('alice', 'providera', credential))).message, told.message);
});

test('what comes late is still the only one that is good', async (t) => {
  const { connect, credential, slow, isServing, refusal } = await openWithLateHolder(t);
  t.is(await refusal(connect('alice', 'providera', credential)), 'CREDENTIAL_REJECTED');
  slow.store.resolve();

  const first = await slow.settled;
  t.like(first, { connected: true });
  t.deepEqual(await connect('alice', 'providera', credential), first);
  t.true(await isServing());
});

test('a note of a credential is kept for a day, and longer only of what is stored', async (t) => {
  const { connect, admin } = await openWithLateHolder(t);
  await connect('bob', 'providera', secret());
  await admin`update inference_check set begun_at = begun_at - interval '25 hours'`;
  await connect('carol', 'providera', secret());

  const kept = await admin<{ hotkey: string }[]>`
    select miner_hotkey as hotkey from inference_check order by hotkey`;
  t.deepEqual(
    kept.map(({ hotkey }) => hotkey),
    ['bob', 'carol'],
  );
});
