import { randomUUID } from 'node:crypto';
import test from 'ava';
import { openLoanDesk } from '../../support/loan-desk.ts';
import { until } from '../../support/until.ts';

const secret = () => `demo-${randomUUID()}`;

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
