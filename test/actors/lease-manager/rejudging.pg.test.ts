import test from 'ava';
import { claimView } from '../../../actors/lease-manager/reads.ts';
import { randomId } from '../../../infra/ids/ids.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import {
  addRace,
  addSuite,
  claimOf,
  claimRun,
  type Desk,
  openWorld,
} from '../../support/eval-desk.ts';
import {
  completion,
  episode,
  type OwnRun,
  submission,
  versionIdAt,
} from '../../support/eval-world.ts';
import { tellsOneStory } from '../../support/one-story.ts';

const agentVersionIds = [versionIdAt(1)];

async function finish(desk: Desk, own: OwnRun, prefix = 'task') {
  const results = [0, 1, 2].map((n) => episode(n, { taskId: `${prefix}-${n}` }));
  await desk.ok('append-results', { ...own, results });
  await desk.ok('complete-run', { ...own, ...completion() });
  return own;
}

/** Version 1, eligible by val-a and val-b. */
async function season(sql: Sql, desk: Desk) {
  const suiteId = await addSuite(sql);
  await desk.ok('submit-version', submission(1));
  const first = await finish(desk, await claimRun(desk, 'val-a'));
  await finish(desk, await claimRun(desk, 'val-b'));
  return { suiteId, first };
}

/** As the operator service keeps it, before any message is there. */
async function keep(sql: Sql, suiteId: number, { evalRunId }: OwnRun): Promise<string> {
  const rejudgingId = randomId();
  await sql`
    insert into rejudging (rejudging_id, suite_id, criteria, actor, created_at)
    values (${rejudgingId}, ${suiteId}, '{}', 'operator:ann', now())`;
  await sql`
    insert into rejudging_run (rejudging_id, ordinal, eval_run_id)
    values (${rejudgingId}, 1, ${evalRunId})`;
  return rejudgingId;
}

const opening = (
  rejudgingId: string,
  { agentVersionId, evalRunId }: OwnRun,
  raceIds: string[] = [],
) => ({
  ...{ rejudgingId, agentVersionIds, raceIds },
  runs: [{ agentVersionId, evalRunId }],
});

async function candidates(
  sql: Sql,
  validatorHotkey: string,
  validatorColdkey: string | null = null,
) {
  const claimer = { validatorHotkey, validatorColdkey, slots: 100, limit: 16 };
  return [...(await claimView(sql, claimer)).candidates];
}

/** A claim as an edge makes it: of what the rows show to this validator. */
async function claimShown(sql: Sql, desk: Desk, validatorHotkey: string): Promise<OwnRun | null> {
  const preferred = (await candidates(sql, validatorHotkey)).map(({ workItemId }) => workItemId);
  const { run } = (await desk.ok('claim-work', { ...claimOf(validatorHotkey), preferred })) as {
    run: OwnRun | null;
  };
  return run && { agentVersionId: run.agentVersionId, evalRunId: run.evalRunId, validatorHotkey };
}

async function mustClaim(sql: Sql, desk: Desk, validatorHotkey: string): Promise<OwnRun> {
  const own = await claimShown(sql, desk, validatorHotkey);
  if (own === null) throw new Error(`nothing is shown to ${validatorHotkey}`);
  return own;
}

const rowOf = async (sql: Sql, { evalRunId }: OwnRun) => {
  const [row] = await sql`
    select r.status, r.is_included as included, r.exclusion_reason as reason, w.state as work,
      w.rejudging_id is null as own
    from evaluation_run r join work_item w on w.work_item_id = r.work_item_id
    where r.eval_run_id = ${evalRunId}`;
  return { ...row };
};

test('a run is judged again and replaced over owners, each order once', async (t) => {
  const { sql, desk } = await openWorld(t);
  const { suiteId, first } = await season(sql, desk);
  const rejudgingId = await keep(sql, suiteId, first);
  await desk.takeOver();
  for (const _ of [1, 2]) {
    await desk.ok('open-rejudging', opening(rejudgingId, first));
    await desk.takeOver();
  }
  for (const validator of ['val-a', 'val-b', 'miner-1']) {
    t.deepEqual(await candidates(sql, validator), [], validator);
  }
  const own = await mustClaim(sql, desk, 'val-c');
  t.deepEqual(await candidates(sql, 'val-d'), []);
  await desk.takeOver();
  await finish(desk, own);
  t.deepEqual(await rowOf(sql, own), {
    ...{ status: 'SUCCESS', included: false, reason: 'REJUDGING', work: 'JUDGED', own: false },
  });
  await tellsOneStory(t, sql);
  for (const _ of [1, 2]) {
    await desk.takeOver();
    await desk.ok('apply-rejudging', { rejudgingId, agentVersionIds });
  }
  t.deepEqual(await rowOf(sql, own), {
    ...{ status: 'SUCCESS', included: true, reason: null, work: 'CLOSED', own: true },
  });
  t.like(await rowOf(sql, first), { included: false, reason: 'REJUDGED', work: 'CLOSED' });
  await tellsOneStory(t, sql);
});

test('what is judged again is for no validator of its own miner’s coldkey', async (t) => {
  const { sql, desk } = await openWorld(t);
  const { suiteId, first } = await season(sql, desk);
  await desk.ok('open-rejudging', opening(await keep(sql, suiteId, first), first));
  const preferred = (await candidates(sql, 'val-c')).map(({ workItemId }) => workItemId);
  const given = async (validatorColdkey: string) => {
    const claim = { ...claimOf('val-c'), validatorColdkey, preferred };
    return (await desk.ok('claim-work', claim))['run'];
  };

  t.is(preferred.length, 1);
  t.deepEqual(await candidates(sql, 'val-c', 'cold-miner-1'), []);
  t.is(await given('cold-miner-1'), null);
  await desk.takeOver();
  t.is(await given('cold-miner-1'), null);
  t.not(await given('cold-elsewhere'), null);
  await tellsOneStory(t, sql);
});

for (const [orderedAgo, state] of [
  ['20 seconds', 'CANCELLED'],
  ['2 seconds', 'OPEN'],
] as const) {
  test(`a rejudging that is heard of after a switch away and back is of when it was ordered: ${orderedAgo}`, async (t) => {
    const { sql, desk } = await openWorld(t);
    const { suiteId, first } = await season(sql, desk);
    const rejudgingId = await keep(sql, suiteId, first);
    await sql`update rejudging set created_at = now() - ${orderedAgo}::interval`;
    await sql`update suite set activated_at = now() - interval '10 seconds'`;
    await desk.ok('suite-activated', { suiteId });

    await desk.ok('open-rejudging', opening(rejudgingId, first));

    const work = await sql`
      select state, rt.milliseconds(queued_at) = rt.milliseconds(created_at) as "isOfOrder"
      from work_item join rejudging using (rejudging_id)`;
    t.deepEqual([...work], [{ state, isOfOrder: true }]);
    await tellsOneStory(t, sql);
  });
}

test('what was given back is judged again after the rest, and held work by nobody', async (t) => {
  const { sql, desk } = await openWorld(t);
  const { suiteId, first } = await season(sql, desk);
  await desk.ok('open-rejudging', opening(await keep(sql, suiteId, first), first));
  const own = await mustClaim(sql, desk, 'val-c');
  await desk.ok('release-run', own);
  t.is((await candidates(sql, 'val-c')).length, 1);

  await desk.ok('submit-version', submission(2));
  const [shown] = await candidates(sql, 'val-c');
  const [work] = await sql`
    select rejudging_id from work_item where work_item_id = ${shown?.workItemId ?? ''}`;
  t.is(work?.['rejudging_id'], null);
  const given = await claimRun(desk, 'val-c');
  t.is(given.agentVersionId, versionIdAt(2));
  await desk.ok('release-run', given);
  const [back] = await candidates(sql, 'val-c');
  t.deepEqual(back, shown);

  for (const validator of ['val-e', 'val-f']) await finish(desk, await claimRun(desk, validator));
  t.is((await candidates(sql, 'val-d')).length, 1);
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('miner-1', 'x', now())`;
  await desk.ok('hotkey-banned', { hotkey: 'miner-1' });
  t.deepEqual(await candidates(sql, 'val-d'), []);
});

test('a run of a race that is over is judged on its tasks again, over owners', async (t) => {
  const { sql, desk } = await openWorld(t);
  const { suiteId } = await season(sql, desk);
  const raceId = await addRace(sql, { suiteId });
  await desk.ok('race-started', { raceId, suiteId, requiredSuccesses: 2, agentVersionIds });
  const first = await finish(desk, await claimRun(desk, 'val-a'), 'race');
  await finish(desk, await claimRun(desk, 'val-b'), 'race');
  await sql`update race set status = 'RACE_COMPLETE', completed_at = now()`;
  const ended = { raceId, agentVersionIds, reason: 'RACE_COMPLETE' };
  await desk.ok('race-ended', ended);
  await desk.takeOver();
  const rejudgingId = await keep(sql, suiteId, first);
  await desk.ok('open-rejudging', opening(rejudgingId, first, [raceId]));
  // Late news of the end must not reach what judges it again.
  await desk.ok('race-ended', ended);
  const own = await mustClaim(sql, desk, 'val-c');
  await desk.takeOver();
  await finish(desk, own, 'race');
  t.like(await rowOf(sql, own), { status: 'SUCCESS', reason: 'REJUDGING', work: 'JUDGED' });

  await desk.ok('apply-rejudging', { rejudgingId, agentVersionIds });
  t.like(await rowOf(sql, own), { included: false, work: 'CANCELLED' });
  t.like(await rowOf(sql, first), { included: true, reason: null });
  const sent = await sql`
    select subject from rt.outbox where subject like 'evt.race.%.work-changed'`;
  // The work of the race itself closed once.
  t.is(sent.length, 1);
  await tellsOneStory(t, sql);
});

test('an order that comes before what it ends leaves nothing open', async (t) => {
  const { sql, desk } = await openWorld(t);
  const { suiteId, first } = await season(sql, desk);
  const rejudgingId = await keep(sql, suiteId, first);
  await sql`update rejudging set cancelled_at = now()`;
  await desk.ok('cancel-rejudging', { rejudgingId, agentVersionIds });

  await desk.ok('open-rejudging', opening(rejudgingId, first));

  t.is((await sql`select 1 from work_item where rejudging_id is not null`).length, 0);
  t.deepEqual(await candidates(sql, 'val-c'), []);
});

test('a banned validator loses its run, and another judges again', async (t) => {
  const { sql, desk } = await openWorld(t);
  const { suiteId, first } = await season(sql, desk);
  await desk.ok('open-rejudging', opening(await keep(sql, suiteId, first), first));
  const own = await mustClaim(sql, desk, 'val-c');
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('val-c', 'x', now())`;

  await desk.ok('hotkey-banned', { hotkey: 'val-c' });

  t.like(await rowOf(sql, own), { status: 'CANCELLED', work: 'OPEN' });
  t.is((await candidates(sql, 'val-d')).length, 1);
  await tellsOneStory(t, sql);
});
