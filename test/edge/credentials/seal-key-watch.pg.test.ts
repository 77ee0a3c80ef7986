import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { checkSealKeys } from '../../../actors/services/sealing/check-keys.ts';
import { SealKeyWatch } from '../../../apps/edge/credentials/seal-key-watch.ts';
import { createCredentialSeal } from '../../../infra/crypto/credential-seal.ts';
import { SealKeyChanged } from '../../../infra/ports/seal.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { testDatabase } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

const newSeal = () => createCredentialSeal([{ id: 'k1', key: randomBytes(32) }]);

function watching(t: ExecutionContext, sql: Sql, seal = newSeal()) {
  const clock = new ManualClock();
  const said: string[] = [];
  const log = { ...silentLogger, warn: (message: string) => void said.push(message) };
  const watch = new SealKeyWatch({ sql, seal, clock, log });
  t.teardown(() => watch.stop());
  return { watch, clock, said };
}

const note = (sql: Sql, seal = newSeal()) => checkSealKeys({ sql, seal, places: [] });

test('an edge that started before its coordinators ends once they have another key', async (t) => {
  const { sql } = await testDatabase(t);
  const { watch, clock } = watching(t, sql);
  await watch.start();
  await note(sql);
  await clock.advance(5_000);
  await t.throwsAsync(watch.changed, { instanceOf: SealKeyChanged });
});

test('an edge that knows all of its keys asks no more', async (t) => {
  const { sql } = await testDatabase(t);
  const seal = newSeal();
  await note(sql, seal);
  let asked = 0;
  const counted = new Proxy(sql, {
    apply: (target, self, given) => {
      asked += 1;
      return Reflect.apply(target, self, given);
    },
  });
  const { watch, clock } = watching(t, counted, seal);
  await watch.start();
  await clock.advance(60_000);
  t.is(asked, 1);
});

test('an edge starts where it cannot compare its keys, says so once, and does later', async (t) => {
  const { sql } = await testDatabase(t);
  await note(sql);
  await sql`alter table seal_key_check rename to gone`;
  const { watch, clock, said } = watching(t, sql);
  await watch.start();
  await clock.advance(5_000);
  await until(async () => said.length > 0);
  await sql`alter table gone rename to seal_key_check`;
  await clock.advance(10_000);
  await t.throwsAsync(watch.changed, { instanceOf: SealKeyChanged });
  t.is(said.length, 1);
});
