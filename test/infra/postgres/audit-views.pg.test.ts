import test from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

/** What is promised to auditors: these views with these columns in this order. */
const promised = `
audit_log: seq, actor, action, object, prev_hash, hash, committed_at
emissions: race_id, recipient, kind, units
episode_results: episode_result_id, eval_run_id, task_id, paid_reward, committed_at
epoch_standings: epoch_index, body_sha256, committed_at
nonces: hotkey, nonce, accepted_at
outbox_pending: count, oldest_at
partitions: partition_id, owner, epoch
pins: hotkey, agent_version_id, kind, committed_at
race_qualifiers: race_id, agent_version_id, hotkey, qualification_type, qualifying_score, race_score, overall, race_rank, is_eliminated
races: race_id, race_number, local_date, status, closes_at, closed_commit_at, started_at, completed_at
run_events: seq, eval_run_id, kind, fence, owner_epoch, committed_at, request_id
runs: eval_run_id, work_item_id, agent_version_id, phase, race_id, validator_hotkey, fence, status, included, score, claimed_at, lease_expires_at, terminal_at
submissions: agent_version_id, hotkey, status, reason, code_sha256, committed_at
tops: agent_version_id, from_at, to_at, race_id, overall, margin
work_items: work_item_id, agent_version_id, required_successes, included_success_count, is_closed, closed_at
`;

let sql: Sql;
test.before(async () => {
  ({ sql } = await testDatabase());
});

test('auditors are shown these views, and these columns of them', async (t) => {
  const rows = await sql<{ line: string }[]>`
    select table_name || ': ' || string_agg(column_name, ', ' order by ordinal_position) as line
    from information_schema.columns
    where table_schema = 'audit'
    group by table_name
    order by table_name collate "C"`;

  t.is(rows.map(({ line }) => line).join('\n'), promised.trim());
});

test('no view shows a secret, or lets a reader look behind its conditions', async (t) => {
  const secret = /token|secret|password|sealed|ciphertext|private|consumed_by|reply|body$|batch_id/;
  t.notRegex(promised, new RegExp(`[:,] \\w*(?:${secret.source})\\w*(?:,|$)`, 'm'));
  const open = await sql`
    select c.relname
    from pg_class c
    where c.relnamespace = 'audit'::regnamespace
      and (c.relkind <> 'v' or not coalesce(c.reloptions, '{}') @> '{security_barrier=true}')`;
  t.deepEqual([...open], []);
});

test('an auditor reads the views, and nothing else of what there is', async (t) => {
  const rows = await sql<{ relation: string; may: boolean }[]>`
    select c.oid::regclass::text as relation, has_table_privilege('paddock_audit', c.oid, 'select')
      or has_any_column_privilege('paddock_audit', c.oid, 'select') as may
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'v', 'm', 'p', 'f')
      and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`;
  const views = promised.match(/^\w+/gm)?.map((name) => `audit.${name}`) ?? [];

  t.deepEqual(
    rows
      .filter(({ may }) => may)
      .map(({ relation }) => relation)
      .sort(),
    views,
  );
  t.true(rows.some(({ may }) => !may));
  for (const view of views) {
    await transaction(sql, { readOnly: true }, async (tx) => {
      await tx`set local role paddock_audit`;
      await tx`select count(*) from ${tx(view)}`;
    });
  }
});

test('an auditor changes nothing and calls none of our functions', async (t) => {
  const [row] = await sql<{ writable: number; callable: number }[]>`
    select (
      select count(*)::integer from pg_class c
      where c.relnamespace::regnamespace::text in ('public', 'rt', 'audit')
        and c.relkind in ('r', 'v', 'p') and has_table_privilege('paddock_audit', c.oid,
        'insert, update, delete, truncate, references, trigger')) as writable, (
      select count(*)::integer from pg_proc p
      where p.pronamespace::regnamespace::text in ('public', 'rt', 'audit')
        and has_schema_privilege('paddock_audit', p.pronamespace, 'usage')
        and has_function_privilege('paddock_audit', p.oid, 'execute')) as callable`;
  t.deepEqual(row, { writable: 0, callable: 0 });
});

test('every pin and unpin stays in the history, in the order of its commit', async (t) => {
  const { sql: own } = await testDatabase(t);
  // Only what the trigger sees matters here.
  await own`alter table race_pin drop constraint race_pin_agent_version_id_fkey`;
  await own`alter table race_pin drop constraint race_pin_miner_hotkey_fkey`;
  const [first, second] = [
    '00000000-0000-0000-0000-00000000000a',
    '00000000-0000-0000-0000-00000000000b',
  ];
  await own`insert into race_pin (miner_hotkey, agent_version_id, pinned_at) values ('m', ${first}, now())`;
  await own`update race_pin set agent_version_id = ${second}`;
  await own`delete from race_pin`;

  const rows = await own`
    select hotkey, agent_version_id as id, kind from audit.pins order by committed_at`;
  t.deepEqual(
    [...rows],
    [
      { hotkey: 'm', id: first, kind: 'pin' },
      { hotkey: 'm', id: second, kind: 'pin' },
      { hotkey: 'm', id: second, kind: 'unpin' },
    ],
  );
  await t.throwsAsync(own`delete from race_pin_change`, { message: /only ever added to/ });
});
