import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Logger } from '../../../infra/ports/log.ts';
import { Fault } from '../../../machines/fault.ts';
import { openLoanDesk } from '../../support/loan-desk.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

const secret = () => `demo-${randomUUID()}`;

test('what a provider answered where it checked nothing is in the log', async (t) => {
  const warned: Readonly<Record<string, unknown>>[] = [];
  const warn: Logger['warn'] = (text, fields) => warned.push({ text, ...fields });
  const { connect, refusal, standIns } = await openLoanDesk(t, { log: { ...silentLogger, warn } });
  standIns.providera.fail({ kind: 'status', status: 400 });

  t.is(await refusal(connect('alice', 'providera', secret())), 'PROVIDER_UNAVAILABLE');
  t.like(warned, [
    {
      ...{ text: 'a provider could not check a credential', provider: 'providera' },
      error: { message: 'the provider answers 400' },
    },
  ]);
});

// An account's own limits are in its miner's hands, and a run that fails by its provider is no score.
for (const [fault, isOutage] of [
  [{ kind: 'status', status: 429 }, false],
  [{ kind: 'status', status: 400 }, false],
  // A key of that name is there, say, which its miner could have made.
  [{ kind: 'status', status: 409 }, false],
  [{ kind: 'status', status: 408 }, true],
  [{ kind: 'status', status: 425 }, true],
  [{ kind: 'status', status: 503 }, true],
  [{ kind: 'cut' }, true],
] as const) {
  const what = 'status' in fault ? `answers ${fault.status}` : 'breaks off';
  test(`a provider that ${what} to the wish for a key ${isOutage ? 'failed' : 'did not fail'}`, async (t) => {
    const { connect, token, key, plantRun, standIns } = await openLoanDesk(t);
    await connect('alice', 'providera', secret());
    const run = await plantRun('alice');
    standIns.providera.fail(fault);
    await token(run);

    const refused = await t.throwsAsync(key(run, 'providera'), { instanceOf: Fault });
    t.is(refused.code, 'PROVIDER_UNAVAILABLE');
    t.is('provider_failed' in refused.extras, isOutage);
  });
}

// One miner's account is no sign of the next one's: whoever has it can bring about a 429, and be asked by another.
test('an account that gets no key has no claim of its own wait, and lets those of others be', async (t) => {
  const { connect, token, plantRun, standIns } = await openLoanDesk(t, { restMs: 60_000 });
  const { providera } = standIns;
  await connect('alice', 'providera', secret());
  await connect('bob', 'providera', secret());
  providera.fail({ kind: 'status', status: 429, retryAfterSeconds: 60 });
  t.truthy(await token(await plantRun('alice')));
  providera.heal();
  const { keysMade, requests } = providera.counts;

  t.truthy(await token(await plantRun('bob')));
  t.is(providera.counts.keysMade, keysMade + 1, 'bob’s was asked');
  const after = providera.counts.requests;
  t.truthy(await token(await plantRun('alice')));
  t.is(providera.counts.requests, after, 'alice’s was not');
  t.true(after > requests);
});

test('a provider that fails one account has no claim of another’s wait', async (t) => {
  const { connect, token, plantRun, standIns } = await openLoanDesk(t, { restMs: 60_000 });
  const { providera } = standIns;
  await connect('alice', 'providera', secret());
  await connect('bob', 'providera', secret());
  providera.fail({ kind: 'status', status: 503 });
  t.truthy(await token(await plantRun('alice')));
  providera.heal();
  const { requests } = providera.counts;

  t.truthy(await token(await plantRun('bob')));
  t.is(providera.counts.requests, requests);
});

test('a provider that hangs rests for all, one whose account is asked for elsewhere for nobody else', async (t) => {
  // Half of its patience is what the service has for statements, before the provider is asked.
  const desk = await openLoanDesk(t, { mintMs: 3_000, restMs: 60_000 });
  const { admin, connect, token, plantRun, standIns } = desk;
  const { providerb } = standIns;
  for (const provider of ['providera', 'providerb'] as const) {
    await connect(`alice at ${provider}`, provider, secret());
    await connect(`bob at ${provider}`, provider, secret());
  }
  // A process that died in its turn: nobody asks the provider.
  await admin`
    update inference_credential
    set busy_by = ${randomUUID()}, busy_until = rt.wall_clock() + interval '1 minute'
    where miner_hotkey = 'alice at providera'`;
  providerb.set({ delayMs: 60_000 });
  // Else the end of this test waits for both.
  t.teardown(async () => {
    await admin`update inference_credential set busy_by = null, busy_until = null`;
    await providerb.stop();
  });
  const before = providerb.counts.requests;

  const hung = ['alice at providera', 'alice at providerb'].map(async (hotkey) =>
    t.truthy(await token(await plantRun(hotkey))),
  );
  await Promise.all(hung);
  await until(() => providerb.counts.requests === before + 1);
  t.truthy(await token(await plantRun('bob at providera')));
  await until(async () => {
    const made = await admin`select from inference_key where miner_hotkey = 'bob at providera'`;
    return made.length === 1;
  });
  t.truthy(await token(await plantRun('bob at providerb')));
  t.is(providerb.counts.requests, before + 1);
});

test('a provider that was hardly asked when patience ended does not rest', async (t) => {
  const mintMs = 8_000;
  const { admin, connect, token, plantRun, standIns } = await openLoanDesk(t, {
    ...{ mintMs, restMs: 60_000 },
  });
  await connect('alice', 'providera', secret());
  await connect('bob', 'providera', secret());
  const [alices, bobs] = [await plantRun('alice'), await plantRun('bob')];
  await admin`
    update inference_credential
    set busy_by = ${randomUUID()}, busy_until = rt.wall_clock() + ${mintMs - 400} * interval '1 ms'
    where miner_hotkey = 'alice'`;
  standIns.providera.set({ delayMs: 2_000 });
  const before = standIns.providera.counts.requests;

  t.truthy(await token(alices));
  await until(() => standIns.providera.counts.requests === before + 1);
  t.truthy(await token(bobs));
  t.is(standIns.providera.counts.requests, before + 2);
});

test('a provider without a URL here costs no miner its token, and operators are told', async (t) => {
  const told: Readonly<Record<string, unknown>>[] = [];
  const error: Logger['error'] = (text, fields) => told.push({ text, ...fields });
  const { another, connect, plantRun, refusal } = await openLoanDesk(t);
  await connect('alice', 'providera', secret());
  const run = await plantRun('alice');
  const { choose, key, token } = another({
    without: 'providera',
    log: { ...silentLogger, error },
  });

  t.like(await token(run), { provider: 'providera' });
  t.like(told, [{ text: 'a provider that miners use has no URL here', provider: 'providera' }]);
  const refused = await t.throwsAsync(key(run, 'providera'), { instanceOf: Fault });
  t.like(refused, { code: 'PROVIDER_UNAVAILABLE', extras: { provider_failed: true } });
  t.is(await refusal(choose('alice', 'providera')), 'DEFAULT_NOT_CONNECTED');
});
