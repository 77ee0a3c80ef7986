import { readFile } from 'node:fs/promises';
import test from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { openRaceDesk, startMs } from '../../support/race-desk.ts';
import { runToStart, seedSuite, seedVersion, seedWork } from '../../support/race-seeds.ts';

/** The rule as it was asked of each run by itself, before all were read as a set. */
async function createRuleOfEach(sql: Sql): Promise<void> {
  const url = new URL(
    '../../../infra/postgres/migrations/0079_stored_faults.up.sql',
    import.meta.url,
  );
  const text = await readFile(url, 'utf8');
  const rule = text.slice(text.indexOf('create or replace function rt.counted_fault('));
  await sql.unsafe(rule.replace('rt.counted_fault(', 'public.fault_of_each('));
}

/** At most 20 runs of each validator of each version, of which most failed, within ten hours. */
async function seedRuns(sql: Sql, raceId: string): Promise<void> {
  await sql`
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
      race_id, execution_kind, validator_hotkey, slot, fence, status, is_included, failure_class,
      claimed_at, lease_expires_at, completed_at, expected_items)
    select gen_random_uuid(), w.part, w.work_item_id, w.agent_version_id, 1, 'RACE', w.race_id,
      'envpack', 'v' || n % 4, 0, n, 'FAILED', false,
      (array['AGENT', 'PROVIDER', 'PLATFORM', null])[1 + n / 4 % 4],
      now(), now(), ${new Date(startMs)}::timestamptz + n * interval '7 minutes', 0
    from work_item w, generate_series(1, 80) n
    where w.race_id = ${raceId}`;
}

/** The same of the same seed. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const at = (minutes: number) => new Date(startMs + minutes * 60_000);

/** Something that an operator orders of a validator or a version, at any time of the race. */
async function orderAnything(sql: Sql, draw: (below: number) => number): Promise<void> {
  const hotkey = `v${draw(4)}`;
  const when = at(draw(600));
  const kind = draw(5);
  if (kind === 4) {
    await sql`
      insert into rt.event (kind, part, machine, key, actor_key, seq, type, type_version, payload,
                            command_id, account, epoch, at)
      select 'eval', part, 'agent-version', agent_version_id::text, agent_version_id::text,
        (select 100 + count(*) from rt.event), 'REINSTATED', 1, '{}', 'c', 'test', 1, ${when}
      from agent_version order by agent_version_id offset ${draw(4)} limit 1`;
    return;
  }
  const action = kind < 2 ? 'hotkey.ban' : 'hotkey.unban';
  await sql`
    insert into audit_log (seq, actor, action, object, detail, prev_hash, hash, committed_at)
    select coalesce(max(seq), 0) + 1, 'test', ${action}, ${`hotkey/${hotkey}`}, '{}', '', '', ${when}
    from audit_log`;
  if (kind === 0) {
    await sql`
      insert into hotkey_ban (hotkey, reason, banned_at) values (${hotkey}, 'test', ${when})
      on conflict do nothing`;
  } else if (kind === 3) await sql`delete from hotkey_ban where hotkey = ${hotkey}`;
}

/** Runs, those without a fault too, as the set has them, as one is asked for, and as each was. */
async function readings(sql: Sql, raceId: string) {
  return await sql<{ isOfSet: string | null; ofOne: string | null; ofEach: string | null }[]>`
    select case when c.eval_run_id is not null then u.failure_class end as "isOfSet",
      rt.counted_fault(u.eval_run_id) as "ofOne", public.fault_of_each(u.eval_run_id) as "ofEach"
    from evaluation_run u
    left join rt.counted_faults(${raceId}, array(
      select eval_run_id from evaluation_run where race_id = ${raceId})) c using (eval_run_id)
    where u.race_id = ${raceId}`;
}

/** What the end of the race stores, and all but the faults that count. */
async function uncounted(sql: Sql, raceId: string) {
  const [row] = await sql<{ stored: string[]; others: string[] }[]>`
    select array(select unnest(rt.uncounted_faults(${raceId}))::text order by 1) as stored, array(
      select u.eval_run_id::text from evaluation_run u
      where u.race_id = ${raceId} and u.failure_class is not null
        and public.fault_of_each(u.eval_run_id) is null
      order by 1) as others`;
  if (row === undefined) throw new Error('no row');
  return row;
}

for (const seed of [1, 2, 3]) {
  test(`faults count as a set as each counted by itself, whatever was ordered: seed ${seed}`, async (t) => {
    const desk = await openRaceDesk(t);
    const { sql } = desk;
    await seedSuite(sql);
    const versionIds = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (hotkey) => await seedVersion(sql, { hotkey })),
    );
    const raceId = await runToStart(desk);
    for (const versionId of versionIds) await seedWork(sql, raceId, versionId, 'open');
    await seedRuns(sql, raceId);
    await createRuleOfEach(sql);
    const draw = chance(seed);
    const counts = new Set<number>();
    const stores = new Set<number>();
    for (let round = 0; round < 24; round += 1) {
      if (round % 4 !== 0) await orderAnything(sql, draw);
      // Under way, over without the faults that did not count, and with them.
      await sql`
        update race set completed_at = ${round % 3 === 0 ? null : at(draw(700))},
          uncounted_faults = case when ${round % 3 === 2} then array(
            select eval_run_id from evaluation_run
            where race_id = ${raceId} and failure_class is not null
            order by md5(eval_run_id::text || ${round}::int) limit ${draw(240)}) end
        where race_id = ${raceId}`;
      const runs = await readings(sql, raceId);
      for (const { isOfSet, ofOne, ofEach } of runs) {
        if (isOfSet !== ofEach || ofOne !== ofEach) t.fail(JSON.stringify({ round, runs }));
      }
      if (round % 3 === 0) {
        const { stored, others } = await uncounted(sql, raceId);
        t.deepEqual(stored, others, `round ${round}`);
        stores.add(stored.length);
      }
      counts.add(runs.filter(({ ofEach }) => ofEach !== null).length);
    }
    t.true(counts.size > 8, [...counts].join());
    t.true(stores.size > 2, [...stores].join());
  });
}
