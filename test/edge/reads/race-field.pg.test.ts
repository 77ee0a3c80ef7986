import test from 'ava';
import { wouldBeEntrants } from '../../../apps/edge/reads/race-field.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { FieldCandidate } from '../../../machines/race/field.ts';
import { selectField } from '../../../machines/race/select-field.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addActiveSuite, addRace, trialPolicy } from '../../support/trial-races.ts';

const { qualifyingThreshold } = trialPolicy;

/** Chance that comes out the same each time: of what it is asked for, from 0 to 1. */
const installChance = (sql: Sql) =>
  sql.unsafe(`
    create function chance(p_of text) returns float8 language sql immutable as $$
      select ('x' || left(md5(p_of), 8))::bit(32)::bigint / 4294967296.0::float8 $$`);

/**
 * Hotkeys with so many versions each; few distinct scores and instants, so that many tie. Some lost
 * their score to an exclusion. Every fourth hotkey is in capitals, for whoever orders by them.
 */
async function addVersions(
  sql: Sql,
  { suiteId, hotkeys, each }: { suiteId: number; hotkeys: number; each: number },
): Promise<void> {
  await installChance(sql);
  await sql`
    insert into miner (hotkey)
    select case when m % 4 = 0 then 'M' else 'm' end || m from generate_series(1, ${hotkeys}::int) m`;
  await sql`
    insert into agent (agent_id, miner_hotkey, agent_name, created_at)
    select md5(hotkey)::uuid, hotkey, 'agent', rt.clock() from miner`;
  await sql`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
                               version_number, suite_id, state, submitted_at, code_sha256,
                               code_size_bytes, qualifying_score, eliminated_at, required_successes)
    select md5('version ' || own)::uuid, 0, a.agent_id, a.agent_name, a.miner_hotkey, n, ${suiteId},
           case when chance('state ' || own) < 0.8 then 'ELIGIBLE' else 'DISCARDED' end,
           date_trunc('day', rt.clock()) - floor(chance('day ' || own) * 3) * interval '1 day', 'ab', 1,
           case when chance('scored ' || own) < 0.9 then 0.5 + floor(chance('score ' || own) * 4) / 20 end,
           case when chance('out ' || own) < 0.2 then rt.clock() end, 2
    from agent a, generate_series(1, ${each}::int) n,
      lateral (select a.miner_hotkey || ' ' || n as own) named`;
}

/** Some version of each hotkey, as entrants of a race that is complete. */
async function addEntrants(sql: Sql, raceId: string): Promise<void> {
  await sql`
    insert into race_entrant (race_id, agent_version_id, miner_hotkey, qualification_type, race_score,
                              is_eliminated, unfinished_reason)
    select distinct on (v.miner_hotkey) ${raceId}, v.agent_version_id, v.miner_hotkey, 'QUALIFIED',
           case when drawn.place > 2 then 0.5 end, v.eliminated_at is not null,
           case drawn.place when 1 then 'NOT_FINISHED' when 2 then 'AGENT_FAULT' end
    from agent_version v
    cross join lateral (
      select ascii(right(v.agent_version_id::text, 1)) % 8 as place) drawn
    order by v.miner_hotkey, chance(${raceId} || v.agent_version_id)`;
}

/** An open race after a complete one, with a top, pins of all sorts and a ban. */
async function addField(sql: Sql, suiteId: number): Promise<string> {
  const last = await addRace(sql, { suiteId, raceNumber: 1, entrants: [] });
  const open = { suiteId, raceNumber: 2, status: 'QUALIFYING_OPEN', entrants: [] };
  const raceId = await addRace(sql, open);
  await addVersions(sql, { suiteId, hotkeys: 40, each: 8 });
  await addEntrants(sql, last);
  await sql`
    insert into top_agent (top_id, suite_id, agent_version_id, miner_hotkey, race_id, score, top_at)
    select gen_random_uuid(), ${suiteId}, v.agent_version_id, v.miner_hotkey, ${last}, 0.5, rt.clock()
    from agent_version v
    where v.state = 'ELIGIBLE'
    limit 1`;
  await sql`
    insert into race_pin (miner_hotkey, agent_version_id, pinned_at)
    select distinct on (v.miner_hotkey) v.miner_hotkey, v.agent_version_id, rt.clock()
    from agent_version v
    where v.miner_hotkey like '%5' or v.miner_hotkey like '%8'
    order by v.miner_hotkey, chance('pin ' || v.agent_version_id)`;
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('m7', 'test', rt.clock())`;
  return raceId;
}

/** The field in plain words, or all versions that there are; as text, since that is digested. */
async function plainField(sql: Sql, raceId: string, of: 'all' | 'field'): Promise<string> {
  const [row] = await sql<{ text: string }[]>`
    with race_now as (
      select r.suite_id, (
        select l.race_id from race l
        where l.suite_id = r.suite_id and l.status = 'RACE_COMPLETE'
        order by l.race_number desc limit 1) as last_race_id
      from race r where r.race_id = ${raceId}
    ), able as (
      select v.agent_version_id, row_number() over (
        partition by v.miner_hotkey
        order by v.qualifying_score desc nulls last, v.submitted_at desc, v.agent_version_id) as place
      from agent_version v join race_now using (suite_id)
      where v.state = 'ELIGIBLE' and v.eliminated_at is null
    )
    select coalesce(json_agg(json_build_object(
      'agentVersionId', v.agent_version_id, 'minerHotkey', v.miner_hotkey, 'state', v.state,
      'suiteId', v.suite_id, 'qualifyingScore', v.qualifying_score::text,
      'submittedAt', rt.milliseconds(v.submitted_at), 'isEliminated', v.eliminated_at is not null,
      'isMinerBanned', b.hotkey is not null, 'isSurvivor', e.agent_version_id is not null,
      'isTop', t.top_id is not null, 'isPinned', p.miner_hotkey is not null
    ) order by v.agent_version_id), '[]')::text as text
    from agent_version v
    cross join race_now
    left join able a on a.agent_version_id = v.agent_version_id
    left join hotkey_ban b on b.hotkey = v.miner_hotkey
    left join race_pin p on p.agent_version_id = v.agent_version_id
    left join race_entrant e on e.agent_version_id = v.agent_version_id
      and e.race_id = race_now.last_race_id and not e.is_eliminated
      and (e.race_score is not null or e.unfinished_reason = 'NOT_FINISHED')
    left join top_agent t on t.agent_version_id = v.agent_version_id and t.ended_at is null
    where ${of === 'all'} or a.place = 1 or e.race_id is not null or t.top_id is not null
      or p.miner_hotkey is not null`;
  return row?.text ?? '';
}

async function fieldText(sql: Sql, raceId: string): Promise<string> {
  const [row] = await sql<{ text: string }[]>`select rt.race_field(${raceId})::text as text`;
  return row?.text ?? '';
}

test('who would race is the same whether the losers of each hotkey are looked at or not', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  const raceId = await addField(sql, suiteId);
  const all: FieldCandidate[] = JSON.parse(await plainField(sql, raceId, 'all'));
  const { entrants } = selectField(all, { suiteId, qualifyingThreshold });

  t.is(all.length, 320);
  t.true(entrants.length > 20);
  t.deepEqual(await wouldBeEntrants(sql, { raceId, suiteId, qualifyingThreshold }), entrants);
});

test('the field that is digested is spelled as it always was', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  const empty = await addRace(sql, {
    ...{ suiteId: await addActiveSuite(sql, 2), raceNumber: 1 },
    ...{ status: 'QUALIFYING_OPEN', entrants: [] },
  });
  t.is(await fieldText(sql, empty), '[]');
  const raceId = await addField(sql, suiteId);

  t.is(await fieldText(sql, raceId), await plainField(sql, raceId, 'field'));
});

/** Rows of versions and of entrants that the database looked at for it. */
async function rowsLookedAt(sql: Sql, read: () => Promise<unknown>): Promise<number[]> {
  const looked = async () => {
    const rows = await sql<{ rows: number }[]>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
      from pg_stat_xact_user_tables
      where relname in ('agent_version', 'race_entrant')
      order by relname`;
    return rows.map(({ rows: count }) => count);
  };
  const before = await looked();
  await read();
  return (await looked()).map((rows, at) => rows - (before[at] ?? 0));
}

// Everybody may ask who would race, and the close asks twice, the second time under the lock of the race.
test('what a field is chosen of grows with the hotkeys and not with their history', async (t) => {
  const { sql } = await testDatabase(t);
  const hotkeys = 20;
  await sql.begin(async (transaction) => {
    const tx = transaction as unknown as Sql;
    const suiteId = await addActiveSuite(tx);
    const open = { suiteId, raceNumber: 100, status: 'QUALIFYING_OPEN', entrants: [] };
    const raceId = await addRace(tx, open);
    const read = async () => await wouldBeEntrants(tx, { raceId, suiteId, qualifyingThreshold });
    // As in the first minutes of an installation: planned before anything was there.
    await read();
    await addVersions(tx, { suiteId, hotkeys, each: 200 });
    for (let raceNumber = 1; raceNumber <= 30; raceNumber += 1) {
      await addEntrants(tx, await addRace(tx, { suiteId, raceNumber, entrants: [] }));
    }

    const [versions = 0, entrants = 0] = await rowsLookedAt(tx, read);

    t.true(versions > 0 && versions <= 4 * hotkeys, `${versions} rows of versions`);
    t.true(entrants > 0 && entrants <= hotkeys, `${entrants} rows of entrants`);
  });
});
