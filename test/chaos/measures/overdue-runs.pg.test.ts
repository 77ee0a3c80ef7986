import test from 'ava';
import { addSuite, claimRun, openWorld } from '../../support/eval-desk.ts';
import { evalPart, submission } from '../../support/eval-world.ts';
import { overdueRuns } from './overdue-runs.ts';

test('a live run past its written end is found with what its owner does about it', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await addSuite(sql);
  await desk.ok('submit-version', submission(1, { suiteId }));
  const { evalRunId } = await claimRun(desk, 'val-a');
  const found = () => overdueRuns(sql).find();
  const endsAgo = (interval: string) => sql`
    insert into run_beat (eval_run_id, part, beat_at, lease_until)
    values (${evalRunId}, ${evalPart}, now(), now() - ${interval}::interval)
    on conflict (eval_run_id) do update set lease_until = excluded.lease_until`;
  t.deepEqual(await found(), []);

  await sql`update evaluation_run set lease_expires_at = now() - interval '1 minute'`;
  const [overdue, ...others] = await found();
  t.is(overdue?.name, `run ${evalRunId}`);
  t.regex(overdue?.owner ?? '', /^member-/);
  t.deepEqual(others, []);
  t.deepEqual(await found(), [overdue]);

  await endsAgo('30 seconds');
  const [moved] = await found();
  t.not(moved?.state, overdue?.state);

  await desk.takeOver();
  const [takenOver] = await found();
  t.not(takenOver?.state, moved?.state);

  await endsAgo('-1 minute');
  t.deepEqual(await found(), []);
});

test('while nobody serves its partition, a run is not looked at', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await addSuite(sql);
  await desk.ok('submit-version', submission(1, { suiteId }));
  await claimRun(desk, 'val-a');
  await sql`update evaluation_run set lease_expires_at = now() - interval '1 minute'`;
  t.is((await overdueRuns(sql).find()).length, 1);

  await sql`update rt.member set lease_until = now() - interval '1 second'`;

  t.deepEqual(await overdueRuns(sql).find(), []);
});
