import test from 'ava';
import { listValidators } from '../../../apps/edge/reads/validators.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

test('validators are active for five minutes from when they were seen, offline after an hour', async (t) => {
  const { sql } = await testDatabase(t);
  const seen = {
    'a now': ['0 s', 'active'],
    'b just within five minutes': ['4 min 30 s', 'active'],
    'c five minutes ago': ['5 min', 'idle'],
    'd just within the hour': ['59 min 30 s', 'idle'],
    'e an hour ago': ['1 hour', 'offline'],
  } as const;
  for (const [hotkey, [ago]] of Object.entries(seen)) {
    await sql`
      insert into validator (hotkey, last_seen_at)
      values (${hotkey}, rt.clock() - ${ago}::text::interval)`;
  }

  t.deepEqual(
    (await listValidators(sql)).map(({ validatorHotkey, status }) => [validatorHotkey, status]),
    [...Object.entries(seen).map(([hotkey, [, status]]) => [hotkey, status])],
  );
});

test('who is banned is not listed', async (t) => {
  const { sql } = await testDatabase(t);
  await sql`
    insert into validator (hotkey, last_seen_at)
    values ('banned', rt.clock()), ('free', rt.clock())`;
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('banned', 'x', rt.clock())`;
  const listed = async () =>
    (await listValidators(sql)).map(({ validatorHotkey }) => validatorHotkey);

  t.deepEqual(await listed(), ['free']);
  await sql`delete from hotkey_ban`;
  t.deepEqual(await listed(), ['banned', 'free']);
});

test('what a validator completed and what fell silent under it is counted apart, what was dropped nowhere', async (t) => {
  const { sql } = await testDatabase(t);
  await sql`insert into validator (hotkey, last_seen_at) values ('v', rt.clock()), ('w', rt.clock())`;
  const runs = [
    ...['SUCCESS', 'SUCCESS', 'SUCCESS', 'FAILED', 'TIMED_OUT'],
    ...['STALE', 'STALE', 'CANCELLED', 'CLAIMED', 'RUNNING', 'RUNNING'],
  ];
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    for (const [place, status] of runs.entries()) {
      const isLive = status === 'CLAIMED' || status === 'RUNNING';
      await tx`
        insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
          execution_kind, validator_hotkey, slot, fence, status, claimed_at, lease_expires_at,
          completed_at, expected_items)
        values (gen_random_uuid(), 0, gen_random_uuid(), gen_random_uuid(), 1, 'QUALIFYING', 'envpack',
          'v', ${place}, 1, ${status}, rt.clock() - interval '2 hours', rt.clock(),
          ${isLive ? null : tx`rt.clock() - interval '1 hour'`}, 30)`;
    }
  });

  t.like(await listValidators(sql), [
    { validatorHotkey: 'v', completed24h: 5, stale24h: 2, currentRuns: 3 },
    { validatorHotkey: 'w', completed24h: 0, stale24h: 0, currentRuns: 0 },
  ]);
});
