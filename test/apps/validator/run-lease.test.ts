/** Heartbeats, and what refuses our proof, against a service that is a stub. */
import test, { type ExecutionContext } from 'ava';
import { serviceClient, signingIdentity } from '../../../apps/validator/credentials.ts';
import { sendDelivery } from '../../../apps/validator/delivery/send-delivery.ts';
import { RunLease } from '../../../apps/validator/run/run-lease.ts';
import { participantKeypair } from '../../../apps/world/participants/keys.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';
import { folderFor, openStub, type StubService, say, startStubbed } from './stub-service.ts';

function clientOf(stub: StubService, clock: ManualClock) {
  const proof = { baseUrl: stub.url, keypair: participantKeypair(77, 'validator', 1), clock };
  return serviceClient(proof, signingIdentity(proof), 0);
}

function leaseOf(t: ExecutionContext, stub: StubService, clock = new ManualClock()) {
  let unproved = 0;
  const lease = new RunLease({
    ...{ api: clientOf(stub, clock), evalRunId: 'run', everyMs: 1_000, clock, log: silentLogger },
    report: () => ({}),
    onUnproved: () => {
      unproved += 1;
    },
  });
  t.teardown(() => lease[Symbol.asyncDispose]());
  return { lease, clock, unproved: () => unproved };
}

// The shortest lease of the contract has room for two of them.
test('a heartbeat that nobody answers is given up after ten seconds, and another one is sent', async (t) => {
  const stub = await openStub(t);
  stub.answers.set('/run/heartbeat', (response) => {
    if (stub.askedFor('/run/heartbeat').length > 2) say(response, 200, {});
  });
  const { lease, clock } = leaseOf(t, stub);
  // The first one does not wait for the turn of the others.
  await until(() => stub.askedFor('/run/heartbeat').length === 1);
  await until(async () => {
    await clock.advance(500);
    return stub.askedFor('/run/heartbeat').length > 2;
  });

  t.true(clock.monotonicMs() < 15_000);
  t.false(lease.lost.aborted);
});

const refused = { detail: 'Who is it?', error_code: 'SESSION_EXPIRED' };

test('a heartbeat whose proof is refused loses no run, and is proved afresh', async (t) => {
  const stub = await openStub(t);
  stub.answers.set('/run/heartbeat', (response) => say(response, 401, refused));
  const { lease, unproved } = leaseOf(t, stub);
  await until(() => unproved() === 1);

  t.false(lease.lost.aborted);
});

test('so is what waits to be delivered, which stays', async (t) => {
  const stub = await openStub(t);
  const clock = new ManualClock();
  stub.answers.set('/run/release', (response) => say(response, 401, refused));
  let unproved = 0;
  const onUnproved = () => {
    unproved += 1;
  };
  const release = {
    kind: 'release',
    evalRunId: 'run',
    reason: 'stopping',
    untilMs: clock.nowMs() + 1,
  } as const;
  const { signal } = new AbortController();
  const attempt = await sendDelivery(clientOf(stub, clock), release, { onUnproved, clock, signal });

  t.is(attempt.kind, 'later');
  t.is(unproved, 1);
});

test('a claim whose session is refused is asked for under another one', async (t) => {
  const stub = await openStub(t);
  const inSeconds = (seconds: number) => Math.floor(Date.UTC(2026, 0, 1) / 1000) + seconds;
  let sessions = 0;
  stub.answers
    .set('/auth/challenge', (response) =>
      say(response, 200, { challenge: 'sign me', expires_at: inSeconds(60) }),
    )
    .set('/auth/session', (response) => {
      sessions += 1;
      const expires_at = inSeconds(7200);
      say(response, 200, { session_token: `ses_${sessions}`, expires_at, role: 'validator' });
    })
    .set('/work/claim', (response) => {
      if (sessions === 1) say(response, 401, refused);
      else response.writeHead(204).end();
    });
  const env = { VALIDATOR_AUTH: 'session' };
  const validator = await startStubbed(await folderFor(t), stub, { env });
  await until(() => stub.askedFor('/work/claim').length > 1);
  await validator.stop();

  t.is(sessions, 2);
});
