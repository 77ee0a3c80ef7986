import test from 'ava';
import { addRace, addSuite, claimRun, type Desk, openWorld } from '../../support/eval-desk.ts';
import { completion, episode, submission, versionIdAt } from '../../support/eval-world.ts';
import { tellsOneStory } from '../../support/one-story.ts';

const one = { agentVersionId: versionIdAt(1) };
const reason = 'an operator said so';

async function succeed(desk: Desk, validator: string, prefix = 'task') {
  const own = await claimRun(desk, validator);
  const results = [0, 1, 2].map((n) => episode(n, { taskId: `${prefix}-${n}` }));
  await desk.ok('append-results', { ...own, results });
  await desk.ok('complete-run', { ...own, ...completion() });
  return own;
}

async function versionRow(sql: Awaited<ReturnType<typeof openWorld>>['sql']) {
  const [row] = await sql`
    select state, qualifying_score as score, discard_reason as reason, discarded_at as at,
           consecutive_agent_failures as faults
    from agent_version`;
  return { ...row };
}

// Its message may still be on its way, behind a takeover for one.
test('whoever is banned does nothing to its run, from the moment of the ban', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));
  const own = await claimRun(desk, 'val-a');
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('val-a', ${reason}, now())`;

  const results = [0, 1, 2].map((n) => episode(n));
  const failed = completion({ terminalStatus: 'FAILED', scoreMicro: null });
  const acts: readonly [string, object][] = [
    ['heartbeat', {}],
    ['record-progress', { problems: [] }],
    ['append-results', { results }],
    ['release-run', {}],
    ['complete-run', failed],
  ];
  for (const [type, body] of acts) {
    const { outcome } = await desk.do(type, { ...own, ...body });
    t.like(outcome, { kind: 'refused', code: 'BANNED' }, type);
  }
  t.like((await sql`select status from evaluation_run`)[0], { status: 'CLAIMED' });
  t.is((await sql`select from episode_result`).length, 0);

  await sql`delete from hotkey_ban`;
  for (const [type, body] of acts.filter(([each]) => each !== 'release-run')) {
    await desk.ok(type, { ...own, ...body });
  }
  t.like((await sql`select status from evaluation_run`)[0], { status: 'FAILED' });
});

test('orders are durable, and another owner gives the same answers to repeats', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));
  const first = await succeed(desk, 'val-a');
  await succeed(desk, 'val-b');
  const twice = async (type: string, body: unknown) => {
    const reply = await desk.ok(type, body);
    await desk.takeOver();
    t.deepEqual(await desk.ok(type, body), reply);
    return reply;
  };

  await twice('exclude-run', { ...first, reason });
  t.like(await versionRow(sql), { state: 'ELIGIBLE', score: null });
  t.like((await sql`select is_included, exclusion_reason from evaluation_run order by fence`)[0], {
    is_included: false,
    exclusion_reason: reason,
  });
  await desk.ok('reclaim-run', await claimRun(desk, 'val-c'));
  await claimRun(desk, 'val-d');
  await twice('include-run', first);
  t.like(await versionRow(sql), { state: 'ELIGIBLE', score: '0.5000' });
  const runs = await sql<{ status: string }[]>`select status from evaluation_run order by fence`;
  t.deepEqual(
    runs.map(({ status }) => status),
    ['SUCCESS', 'SUCCESS', 'STALE', 'CANCELLED'],
  );
  await twice('discard-version', { ...one, reason });
  t.like(await versionRow(sql), { state: 'DISCARDED', score: '0.5000', reason });
  await twice('reinstate-version', one);
  t.deepEqual(await versionRow(sql), {
    state: 'ELIGIBLE',
    score: '0.5000',
    reason: null,
    at: null,
    faults: 0,
  });
  await tellsOneStory(t, sql);
});

test('the results of a race that is over are nobody’s to change', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await addSuite(sql);
  await desk.ok('submit-version', submission(1));
  for (const validator of ['val-a', 'val-b']) await succeed(desk, validator);
  const raceId = await addRace(sql, { suiteId });
  const entrants = { raceId, suiteId, agentVersionIds: [versionIdAt(1)] };
  await desk.ok('race-started', { ...entrants, requiredSuccesses: 2 });
  const counted = await succeed(desk, 'val-a', 'race');
  await desk.ok('exclude-run', { ...counted, reason });
  await sql`update race set status = 'RACE_COMPLETE', completed_at = now()`;

  for (const order of ['include-run', 'exclude-run', 'reclaim-run']) {
    const { reply } = await desk.do(order, { ...counted, reason });
    t.like(reply, { kind: 'fault', code: 'RACE_OVER' });
  }
  t.is(
    (await sql`select 1 from evaluation_run where race_id is not null and is_included`).length,
    0,
  );
  // A discard is not an order about the race: it ends the version, and the race keeps its results.
  await desk.ok('discard-version', { ...one, reason });
  t.like((await sql`select state from work_item where race_id is not null`)[0], {
    state: 'CANCELLED',
  });
});
