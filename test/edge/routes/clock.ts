import { randomUUID } from 'node:crypto';
import test from 'ava';
import { participantKeypair } from '../../../apps/world/participants/keys.ts';
import { signedClient } from '../../../apps/world/participants/signed-client.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { encodeHotkey } from '../../../infra/crypto/ss58.ts';
import { caller } from '../../support/edge-client.ts';
import {
  claim,
  runPath,
  sendSubmission,
  submit,
  validators,
} from '../../support/evaluation-client.ts';
import { okBody, openTrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { invalid, refused } from './answers.ts';
import { service } from './simulated-service.ts';

// Leases are the defaults: 300 s from the claim, 120 s from a heartbeat on.

const hourSeconds = 3600;

const path = '/v1/admin/clock/advance';

async function claimed(name: string) {
  await openTrialSuite(service);
  const [miner, validator] = await Promise.all([
    service.miner(`${name} miner`),
    service.validator(`${name} validator`),
  ]);
  await submit(miner);
  return { miner, validator, run: await claim(validator) };
}

async function statusOf(evalRunId: string): Promise<string> {
  const answer = await service.call('GET', `/v1/public/evaluation-runs/${evalRunId}`);
  return (await okBody<{ status: string }>(answer)).status;
}

/** When runs were marked stale, as the event log has it, in its order. */
async function endsOf(runs: readonly string[]) {
  return await service.sql<{ evalRunId: string; endedMs: number }[]>`
    select key as "evalRunId", floor(extract(epoch from max(at)) * 1000)::float8 as "endedMs"
    from rt.event
    where machine = 'evaluation-run' and key = any(${[...runs]}::text[])
    group by key
    order by max(at)`;
}

test.serial('a lease ends when the clock is moved past it, and not before', async (t) => {
  const { validator, run } = await claimed('lease');

  // The time of the machine goes on as well, and not for long.
  await service.advance(240);
  t.is(await statusOf(run.eval_run_id), 'CLAIMED');
  await okBody(await validator.post(runPath(run.eval_run_id, 'heartbeat')));
  await service.advance(90);
  t.is(await statusOf(run.eval_run_id), 'RUNNING');

  await service.advance(31);
  t.is(await statusOf(run.eval_run_id), 'STALE');
});

test.serial('every lease on the way ends at its own instant, in order', async (t) => {
  const count = 25;
  await openTrialSuite(service, { requiredSuccesses: count });
  await submit(await service.miner('order miner'));
  // All in one partition, where a jump past all of them would look like an outage of ours, as would
  // more than a fifth of them within one heartbeat.
  const runs: { id: string; untilMs: number }[] = [];
  for (const validator of await validators(service, 'order', count)) {
    const run = await claim(validator);
    runs.push({ id: run.eval_run_id, untilMs: Date.parse(run.lease_expires_at) });
    await service.advance(8);
  }

  await service.advance(hourSeconds);

  const ends = await endsOf(runs.map(({ id }) => id));
  t.deepEqual(
    ends.map(({ evalRunId }) => evalRunId),
    runs.map(({ id }) => id),
  );
  // Long before the next one; the time of the machine goes on while the clock is moved.
  for (const [index, { endedMs }] of ends.entries()) {
    const lateMs = endedMs - (runs[index]?.untilMs ?? 0);
    t.true(lateMs >= 0 && lateMs < 7_000, `${lateMs} ms after its end`);
  }
});

test.serial('a cooldown is over after its hours', async (t) => {
  await openTrialSuite(service);
  const miner = await service.miner('cooldown');
  await submit(miner);

  await service.advance(18 * hourSeconds - 60);
  await refused(t, await sendSubmission(miner), '429 COOLDOWN_ACTIVE');
  await service.advance(61);
  t.is((await sendSubmission(miner)).status, 200);
});

test.serial('a session dies after its two hours, on every edge', async (t) => {
  const miner = await service.miner('session');
  const headers = { authorization: `Bearer ${await miner.openSession()}` };
  const asks = () =>
    Promise.all(service.baseUrls.map((url) => caller(url)('GET', '/v1/miner/agents', { headers })));
  const before = await asks();
  t.deepEqual(
    before.map(({ status }) => status),
    [200, 200],
  );

  await service.advance(2 * hourSeconds + 1);

  for (const answer of await asks()) await refused(t, answer, '401 INVALID_SESSION');
});

test.serial('a challenge is answered in time or not at all', async (t) => {
  const miner = await service.miner('challenge');
  const challenge = await miner.challenge();
  const [, issuedSeconds] = challenge.split(':');
  t.true(Math.abs(Number(issuedSeconds) - service.nowMs() / 1000) < 5);

  await service.advance(61);
  await refused(t, await miner.exchange(challenge), '401 INVALID_CHALLENGE');
});

test.serial('signed requests go by the service’s time, and a refusal tells it', async (t) => {
  const miner = await service.miner('skew');
  await service.advance(hourSeconds);
  const offsetSeconds = Math.round((Date.now() - service.nowMs()) / 1000);

  for (const url of service.baseUrls) {
    const call = caller(url);
    const late = miner.headers({ offsetSeconds });
    const answer = await call('GET', '/v1/miner/agents', { headers: late });
    const { server_time: serverTime } = await refused(t, answer, '401 TIMESTAMP_SKEW');
    t.true(Math.abs(Number(serverTime) - service.nowMs() / 1000) < 5);
    const fresh = { headers: miner.headers() };
    t.is((await call('GET', '/v1/miner/agents', fresh)).status, 200);
    await refused(t, await call('GET', '/v1/miner/agents', fresh), '401 NONCE_REUSED');
  }
});

test.serial('a client that is told the time by a refusal goes on by it', async (t) => {
  const keypair = participantKeypair(1, 'miner', 1);
  const registration = `/v1/admin/chain/registrations/${encodeHotkey(keypair.publicKey)}`;
  await okBody(await service.operator('PUT', registration, { body: { role: 'miner' } }));
  const scheme = 'signed-headers';
  const client = signedClient({ ...service, keypair, scheme, clock: systemClock });
  await service.advance(hourSeconds);

  for (let ask = 0; ask < 2; ask++) {
    t.is((await client.request('GET', '/v1/miner/agents')).status, 200);
  }
});

test.serial('the clock is shown, and flows', async (t) => {
  const shown = async () => {
    const answer = await service.operator('GET', '/v1/admin/clock');
    return await okBody<{ clock: string; now: string }>(answer);
  };
  const before = await shown();
  t.is(before.clock, 'simulated');
  t.true(Math.abs(Date.parse(before.now) - service.nowMs()) < 1_000);
  await until(async () => Date.parse((await shown()).now) > Date.parse(before.now));
});

test.serial('a repeat under one key moves the clock once', async (t) => {
  const headers = { 'idempotency-key': randomUUID() };
  const advance = async () =>
    okBody(await service.operator('POST', path, { body: { seconds: 600, reason: 'x' }, headers }));

  const first = await advance();
  t.deepEqual(await advance(), first);
  const other = await service.operator('POST', path, { body: { seconds: 601 }, headers });
  await refused(t, other, '409 IDEMPOTENCY_CONFLICT');

  const [entry] = await service.sql<{ entries: number }[]>`
    select count(*)::int as entries from audit_log
    where action = 'clock.advance' and detail ->> 'seconds' = '600' and reason = 'x'`;
  t.is(entry?.entries, 1);
  await service.advance(1);
});

test.serial('two advances at once both count', async (t) => {
  const { run } = await claimed('both');
  const before = service.nowMs();
  const [first, second] = await Promise.all([service.advance(200), service.advance(400)]);

  const target = Math.max(first ?? 0, second ?? 0);
  t.true(target - before >= 600_000 && target - before < 620_000, `${target - before}`);
  await service.advance(1);
  t.is(await statusOf(run.eval_run_id), 'STALE');
  const [end] = await endsOf([run.eval_run_id]);
  t.true((end?.endedMs ?? 0) - Date.parse(run.lease_expires_at) < 3_000);
});

test.serial('only whole seconds up to a year are taken', async (t) => {
  const bodies = [{}, { seconds: 0 }, { seconds: -1 }, { seconds: 1.5 }, { seconds: '5' }];
  for (const body of [...bodies, { seconds: 366 * 86_400 + 1 }]) {
    await invalid(t, await service.operator('POST', path, { body }));
  }
  await refused(
    t,
    await service.call('POST', path, { body: { seconds: 5 } }),
    '401 MISSING_CREDENTIALS',
  );
});
