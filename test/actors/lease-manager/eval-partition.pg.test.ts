import test from 'ava';
import {
  claimDetails,
  claimView,
  runLocator,
  runTerms,
} from '../../../actors/lease-manager/reads.ts';
import { randomId } from '../../../infra/ids/ids.ts';
import { addSuite, claimOf, claimRun, openWorld } from '../../support/eval-desk.ts';
import {
  completion,
  episode,
  evalPart,
  packSha256,
  problemIdOf,
  submission,
} from '../../support/eval-world.ts';

test('a version becomes eligible, and every table tells the same story', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));

  for (const validator of ['val-a', 'val-b']) {
    const own = await claimRun(desk, validator);
    await desk.ok('heartbeat', own);
    await desk.takeOver();
    await desk.ok('authorize-upload', { ...own, problemId: problemIdOf('task-0') });
    await desk.takeOver();
    await desk.ok('presign-artifact', {
      ...own,
      envPackSha256: packSha256,
      artifactSha256: '12'.repeat(32),
      contentLength: 10,
    });
    const ledgerUri = `s3://bucket/episodes/${'12'.repeat(32)}`;
    await desk.ok('append-results', { ...own, results: [episode(0, { ledgerUri }), episode(1)] });
    await desk.ok('record-progress', {
      ...own,
      problems: [
        progress({ status: 'RUNNING', executionTime: 2 }),
        progress({ status: 'SUCCESS' }),
      ],
    });
    await desk.takeOver();
    const again = await desk.ok('append-results', { ...own, results: [episode(1), episode(2)] });
    t.deepEqual(
      (again['items'] as { status: number }[]).map(({ status }) => status),
      [409, 201],
    );
    const done = await desk.ok('complete-run', { ...own, ...completion() });
    await desk.takeOver();
    t.deepEqual(await desk.ok('complete-run', { ...own, ...completion() }), done);
  }

  const [version] = await sql`
    select state, qualifying_score, score_low, final_score, live_run_count, included_success_count, version_number
    from agent_version`;
  t.like(version, {
    state: 'ELIGIBLE',
    qualifying_score: '0.5000',
    score_low: '0.5000',
    final_score: '0.5000',
    live_run_count: 0,
    included_success_count: 2,
    version_number: 1,
  });
  const runs = await sql`
    select status, is_included, score_micro, item_count, expected_items, fence::int as fence
    from evaluation_run order by fence`;
  t.deepEqual(
    runs.map((run) => ({ ...run })),
    [1, 2].map((fence) => ({
      status: 'SUCCESS',
      is_included: true,
      score_micro: 500_000,
      item_count: 3,
      expected_items: 3,
      fence,
    })),
  );
  const [counts] = await sql`
    select (select count(*)::int from episode_result) as results,
           (select count(*)::int from episode_artifact) as artifacts,
           (select count(*)::int from problem_progress where execution_time = 2 and status = 'SUCCESS') as progress,
           (select count(*)::int from work_item where state = 'CLOSED') as closed,
           (select count(*)::int from rt.outbox where subject = 'fact.version-eligible') as facts`;
  t.deepEqual({ ...counts }, { results: 6, artifacts: 2, progress: 2, closed: 1, facts: 1 });
});

function progress(overrides: Record<string, unknown>) {
  return {
    problemId: problemIdOf('task-0'),
    status: 'RUNNING',
    scoreMicro: null,
    reasoningScore: null,
    scoreComponents: null,
    inferenceFailureCount: null,
    inferenceTotal: null,
    executionTime: null,
    logsS3Key: null,
    ...overrides,
  };
}

test('a second submission inside the cooldown is refused under the miner row', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));

  const second = submission(2, { minerHotkey: 'miner-1' });
  const { outcome } = await desk.do('submit-version', second);

  t.like(outcome, { kind: 'refused', code: 'COOLDOWN_ACTIVE' });
  const { extras } = outcome as unknown as {
    extras: { remaining_seconds: number; next_allowed_at: string };
  };
  t.true(extras.remaining_seconds > 64_700 && extras.remaining_seconds <= 64_800);
  t.true(Date.parse(extras.next_allowed_at) > Date.now());
  t.is((await sql`select 1 from agent_version`).length, 1);
});

test('submissions need an active suite and a hotkey in good standing', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  const idle = await addSuite(sql, 2);

  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('miner-2', 'cheat', now())`;

  const inactive = await desk.do('submit-version', submission(1, { suiteId: idle }));
  t.like(inactive.outcome, { kind: 'refused', code: 'NO_ACTIVE_SUITE' });
  t.like((await desk.do('submit-version', submission(2))).outcome, {
    kind: 'refused',
    code: 'BANNED',
  });
  t.is((await sql`select 1 from work_item`).length, 0);
});

test('one hotkey’s works stand an hour apart in the queue, and versions count up', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  const agentId = submission(1).agentId;
  const same = { minerHotkey: 'miner-1', agentName: 'agent 1', agentId };
  await desk.ok('submit-version', submission(1));
  await sql`update miner set next_allowed_at = now() - interval '1 second'`;
  await desk.ok('submit-version', submission(2, same));

  const rows = await sql`
    select v.version_number as number, extract(epoch from w.queue_order_at - w.queued_at)::int as wait
    from agent_version v join work_item w on w.agent_version_id = v.agent_version_id
    order by v.version_number`;

  t.like(rows[0], { number: 1, wait: 0 });
  t.is(rows[1]?.['number'], 2);
  t.true(rows[1]?.['wait'] > 3_590 && rows[1]?.['wait'] <= 3_600);
});

test('a slot that is taken in another partition refuses the claim', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));
  await desk.ok('submit-version', submission(2));
  await claimRun(desk, 'val-a');
  await sql`update rt.snapshot set context = context || '{"slot": 5}' where machine = 'evaluation-run'`;
  await desk.takeOver();

  const { outcome } = await desk.do('claim-work', claimOf('val-a'));

  t.like(outcome, { kind: 'refused', code: 'AT_CAPACITY' });
});

test('a banned validator gets no run', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('val-a', 'cheat', now())`;

  const { outcome } = await desk.do('claim-work', claimOf('val-a'));

  t.like(outcome, { kind: 'refused', code: 'BANNED' });
});

test('three agent faults in a row discard a version and shorten the cooldown', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));

  for (const validator of ['val-a', 'val-b', 'val-c']) {
    const own = await claimRun(desk, validator);
    const failed = { terminalStatus: 'FAILED', scoreMicro: null, failureClass: 'AGENT' };
    await desk.ok('complete-run', { ...own, ...completion(failed) });
  }

  const [row] = await sql`
    select v.state, v.discard_reason, v.failed_run_count, w.state as work, w.close_reason,
           extract(epoch from m.next_allowed_at - now())::int as "cooldownSeconds"
    from agent_version v
    join work_item w on w.agent_version_id = v.agent_version_id
    join miner m on m.hotkey = v.miner_hotkey`;
  t.like(row, {
    state: 'DISCARDED',
    discard_reason: 'AGENT_FAILURES',
    failed_run_count: 3,
    work: 'CANCELLED',
    close_reason: 'VERSION_DISCARDED',
  });
  t.true(row?.['cooldownSeconds'] > 3_590 && row?.['cooldownSeconds'] <= 3_600);
});

test('a run is found, listed and told about', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));
  const own = await claimRun(desk, 'val-a');

  t.like(await runLocator(sql, own.evalRunId), {
    part: evalPart,
    agentVersionId: own.agentVersionId,
    validatorHotkey: 'val-a',
    status: 'CLAIMED',
  });
  t.is(await runLocator(sql, randomId()), undefined);
  const claimer = { validatorColdkey: null, slots: 2, limit: 16 };
  const live = { part: evalPart, agentVersionId: own.agentVersionId, evalRunId: own.evalRunId };
  t.deepEqual(await claimView(sql, { ...claimer, validatorHotkey: 'val-a' }), {
    live: [{ ...live, slot: 0, status: 'CLAIMED', isPastLease: false }],
    candidates: [],
  });
  t.deepEqual([...(await claimView(sql, { ...claimer, validatorHotkey: 'val-b' })).live], []);
  const terms = {
    suiteVersion: 1,
    executionKind: 'envpack' as const,
    envPackSha256: packSha256,
    codeSha256: 'ef'.repeat(32),
  };
  const details = await claimDetails(sql, own.evalRunId);
  t.like(details, { minerHotkey: 'miner-1', ...terms });
  const suiteId = details?.suiteId ?? 0;
  t.deepEqual({ ...(await runTerms(sql, { ...own, suiteId })) }, terms);
});

test('candidates leave out what a validator may not have, and offer releases last', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));
  await desk.ok('submit-version', submission(2));
  const of = async (validatorHotkey: string, validatorColdkey: string | null = null, slots = 2) =>
    (await claimView(sql, { validatorHotkey, validatorColdkey, slots, limit: 8 })).candidates
      .length;

  t.is(await of('val-a'), 2);
  t.is(await of('val-a', 'cold-miner-1'), 1);
  t.is(await of('miner-2'), 1);
  const first = await claimRun(desk, 'val-a');
  t.is(await of('val-a'), 1);
  // It holds as many runs as it may.
  t.is(await of('val-a', null, 1), 0);
  await desk.ok('release-run', first);
  t.is(await of('val-a'), 1);
  await desk.ok('release-run', await claimRun(desk, 'val-a'));
  t.is(await of('val-a'), 2);
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('miner-1', 'cheat', now())`;
  t.is(await of('val-a'), 1);
});

test('the search for work ends at its limit, on the index of claimable work', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));
  await sql`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey, version_number,
                               suite_id, state, submitted_at, code_sha256, code_size_bytes, required_successes)
    select gen_random_uuid(), 1, agent_id, agent_name, miner_hotkey, n, suite_id, 'QUEUED', submitted_at,
           code_sha256, code_size_bytes, 2
    from agent_version, generate_series(2, 3000) as n`;
  await sql`
    insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase, state,
                           required_successes, queued_at, queue_order_at)
    select gen_random_uuid(), 1, agent_version_id, miner_hotkey, suite_id, 'QUALIFYING', 'OPEN', 2, now(), now()
    from agent_version where version_number > 1`;
  await sql`analyze work_item`;
  const session = await sql.reserve();

  const claimer = { validatorHotkey: 'val-a', validatorColdkey: null, slots: 1, limit: 4 };
  const { candidates: found } = await claimView(session, claimer);

  await session`select pg_stat_force_next_flush()`;
  const [index] = await session`
    select idx_scan::int as scans, idx_tup_read::int as entries
    from pg_stat_user_indexes where indexrelname = 'work_item_claimable'`;
  session.release();
  t.is(found.length, 4);
  // The other is for races whose work the validator has tried: there are none.
  t.like(index, { scans: 2 });
  t.true(index?.['entries'] < 20);
});
