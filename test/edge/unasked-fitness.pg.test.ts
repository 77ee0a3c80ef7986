import test from 'ava';
import { startTestService } from '../support/edge.ts';
import { hurriedClock } from '../support/hurried-clock.ts';
import { keptGauges } from '../support/kept-gauges.ts';
import { until } from '../support/until.ts';

test('an edge that nobody asks for its health finds a database that became unfit, and fit again', async (t) => {
  const { clock, moved } = hurriedClock();
  const { telemetry, gauge } = keptGauges();
  const service = await startTestService({
    edgeClock: clock,
    telemetry,
  });
  t.teardown(() => service.stop());
  const unfit = () => {
    moved.ms += 10_000;
    return gauge('paddock.database.unfit');
  };
  const { sql } = service;
  const [row] = await sql<{ name: string }[]>`select current_database() as name`;
  const name = sql(row?.name ?? '');
  const reconnectAll = () => sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  t.is(unfit(), 0);

  await sql`alter database ${name} set zero_damaged_pages = on`;
  await reconnectAll();
  await until(() => unfit() === 1);
  await sql`alter database ${name} reset zero_damaged_pages`;
  await reconnectAll();
  await until(() => unfit() === 0);
});
