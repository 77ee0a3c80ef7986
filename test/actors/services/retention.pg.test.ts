import test from 'ava';
import { sweepsOf } from '../../../apps/coordinator/sweeps.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { testDatabase } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { stepClock } from '../../support/step-clock.ts';

test('what has served goes in chunks, what may still be asked for stays', async (t) => {
  const { sql: admin, url } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 'services', role: 'paddock_service', max: 4 });
  t.teardown(() => closeSql(sql));
  const age = admin`generate_series(1, 4) as age`;
  const at = admin`rt.clock() - (age * 100 - 50) * interval '1 second'`;
  await admin`
    insert into nonce (hotkey, nonce, accepted_at, batch_id)
    select 'alice', gen_random_uuid(), ${at}, 'batch' from ${age}`;
  await admin`
    insert into challenge (challenge_sha256, hotkey, expires_at)
    select 'challenge' || age, 'alice', ${at} from ${age}`;
  await admin`
    insert into session (token_sha256, hotkey, role, created_at, expires_at)
    select 'token' || age, 'alice', 'miner', ${at},
      rt.clock() + (2.5 - age) * interval '1 second' * 100 from ${age}`;
  await admin`
    insert into idempotency (key_sha256, route, body_sha256, reply, at)
    select 'key' || age, 'x', 'y', '{}', ${at} from ${age}`;
  const clock = new ManualClock();
  const config = { nonceMemorySeconds: 180, idempotencySeconds: 280 };
  const { answers, nonces, challenges, sessions } = sweepsOf({ sql, config, clock });
  // The clock of the database is watched for as long as a nonce is kept.
  await stepClock(admin, -180);
  t.is(await nonces(1), 0);
  await clock.advance(180_000);
  await stepClock(admin, 0);
  for (const sweep of [nonces, challenges, sessions]) {
    t.is(await sweep(1), 1);
    t.true((await sweep(100)) > 0);
  }
  t.is(await answers(100), 1);
  const left = await admin`
    select (select count(*)::int from nonce) as nonces,
      (select count(*)::int from challenge) as challenges,
      (select count(*)::int from session) as sessions,
      (select count(*)::int from idempotency) as answers`;
  t.deepEqual([...left], [{ nonces: 2, challenges: 1, sessions: 2, answers: 3 }]);
});
