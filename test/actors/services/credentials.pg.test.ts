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
    set busy_by = 'dead', busy_until = rt.wall_clock() + interval '2 seconds'`;
  const run = await plantRun('alice');
  t.truthy(await token(run), 'a claim does not wait for it');
  t.is((await keys()).length, 0);
  t.truthy((await key(run, 'providera')).text);
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

test('when a run ends its token and its key end too, however it ended', async (t) => {
  const desk = await openLoanDesk(t, { isRevoking: true });
  const { connect, token, key, plantRun, endRun, isGood, keys, refusal, admin } = desk;
  await connect('alice', 'providera', secret());
  await connect('bob', 'providerb', secret());
  const lent = [];
  for (const status of ['SUCCESS', 'FAILED', 'TIMED_OUT', 'STALE', 'CANCELLED']) {
    for (const [hotkey, provider] of [
      ['alice', 'providera'],
      ['bob', 'providerb'],
    ] as const) {
      const run = await plantRun(hotkey);
      t.truthy(await token(run));
      lent.push({ run, provider, status, text: (await key(run, provider)).text });
    }
  }
  const kept = await plantRun('alice');
  t.truthy(await token(kept));
  const keptKey = await key(kept, 'providera');
  for (const { run, status } of lent) await endRun(run, status);
  await until(async () => (await keys()).filter(({ isOpen }) => isOpen).length === 1);

  for (const { run, provider, text } of lent) {
    t.false(await isGood(provider, text));
    t.is(await refusal(key(run, provider)), 'INVALID_SESSION');
    t.is(await token(run), null);
  }
  t.true(await isGood('providera', keptKey.text));
  t.is((await key(kept, 'providera')).text, keptKey.text);
  const [left] = await admin`
    select count(*)::int as count from inference_token t
    full join inference_key k using (eval_run_id)
    where (t.sealed_token is not null or k.sealed_key is not null or k.sealed_key_id is not null)
      and eval_run_id <> ${kept}`;
  t.is(left?.['count'], 0, 'secrets that have served are forgotten');
});

test('a provider that is away is asked again until the key has ended there', async (t) => {
  const desk = await openLoanDesk(t, { isRevoking: true });
  const { connect, token, key, plantRun, endRun, isGood, keys, standIns } = desk;
  desk.another({ isRevoking: true });
  await connect('alice', 'providera', secret());
  await connect('alice', 'providerb', secret());
  const [a, b] = [await plantRun('alice'), await plantRun('alice')];
  await token(a);
  await token(b);
  const [keyA, keyB] = [await key(a, 'providera'), await key(b, 'providerb')];
  standIns.providera.fail();
  const revoked = standIns.providera.counts.keysRevoked;
  await endRun(a);
  await endRun(b);
  await until(async () => (await keys()).some(({ failures }) => failures >= 2));
  // The other provider does not wait for it; its row follows what was done there.
  const waiting = async () => (await keys()).filter(({ isOpen }) => isOpen);
  await until(async () => (await waiting()).every(({ provider }) => provider === 'providera'));
  t.false(await isGood('providerb', keyB.text));
  t.deepEqual(
    (await waiting()).map(({ isKept }) => isKept),
    [false, false],
  );
  t.is(standIns.providera.counts.keysRevoked, revoked, 'good until the provider ended it');
  standIns.providera.heal();
  await until(async () => (await keys()).every(({ isOpen }) => !isOpen));
  t.false(await isGood('providera', keyA.text));
});

test('a key that has ended by itself is let go without a call', async (t) => {
  const desk = await openLoanDesk(t, { isRevoking: true });
  const { connect, token, plantRun, endRun, keys, standIns, admin } = desk;
  await connect('alice', 'providera', secret());
  const run = await plantRun('alice');
  await token(run);
  const revoked = standIns.providera.counts.keysRevoked;
  await admin`update inference_key set expires_at = rt.wall_clock()`;
  await endRun(run);
  await until(async () => (await keys()).every(({ isOpen }) => !isOpen));
  t.is(standIns.providera.counts.keysRevoked, revoked);
});

test('disconnecting ends all that was lent, also to a live run', async (t) => {
  const desk = await openLoanDesk(t, { isRevoking: true });
  const { connect, disconnect, token, key, plantRun, isGood, keys, refusal, admin } = desk;
  await connect('alice', 'providerb', secret());
  const run = await plantRun('alice');
  await token(run);
  const lent = await key(run, 'providerb');
  const command = desk.command();
  await disconnect('alice', 'providerb', command);
  t.like(await disconnect('alice', 'providerb', command), { connected: false }, 'sent again');
  t.is(await refusal(disconnect('alice', 'providerb')), 'NOT_CONNECTED');
  t.is(await refusal(key(run, 'providerb')), 'NOT_CONNECTED');
  await until(async () => (await keys()).every(({ isOpen }) => !isOpen));
  t.false(await isGood('providerb', lent.text));

  await connect('alice', 'providerb', secret());
  t.true(await isGood('providerb', (await key(run, 'providerb')).text), 'the token goes on');
  await admin`update inference_past_credential set replaced_at = now() - interval '5 minutes'`;
  await until(async () => (await admin`select from inference_past_credential`).length === 0);
});

test('another credential leaves live runs what they have, and can end it later', async (t) => {
  const desk = await openLoanDesk(t, { isRevoking: true });
  const { connect, token, key, plantRun, endRun, isGood, keys } = desk;
  await connect('alice', 'providerb', secret());
  const run = await plantRun('alice');
  await token(run);
  const lent = await key(run, 'providerb');
  await connect('alice', 'providerb', secret(), true);
  t.is((await key(run, 'providerb')).text, lent.text);
  t.true(await isGood('providerb', lent.text));
  await endRun(run);
  await until(async () => (await keys()).every(({ isOpen }) => !isOpen));
  t.false(await isGood('providerb', lent.text));
});

test('a key that comes after the miner disconnected is ended and not lent', async (t) => {
  const desk = await openLoanDesk(t, { mintMs: 100, isRevoking: true });
  const { connect, disconnect, token, key, plantRun, keys, refusal, standIns } = desk;
  await connect('alice', 'providera', secret());
  const run = await plantRun('alice');
  // Longer than a slow machine needs for what comes before it.
  standIns.providera.set({ delayMs: 6_000 });
  await token(run);
  await disconnect('alice', 'providera');
  await until(async () => (await keys()).length === 1);
  t.is(await refusal(key(run, 'providera')), 'NOT_CONNECTED');
  standIns.providera.set({ delayMs: 0 });
  const { keysRevoked } = standIns.providera.counts;
  await until(async () => (await keys()).every(({ isOpen }) => !isOpen));
  t.is(standIns.providera.counts.keysRevoked, keysRevoked + 1);
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

test('what is lent to a run lasts as long as the run does, however long that is', async (t) => {
  const desk = await openLoanDesk(t, { isRevoking: true });
  const { admin, connect, token, key, plantRun, endRun, isGood, keys } = desk;
  await connect('alice', 'providera', secret());
  const [run, other] = [await plantRun('alice'), await plantRun('alice')];
  const first = await token(run);
  await token(other);
  // As after an outage by which the run was given more time than anybody foresaw.
  await admin`update inference_token set expires_at = rt.clock() - interval '1 minute'`;
  await admin`update inference_key set expires_at = rt.wall_clock()`;
  await endRun(other);
  const isEnded = async (evalRunId: string) => {
    const [row] = await admin<{ isEnded: boolean }[]>`
      select ended_at is not null as "isEnded" from inference_token where eval_run_id = ${evalRunId}`;
    return row?.isEnded;
  };
  await until(async () => (await isEnded(other)) === true);

  t.false(await isEnded(run), 'one sweep ends whatever is over');
  const again = await token(run);
  t.is(again?.text, first?.text);
  t.true((again?.expiresAtMs ?? 0) > Date.now() + 60_000, 'what is told lies ahead');
  const lent = await key(run, 'providera');
  t.true(lent.expiresAtMs > Date.now() + 60_000);
  t.true(await isGood('providera', lent.text));
  await endRun(run);
  await until(async () => (await keys()).every(({ isOpen }) => !isOpen));
  t.is(await token(run), null);
});
