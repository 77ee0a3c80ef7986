import test from 'ava';
import { candidatesOfMiner } from '../../../actors/services/pins/miner-field.ts';
import { latestVersionsOfMiner, versionsOfAgent } from '../../../apps/edge/reads/agent-versions.ts';
import { selectionOf } from '../../../apps/edge/reads/selection.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { PinDisabledReason } from '../../../machines/race/pinnable.ts';
import { testDatabase } from '../../support/cluster.ts';
import { lookedAt } from '../../support/looked-at.ts';
import { plantEntrant, plantSuite, plantTop, plantVersion } from '../../support/planted-races.ts';
import { addActiveSuite, addRace } from '../../support/trial-races.ts';

const hotkey = 'miner';

/** Who submitted for years: below the threshold, eliminated and discarded ones by turns. */
async function addYears(sql: Sql, suiteId: number, versions: number): Promise<string> {
  const [agent] = await sql<{ agentId: string }[]>`
    with miner_row as (
      insert into miner (hotkey) values (${hotkey}) on conflict do nothing
    )
    insert into agent (agent_id, miner_hotkey, agent_name, created_at)
    values (gen_random_uuid(), ${hotkey}, 'of years', rt.clock())
    returning agent_id as "agentId"`;
  const agentId = agent?.agentId ?? '';
  await sql`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
      version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes, qualifying_score,
      eliminated_at, required_successes)
    select gen_random_uuid(), 0, ${agentId}, 'of years', ${hotkey}, n, ${suiteId},
      case n % 3 when 0 then 'DISCARDED' else 'ELIGIBLE' end,
      rt.clock() - (${versions}::int - n) * interval '1 day', 'ab', 1, 0.2 + n % 1000 * 0.0003,
      case n % 3 when 1 then rt.clock() end, 2
    from generate_series(1, ${versions}::int) n`;
  return agentId;
}

test('a miner of years is told what races without a look at all that it ever submitted', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  await addYears(sql, suiteId, 3_000);
  const best = await plantVersion(sql, { suiteId, hotkey, score: '0.9000' });
  const old = await plantVersion(sql, { suiteId, hotkey, score: '0.3000', isEliminated: true });
  await sql`insert into race_pin values (${hotkey}, ${old}, rt.clock())`;
  await sql`analyze agent_version`;

  const [selection, looked] = await lookedAt(sql, 'agent_version', (tx) => selectionOf(tx, hotkey));
  const [asked, lookedForPin] = await lookedAt(sql, 'agent_version', (tx) =>
    candidatesOfMiner(tx, hotkey, old),
  );

  t.is(selection.racing?.agentVersionId, best);
  t.deepEqual(selection.fallback, {
    ...{ agentVersionId: old, minerHotkey: hotkey, reason: 'eliminated' },
  });
  t.true(looked > 0 && looked <= 6, `${looked} rows were read for what races`);
  t.true(lookedForPin > 0 && lookedForPin <= 6, `${lookedForPin} rows were read for a pin`);
  t.deepEqual(asked.map((one) => one.agentVersionId).sort(), [best, old].sort());
});

test('the newest version of each agent is found without a look at those before', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  const ofYears = await addYears(sql, suiteId, 3_000);
  const other = await plantVersion(sql, { suiteId, hotkey });
  await plantVersion(sql, { suiteId, hotkey: 'another' });
  await sql`analyze agent_version`;

  const [newest, looked] = await lookedAt(sql, 'agent_version', (tx) =>
    latestVersionsOfMiner(tx, hotkey),
  );

  t.true(looked > 0 && looked <= 6, `${looked} rows were read`);
  t.is(newest.length, 2);
  t.is(newest.find(({ agentId }) => agentId === ofYears)?.versionNumber, 3_000);
  t.true(newest.some(({ agentVersionId }) => agentVersionId === other));
});

test('each version is told why it cannot be pinned, whether it could race or not', async (t) => {
  const { sql } = await testDatabase(t);
  const former = await plantSuite(sql);
  const suiteId = await addActiveSuite(sql, 2);
  const plant = async (of: Partial<Parameters<typeof plantVersion>[1]>) =>
    await plantVersion(sql, { suiteId, hotkey, ...of });
  const survivor = await plant({ score: '0.1000' });
  const top = await plant({ score: '0.1000' });
  const raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants: [] });
  await plantEntrant(sql, { raceId, agentVersionId: survivor, raceScore: '0.5000' });
  await plantTop(sql, raceId, top);
  const reasons: readonly (readonly [string, PinDisabledReason | null])[] = [
    [survivor, null],
    [top, null],
    [await plant({ score: '0.7000' }), null],
    [await plant({ score: '0.6000' }), null],
    [await plant({ score: '0.5400' }), 'below_threshold'],
    [await plant({ score: null, state: 'QUEUED' }), 'not_eligible'],
    [await plant({ score: '0.8000', isEliminated: true }), 'eliminated'],
    [await plant({ score: '0.8000', suiteId: former }), 'superseded_suite'],
    [await plant({ score: '0.8000', state: 'DISCARDED' }), 'discarded'],
  ];

  const selection = await selectionOf(sql, hotkey);
  const agents = await sql<{ agentId: string }[]>`
    select agent_id as "agentId" from agent where miner_hotkey = ${hotkey}`;
  const versions = await Promise.all(agents.map(({ agentId }) => versionsOfAgent(sql, agentId)));
  const told = versions
    .flat()
    .map((version) => [version.agentVersionId, selection.disabledReasonOf(version)] as const);

  const byId = (one: readonly [string, unknown], two: readonly [string, unknown]) =>
    one[0] < two[0] ? -1 : 1;
  t.deepEqual(told.sort(byId), [...reasons].sort(byId));
});
