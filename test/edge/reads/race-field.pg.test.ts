import test from 'ava';
import { wouldBeEntrants } from '../../../apps/edge/reads/race-field.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { FieldCandidate } from '../../../machines/race/field.ts';
import { selectField } from '../../../machines/race/select-field.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addActiveSuite, addRace, trialPolicy } from '../../support/trial-races.ts';

/**
 * Forty hotkeys with eight versions each; few distinct scores and instants, so that many tie. Some lost
 * their score to an exclusion.
 */
async function addVersions(sql: Sql, suiteId: number): Promise<void> {
  await sql`insert into miner (hotkey) select 'm' || m from generate_series(1, 40) m`;
  await sql`
    insert into agent (agent_id, miner_hotkey, agent_name, created_at)
    select gen_random_uuid(), 'm' || m, 'agent', rt.clock() from generate_series(1, 40) m`;
  await sql`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
                               version_number, suite_id, state, submitted_at, code_sha256,
                               code_size_bytes, qualifying_score, eliminated_at, required_successes)
    select gen_random_uuid(), 0, a.agent_id, a.agent_name, a.miner_hotkey, n, ${suiteId},
           case when random() < 0.8 then 'ELIGIBLE' else 'DISCARDED' end,
           date_trunc('day', rt.clock()) - floor(random() * 3) * interval '1 day', 'ab', 1,
           case when random() < 0.9 then 0.5 + floor(random() * 4) / 20 end,
           case when random() < 0.2 then rt.clock() end, 2
    from agent a, generate_series(1, 8) n`;
}

test('who would race is the same whether the losers of each hotkey are looked at or not', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  const last = await addRace(sql, { suiteId, raceNumber: 1, entrants: [] });
  const open = { suiteId, raceNumber: 2, status: 'QUALIFYING_OPEN', entrants: [] };
  const raceId = await addRace(sql, open);
  await addVersions(sql, suiteId);
  await sql`
    insert into race_entrant (race_id, agent_version_id, miner_hotkey, qualification_type, race_score,
                              is_eliminated)
    select distinct on (v.miner_hotkey) ${last}, v.agent_version_id, v.miner_hotkey, 'QUALIFIED', 0.5,
           v.eliminated_at is not null
    from agent_version v
    order by v.miner_hotkey, random()`;
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
    where v.miner_hotkey like '%5'
    order by v.miner_hotkey, random()`;
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('m7', 'test', rt.clock())`;

  const [all] = await sql<{ candidates: FieldCandidate[] }[]>`
    select rt.race_field(${raceId}) as candidates`;
  const { qualifyingThreshold } = trialPolicy;
  const { entrants } = selectField(all?.candidates ?? [], { suiteId, qualifyingThreshold });
  const ordered = (each: typeof entrants) =>
    each.toSorted((a, b) => (a.minerHotkey < b.minerHotkey ? -1 : 1));

  t.true(entrants.length > 20);
  t.deepEqual(
    ordered(await wouldBeEntrants(sql, { suiteId, qualifyingThreshold })),
    ordered(entrants),
  );
  const some = ['m3', 'm5', 'm7', 'm8'];
  t.deepEqual(
    ordered(await wouldBeEntrants(sql, { suiteId, qualifyingThreshold }, some)),
    ordered(entrants.filter(({ minerHotkey }) => some.includes(minerHotkey))),
  );
});
