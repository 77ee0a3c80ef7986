import test, { type ExecutionContext } from 'ava';
import { Boards } from '../../../apps/edge/board/boards.ts';
import { testDatabase } from '../../support/cluster.ts';
import { plainRacing } from '../../support/plain-leaderboard.ts';
import { addActiveSuite, addRace, addVersion } from '../../support/trial-races.ts';

const everything = { by: 'qualifying', limit: 99, offset: 0, search: undefined } as const;

/** To those who have 0.55 by qualifying; all versions here have 0.6. */
const open = { status: 'QUALIFYING_OPEN', entrants: [] };
const strict = { ...open, policy: { qualifyingThreshold: '0.6500' } };

async function world(t: ExecutionContext) {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  const boards = new Boards(sql);
  const racing = async () => (await boards.read({ suiteId, ...everything }))?.racing;
  return { sql, suiteId, racing };
}

test('a race with another threshold is entered by whom its own rules choose', async (t) => {
  const { sql, suiteId, racing } = await world(t);
  const id = await addVersion(sql, suiteId, 'a');
  await addRace(sql, { suiteId, raceNumber: 1, ...open });
  t.deepEqual(await racing(), new Map([['a', id]]));

  await sql`update race set status = 'RACE_CANCELLED', cancelled_at = rt.clock()`;
  await addRace(sql, { suiteId, raceNumber: 2, ...strict });
  t.deepEqual(await racing(), new Map());

  await sql`
    update race set policy = jsonb_set(policy, '{qualifyingThreshold}', '"0.6000"')
    where race_number = 2`;
  t.deepEqual(await racing(), new Map([['a', id]]));
});

test('who survived the race before the last one has to reach the threshold again', async (t) => {
  const { sql, suiteId, racing } = await world(t);
  const of = { suiteId, entrants: [{ hotkey: 'a', score: '0.5000' }] };
  const first = await addRace(sql, { ...of, raceNumber: 1, completedAgo: 48 });
  await sql`update race_entrant set weighted_score = race_score where race_id = ${first}`;
  const second = await addRace(sql, { suiteId, raceNumber: 2, ...strict });
  const survivor = await racing();
  t.deepEqual(survivor, await plainRacing(sql, suiteId));
  t.deepEqual([...(survivor?.keys() ?? [])], ['a']);

  // It is entered by another alone.
  const b = await addVersion(sql, suiteId, 'b');
  await sql`
    insert into race_entrant (race_id, agent_version_id, miner_hotkey, qualification_type, race_score,
                              weighted_score, is_eliminated)
    values (${second}, ${b}, 'b', 'QUALIFIED', 0.5, 0.5, false)`;
  await sql`
    update race set status = 'RACE_COMPLETE', completed_at = rt.clock(), released_at = rt.clock()
    where race_id = ${second}`;
  await addRace(sql, { suiteId, raceNumber: 3, ...strict });
  t.deepEqual(await racing(), new Map([['b', b]]));
});
