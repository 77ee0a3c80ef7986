import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Transact } from '../../../actors/services/service-handler.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { openLoanDesk } from '../../support/loan-desk.ts';
import { until } from '../../support/until.ts';

const secret = () => `demo-${randomUUID()}`;

test('a run has one token, and the key behind it opens the provider', async (t) => {
  const { connect, token, key, plantRun, isGood, standIns } = await openLoanDesk(t);
  await connect('alice', 'providera', secret());
  const run = await plantRun('alice');
  const made = standIns.providera.counts.keysMade;

  const first = await token(run);
  t.regex(first?.text ?? '', /^inf_[0-9a-f]{64}$/);
  t.is(first?.provider, 'providera');
  const lifetimeMs = (first?.expiresAtMs ?? 0) - Date.now();
  t.true(lifetimeMs > 7_190_000 && lifetimeMs <= 7_200_000, `${lifetimeMs}`);
  t.deepEqual(await token(run), first);

  const lent = await key(run, 'providera');
  t.true(await isGood('providera', lent.text));
  t.is((await key(run, 'providera')).text, lent.text);
  t.is(standIns.providera.counts.keysMade, made + 1, 'made within the claim');
});

test('two claims of a run at once, on two processes, give one token and one key', async (t) => {
  const desk = await openLoanDesk(t);
  const other = desk.another();
  await desk.connect('alice', 'providera', secret());
  const run = await desk.plantRun('alice');
  const made = desk.standIns.providera.counts.keysMade;
  const tokens = await Promise.all(
    [desk, other, desk, other].map(async (each) => await each.token(run)),
  );
  t.is(new Set(tokens.map((token) => token?.text)).size, 1);
  t.is(desk.standIns.providera.counts.keysMade, made + 1);
});

test('only a live run of a miner with a usable default has a token', async (t) => {
  const { connect, choose, disconnect, token, plantRun, endRun } = await openLoanDesk(t);
  const run = await plantRun('alice');
  t.is(await token(run), null);
  t.is(await token(randomUUID()), null);
  await connect('alice', 'providera', secret());
  await connect('alice', 'providerb', secret());
  await choose('alice', 'providerb');
  t.is((await token(run))?.provider, 'providerb');
  await disconnect('alice', 'providerb');
  t.is((await token(await plantRun('alice')))?.provider, 'providera');
  const ended = await plantRun('alice');
  await endRun(ended, 'CANCELLED');
  t.is(await token(ended), null);
});

test('a credential that the provider refuses later gives no token until it is replaced', async (t) => {
  const { connect, choose, token, key, plantRun, refusal, standIns, admin } = await openLoanDesk(t);
  const credential = secret();
  await connect('alice', 'providera', credential);
  const before = await plantRun('alice');
  t.truthy(await token(before));
  standIns.providera.reject(credential);

  t.is(await token(await plantRun('alice')), null);
  const [row] = await admin`select rejected_at, updated_at from inference_credential`;
  t.deepEqual(row?.['rejected_at'], row?.['updated_at']);
  standIns.providera.fail({ kind: 'hang' });
  t.is(await token(await plantRun('alice')), null, 'without asking again');
  t.is(await refusal(choose('alice', 'providera')), 'DEFAULT_NOT_CONNECTED');
  await admin`update inference_key set expires_at = rt.wall_clock()`;
  t.is(await refusal(key(before, 'providera')), 'CREDENTIAL_REJECTED');

  standIns.providera.heal();
  await connect('alice', 'providera', secret());
  t.truthy(await token(await plantRun('alice')));
});

test('while the provider is away a token is issued, and its key is made at first use', async (t) => {
  const { connect, token, key, plantRun, refusal, isGood, standIns } = await openLoanDesk(t);
  await connect('alice', 'providera', secret());
  const run = await plantRun('alice');
  standIns.providera.fail();
  const issued = await token(run);
  t.truthy(issued);
  t.is(await refusal(key(run, 'providera')), 'PROVIDER_UNAVAILABLE');
  standIns.providera.heal();
  const lent = await key(run, 'providera');
  t.true(await isGood('providera', lent.text));
  t.deepEqual(await token(run), issued);
});

test('a claim waits so long and no longer, and what the provider says then still counts', async (t) => {
  const desk = await openLoanDesk(t, { mintMs: 200 });
  const { connect, token, key, plantRun, keys, standIns } = desk;
  standIns.providera.set({ rotates: true });
  await connect('alice', 'providera', secret());
  const [first, second] = [await plantRun('alice'), await plantRun('alice')];
  standIns.providera.set({ delayMs: 9_000 });

  const startedMs = performance.now();
  t.truthy(await token(first));
  t.true(performance.now() - startedMs < 8_500);
  await until(async () => (await keys()).length === 1);
  standIns.providera.set({ delayMs: 0 });
  // The answer that nobody waited for held the only credential that is still good.
  t.truthy((await key(first, 'providera')).text);
  t.truthy(await token(second));
  t.truthy((await key(second, 'providera')).text);
});

test('no claim waits for a provider that was just away; its keys are asked for when needed', async (t) => {
  const desk = await openLoanDesk(t, { restMs: 60_000 });
  const { connect, token, key, plantRun, standIns } = desk;
  await connect('alice', 'providera', secret());
  await connect('bob', 'providerb', secret());
  standIns.providera.fail();
  t.truthy(await token(await plantRun('alice')));
  standIns.providera.heal();
  const made = standIns.providera.counts.keysMade;
  const run = await plantRun('alice');
  t.truthy(await token(run));
  t.is(standIns.providera.counts.keysMade, made, 'it was not asked');
  t.truthy(await token(await plantRun('bob')));
  t.is(standIns.providerb.counts.keysMade, 1, 'the other one was');
  t.truthy((await key(run, 'providera')).text);
  t.truthy(await token(await plantRun('alice')));
  t.is(standIns.providera.counts.keysMade, made + 2, 'and lends again');
});

test('a key is looked for without asking its provider, and found as it would be lent', async (t) => {
  const { connect, token, found, key, plantRun, endRun, refusal, standIns } = await openLoanDesk(t);
  await connect('alice', 'providera', secret());
  const run = await plantRun('alice');
  t.is(
    await refusal(found(run, 'providera')),
    'INVALID_SESSION',
    'not before its claim has a token',
  );
  standIns.providera.fail();
  await token(run);
  const { requests } = standIns.providera.counts;
  t.is(await found(run, 'providera'), null);
  t.is(await found(run, 'providerb'), null, 'nor is it said here what is not connected');
  t.is(standIns.providera.counts.requests, requests);

  standIns.providera.heal();
  const lent = await key(run, 'providera');
  t.deepEqual(await found(run, 'providera'), lent);
  await endRun(run);
  t.is(await refusal(found(run, 'providera')), 'INVALID_SESSION');
});

test('refresh tokens that work once are used one after the other', async (t) => {
  const desk = await openLoanDesk(t);
  const other = desk.another();
  desk.standIns.providera.set({ rotates: true, delayMs: 20 });
  await desk.connect('alice', 'providera', secret());
  const runs = await Promise.all(Array.from({ length: 8 }, () => desk.plantRun('alice')));
  const lent = await Promise.all(
    runs.map(async (run, at) => {
      const process = at % 2 === 0 ? desk : other;
      t.truthy(await process.token(run));
      return (await process.key(run, 'providera')).text;
    }),
  );
  t.is(new Set(lent).size, runs.length);
  for (const text of lent) t.true(await desk.isGood('providera', text));
});

test('who dies in its turn holds the others up until the turn is over', async (t) => {
  const { connect, token, key, plantRun, admin, keys } = await openLoanDesk(t, { mintMs: 300 });
  await connect('alice', 'providera', secret());
  await admin`
    update inference_credential
    set busy_by = 'dead', busy_until = rt.wall_clock() + interval '1 minute'`;
  const run = await plantRun('alice');
  t.truthy(await token(run), 'a claim does not wait for it');
  t.is((await keys()).length, 0);
  const asked = key(run, 'providera');
  await admin`update inference_credential set busy_until = rt.wall_clock()`;
  t.truthy((await asked).text);
  t.is((await keys()).length, 1);
});

test('a store that fails once after the provider answered loses nothing', async (t) => {
  let failures = 0;
  const transactAs = (plain: Transact): Transact => {
    return async (body) => {
      const outcome = await plain(body);
      // Committed, and the answer lost on its way: the worst of the cases.
      failures += 1;
      if (failures % 2 === 1) throw new Error('the connection is gone');
      return outcome;
    };
  };
  const desk = await openLoanDesk(t, { transactAs });
  desk.standIns.providera.set({ rotates: true });
  await desk.connect('alice', 'providera', secret());
  for (let at = 0; at < 3; at++) {
    const run = await desk.plantRun('alice');
    t.truthy(await desk.token(run));
    t.true(await desk.isGood('providera', (await desk.key(run, 'providera')).text));
  }
  t.is((await desk.keys()).length, 3);
});

test('a key that its provider takes no more is replaced by another', async (t) => {
  const { connect, token, key, plantRun, isGood } = await openLoanDesk(t);
  await connect('alice', 'providera', secret());
  const run = await plantRun('alice');
  await token(run);
  const lent = await key(run, 'providera');
  const next = await key(run, 'providera', lent.keyId);
  t.not(next.text, lent.text);
  t.true(await isGood('providera', next.text));
  t.is((await key(run, 'providera', lent.keyId)).text, next.text, 'it is not lent any more');
});

test('a default that is chosen while its provider is disconnected is refused like any other', async (t) => {
  const deleted = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const transactAs =
    (plain: Transact): Transact =>
    (body) =>
      plain(async (tx) => {
        const outcome = await body(tx);
        deleted.resolve();
        await mayCommit.promise;
        return outcome;
      });
  const { connect, choose, another, admin, refusal } = await openLoanDesk(t);
  await connect('alice', 'providera', secret());
  const waiting = async () =>
    (
      await admin`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
    ).length;
  const gone = another({ transactAs }).disconnect('alice', 'providera');
  await deleted.promise;
  const chosen = refusal(choose('alice', 'providera'));
  await until(async () => (await waiting()) > 0);
  mayCommit.resolve();
  await gone;
  t.is(await chosen, 'DEFAULT_NOT_CONNECTED');
});

test('a miner who is banned while the provider looks at a credential stores nothing', async (t) => {
  const { connect, standIns, admin } = await openLoanDesk(t);
  standIns.providera.fail({ kind: 'hang' });
  const stored = connect('alice', 'providera', secret()).catch((fault: unknown) => fault);
  await until(() => standIns.providera.counts.requests > 0);
  await ban(admin, 'alice');
  standIns.providera.heal();

  t.like(await stored, { code: 'BANNED' });
  t.deepEqual([...(await admin`select from inference_credential`)], []);
});

test('a banned miner neither disconnects, replaces nor chooses a provider', async (t) => {
  const { connect, disconnect, choose, refusal, admin } = await openLoanDesk(t);
  await connect('alice', 'providera', secret());
  const kept = () => admin`
    select c.*, d.provider as chosen
    from inference_credential c join inference_default d using (miner_hotkey)`;
  const before = [...(await kept())];
  await ban(admin, 'alice');

  t.is(await refusal(disconnect('alice', 'providera')), 'BANNED');
  t.is(await refusal(connect('alice', 'providera', secret(), true)), 'BANNED');
  t.is(await refusal(choose('alice', 'providera')), 'BANNED');
  t.deepEqual([...(await kept())], before);
});

test('an agent may use each provider that its miner connected', async (t) => {
  const { connect, token, key, plantRun, isGood, refusal } = await openLoanDesk(t);
  await connect('alice', 'providera', secret());
  const run = await plantRun('alice');
  t.is(await refusal(key(run, 'providera')), 'INVALID_SESSION', 'not before its claim has a token');
  await token(run);
  t.is(await refusal(key(run, 'providerb')), 'NOT_CONNECTED');
  await connect('alice', 'providerb', secret());
  t.true(await isGood('providerb', (await key(run, 'providerb')).text));
});

const ban = (admin: Sql, hotkey: string) =>
  admin`insert into hotkey_ban (hotkey, reason, banned_at) values (${hotkey}, 'x', rt.clock())`;
