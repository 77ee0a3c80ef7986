import test from 'ava';
import { stuckKinds } from '../../../actors/services/stuck/kinds.ts';
import { createStuckWatch } from '../../../actors/services/stuck/stuck.actor.ts';
import { testDatabase } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

test('a coordinator measures how many records of each kind are stuck', async (t) => {
  const { sql } = await testDatabase(t);
  const clock = new ManualClock();
  const read = new Map<string, () => number | undefined>();
  const watch = createStuckWatch({
    ...{ sql, clock, log: silentLogger },
    telemetry: {
      gauge: (name, look, attributes) => {
        if (name !== 'paddock.stuck') return () => undefined;
        read.set(String(attributes?.['kind']), look);
        return () => void read.delete(String(attributes?.['kind']));
      },
    },
  });
  await watch.start();
  t.deepEqual([...read.keys()].sort(), stuckKinds.map(({ kind }) => kind).sort());
  t.is(read.get('parked-message')?.(), undefined, 'nothing was counted yet');

  await sql`
    insert into rt.poison (msg_id, subject, headers, body, error, at)
    values ('bad', 'evt.race.1.x', '{}', '{}', 'cannot read', now())`;
  await clock.advance(10_000);
  await until(async () => read.get('parked-message')?.() === 1);
  t.is(read.get('race')?.(), 0);

  await sql`delete from rt.poison`;
  await clock.advance(10_000);
  await until(async () => read.get('parked-message')?.() === 0);
  await watch.stop();
  t.is(read.size, 0);
});
