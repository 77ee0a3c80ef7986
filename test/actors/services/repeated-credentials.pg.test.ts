import test from 'ava';
import type { Transact } from '../../../actors/services/service-handler.ts';
import { openRotatingDesk, openWithLateHolder, secret } from '../../support/rotating-desk.ts';
import { until } from '../../support/until.ts';

test('an order that is read once more shows its provider nothing again', async (t) => {
  const { connect, another, command, providera, isServing } = await openRotatingDesk(t);
  const [credential, order] = [secret(), command()];
  const first = await connect('alice', 'providera', credential, false, order);
  const { requests } = providera.counts;

  t.deepEqual(await another().connect('alice', 'providera', credential, false, order), first);
  t.is(providera.counts.requests, requests);
  t.true(await isServing());
});

test('a credential that is sent again is known, whoever sends it as what', async (t) => {
  const { connect, another, providera, isServing, stored } = await openRotatingDesk(t);
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
  const { connect, disconnect, command, refusal, providera, stored } = await openRotatingDesk(t);
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
  const { connect, refusal, standIns } = await openRotatingDesk(t);
  const credential = secret();
  await connect('alice', 'providera', credential);
  const { requests } = standIns.providerb.counts;

  t.like(await connect('alice', 'providerb', credential), { connected: true });
  t.true(standIns.providerb.counts.requests > requests);
  t.is(await refusal(connect('bob', 'providera', credential)), 'CREDENTIAL_REJECTED');
});

test('a credential that was replaced or refused since is asked for at its provider', async (t) => {
  const { connect, refusal, admin, providera, isServing, token, plantRun } =
    await openRotatingDesk(t);
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
  const { connect, providera, admin } = await openRotatingDesk(t);
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
    const { connect, another, command, providera, isServing } = await openRotatingDesk(t);
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
  const { connect, refusal, providera, isServing, stored } = await openRotatingDesk(t, {
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

test('who is refused as a slower one has stored it meanwhile hears that it is stored', async (t) => {
  const { connect, credential, slow, providera, unanswered } = await openWithLateHolder(t);
  const other = await unanswered(() => connect('alice', 'providera', credential));
  slow.store.resolve();
  const stored = await slow.settled;
  providera.set({});

  t.deepEqual(await other.settled, stored);
});

test('that a credential was shown before is known also where the answer to that got lost', async (t) => {
  const { another, admin, credential } = await openWithLateHolder(t);
  let isLost = false;
  const transactAs =
    (plain: Transact): Transact =>
    async (body) => {
      const value = await plain(body);
      if (isLost) return value;
      isLost = true;
      throw new Error('the answer to a commit got lost');
    };
  const again = another({ transactAs }).connect('alice', 'providera', credential);

  t.regex((await t.throwsAsync(again)).message, /shown to it before/);
  t.is((await admin`select from inference_check`).length, 1, 'and stays known');
});
