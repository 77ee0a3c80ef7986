import test, { type ExecutionContext } from 'ava';
import { createIdleWorkWatch } from '../../../actors/services/idle-work/idle-work.actor.ts';
import { readIdleWork } from '../../../actors/services/idle-work/read-idle-work.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { addSuite, claimRun, openWorld } from '../../support/eval-desk.ts';
import { submission } from '../../support/eval-world.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

/** In whole minutes. */
async function idle(sql: Sql) {
  const { QUALIFYING, RACE } = await readIdleWork(sql);
  return { QUALIFYING: Math.round(QUALIFYING / 60), RACE: Math.round(RACE / 60) };
}

interface FailedRuns {
  readonly runs: number;
  readonly lastEnded: string;
  readonly failureClass: 'PROVIDER' | null;
}

/** A piece of work whose runs by one validator, who is here, all failed, a minute apart. */
async function failedRuns(
  t: ExecutionContext,
  { runs, lastEnded, failureClass }: FailedRuns,
): Promise<Sql> {
  const { sql, desk } = await openWorld(t);
  const suiteId = await addSuite(sql);
  await desk.ok('submit-version', submission(1, { suiteId }));
  const { evalRunId } = await claimRun(desk, 'val-a');
  await sql`insert into validator (hotkey, last_seen_at) values ('val-a', now())`;
  await sql`
    update evaluation_run set status = 'FAILED', failure_class = ${failureClass},
      completed_at = now() + ${lastEnded}::interval
    where eval_run_id = ${evalRunId}`;
  await sql`
    insert into evaluation_run
    select (jsonb_populate_record(r, jsonb_build_object('eval_run_id', gen_random_uuid(),
      'fence', n + 1, 'completed_at', r.completed_at - n * interval '1 minute'))).*
    from evaluation_run r, generate_series(1, ${runs - 1}::integer) n`;
  await sql`
    update work_item set live_count = 0, queued_at = now() - interval '1 day'`;
  return sql;
}

test('work that nobody takes is idle from when it could be taken, or from when the last run ended', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await addSuite(sql);
  t.deepEqual(await idle(sql), { QUALIFYING: 0, RACE: 0 }, 'there is none');

  await desk.ok('submit-version', submission(1, { suiteId }));
  await sql`update work_item set queued_at = now() - interval '20 minutes'`;
  t.deepEqual(await idle(sql), { QUALIFYING: 20, RACE: 0 });
  await sql`update work_item set phase = 'RACE', race_id = gen_random_uuid()`;
  t.deepEqual(await idle(sql), { QUALIFYING: 0, RACE: 20 });
  await sql`update work_item set phase = 'QUALIFYING', race_id = null`;

  await sql`update work_item set hold_until = now() + interval '1 minute'`;
  t.deepEqual(await idle(sql), { QUALIFYING: 0, RACE: 0 }, 'nobody may take it yet');
  await sql`update work_item set hold_until = now() - interval '5 minutes'`;
  t.deepEqual(await idle(sql), { QUALIFYING: 5, RACE: 0 });
  await sql`update work_item set hold_reason = 'MINER_BANNED'`;
  t.deepEqual(await idle(sql), { QUALIFYING: 0, RACE: 0 }, 'operators have it');
  await sql`update work_item set hold_until = null, hold_reason = null`;

  const { evalRunId } = await claimRun(desk, 'val-a');
  await sql`insert into validator (hotkey, last_seen_at) values ('val-a', now())`;
  t.deepEqual(await idle(sql), { QUALIFYING: 0, RACE: 0 }, 'somebody is at it');
  await sql`
    update evaluation_run set status = 'STALE', completed_at = now() - interval '10 minutes'
    where eval_run_id = ${evalRunId}`;
  await sql`update work_item set live_count = 0`;
  t.deepEqual(await idle(sql), { QUALIFYING: 10, RACE: 0 });
});

test('whoever is at any work is taken for one who comes to the race as well', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await addSuite(sql);
  await desk.ok('submit-version', submission(1, { suiteId }));
  await claimRun(desk, 'val-a');
  await desk.ok('submit-version', submission(2, { suiteId }));
  await sql`
    update work_item set phase = 'RACE', race_id = gen_random_uuid(), queued_at = now() - interval '1 hour'
    where live_count = 0`;

  t.deepEqual(await idle(sql), { QUALIFYING: 0, RACE: 0 });
});

test('work that all who are here pause could not be claimed until the first pause is over', async (t) => {
  // As where the miner's account is exhausted: the last pause is of 64 minutes.
  const sql = await failedRuns(t, {
    ...{ runs: 9, lastEnded: '62 minutes ago', failureClass: 'PROVIDER' },
  });
  await sql`update work_item set next_fence = 10`;
  t.deepEqual(await idle(sql), { QUALIFYING: 0, RACE: 0 }, 'nobody may have it yet');

  await sql`update evaluation_run set completed_at = completed_at - interval '9 minutes'`;
  t.deepEqual(await idle(sql), { QUALIFYING: 7, RACE: 0 }, 'since the pause ended');
  await sql`update evaluation_run set completed_at = completed_at + interval '9 minutes'`;

  await sql`insert into validator (hotkey, last_seen_at) values ('val-b', now())`;
  t.deepEqual(await idle(sql), { QUALIFYING: 62, RACE: 0 }, 'another one could have it');
  await sql`update validator set last_seen_at = now() - interval '2 hours'`;
  t.deepEqual(await idle(sql), { QUALIFYING: 62, RACE: 0 }, 'nobody is here');
});

test('the runs of months are not all read to see when the last one ended', async (t) => {
  const sql = await failedRuns(t, { runs: 5_001, lastEnded: '5 minutes ago', failureClass: null });
  await sql`analyze`;

  await transaction(sql, {}, async (tx) => {
    // Sound because it asks by the template alone.
    const { QUALIFYING } = await readIdleWork(tx as unknown as Sql);
    t.is(Math.round(QUALIFYING / 60), 5);
    const [{ read } = { read: -1 }] = await tx<{ read: number }[]>`
      select seq_tup_read::integer as read from pg_stat_xact_user_tables
      where relname = 'evaluation_run'`;
    t.is(read, 0);
  });
});

test('a coordinator measures it for each phase', async (t) => {
  const { sql, desk } = await openWorld(t);
  const clock = new ManualClock();
  const read = new Map<string, () => number | undefined>();
  const watch = createIdleWorkWatch({
    ...{ sql, clock, log: silentLogger },
    telemetry: {
      gauge: (name, look, attributes) => {
        const series = `${name} ${attributes?.['phase']}`;
        read.set(series, look);
        return () => void read.delete(series);
      },
    },
  });
  await watch.start();
  t.teardown(() => watch.stop());
  const suiteId = await addSuite(sql);
  await desk.ok('submit-version', submission(1, { suiteId }));
  await sql`update work_item set queued_at = now() - interval '1 hour'`;
  await clock.advance(30_000);

  await until(async () => (read.get('paddock.work.idle QUALIFYING')?.() ?? 0) >= 3_600);
  t.is(read.get('paddock.work.idle RACE')?.(), 0);
});
