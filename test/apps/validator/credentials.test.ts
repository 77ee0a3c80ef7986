import test, { type ExecutionContext } from 'ava';
import { serviceClient, sessionIdentity } from '../../../apps/validator/credentials.ts';
import { participantKeypair } from '../../../apps/world/participants/keys.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { away, openStub, say } from './stub-service.ts';

const nowMs = Date.UTC(2026, 0, 1);

interface Told {
  /** By how much the wall clock of this machine is ahead of the service's. */
  readonly aheadMs?: number;
  readonly sessionSeconds?: number;
}

/** A service that opens sessions by its own clock, and a client that asks it by a session. */
async function openSessions(
  t: ExecutionContext,
  { aheadMs = 0, sessionSeconds = 7200 }: Told = {},
) {
  const stub = await openStub(t);
  const clock = new ManualClock(nowMs + aheadMs);
  const inSeconds = (seconds: number) => (clock.nowMs() - aheadMs) / 1000 + seconds;
  stub.answers
    .set('/auth/challenge', (response) =>
      say(response, 200, { challenge: 'sign me', expires_at: Math.floor(inSeconds(60)) }),
    )
    .set('/auth/session', (response) =>
      say(response, 200, {
        ...{ session_token: 'ses_', expires_at: Math.floor(inSeconds(sessionSeconds)) },
        role: 'validator',
      }),
    );
  const keypair = participantKeypair(77, 'validator', 1);
  const proof = { baseUrl: stub.url, keypair, clock };
  const identity = sessionIdentity(proof);
  const client = serviceClient(proof, identity, 0);
  const ask = () => client.getValidatorWeightSalt({});
  return { stub, ask, clock, identity, opened: () => stub.askedFor('/auth/session').length };
}

for (const hours of [3, -3]) {
  test(`a clock that is ${hours} hours ahead opens one session for many requests`, async (t) => {
    const { ask, opened } = await openSessions(t, { aheadMs: hours * 3_600_000 });
    await Promise.all([ask(), ask()]);
    for (let count = 0; count < 10; count++) await ask();

    t.is(opened(), 1);
  });
}

test('a session is renewed a minute before its end', async (t) => {
  const { ask, clock, opened } = await openSessions(t);
  await ask();
  await clock.advance(7_139_000);
  await ask();
  t.is(opened(), 1);
  await clock.advance(1_000);
  await ask();

  t.is(opened(), 2);
});

test('one that is as short as its challenge is used all the same', async (t) => {
  const { ask, opened } = await openSessions(t, { sessionSeconds: 60 });
  for (let count = 0; count < 10; count++) await ask();

  t.is(opened(), 1);
});

test('what is forgotten is proved afresh', async (t) => {
  const { ask, identity, opened } = await openSessions(t);
  await ask();
  identity.forget();
  await ask();

  t.is(opened(), 2);
});

test('a session that could not be opened is opened at the next need', async (t) => {
  const { ask, opened, stub } = await openSessions(t);
  const answer = stub.answers.get('/auth/challenge');
  stub.answers.set('/auth/challenge', away);
  await t.throwsAsync(ask());
  stub.answers.set('/auth/challenge', (response, asked) => answer?.(response, asked));
  await ask();

  t.is(opened(), 1);
});
