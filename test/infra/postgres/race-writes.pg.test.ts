/** What the functions of a commit write, and read for it, of races, reigns and what validators set weights from. */
import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { testDatabase } from '../../support/cluster.ts';
import {
  plantEntrant,
  plantRace,
  plantSuite,
  plantTop,
  plantVersion,
} from '../../support/planted-races.ts';

async function openRaces(t: ExecutionContext) {
  const { sql } = await testDatabase(t);
  const suiteId = await plantSuite(sql);
  await sql`update suite set is_active = suite_id = ${suiteId}`;
  const version = (hotkey: string) => plantVersion(sql, { suiteId, hotkey });
  const race = (raceNumber: number, status: string) =>
    plantRace(sql, { suiteId, raceNumber, status });
  return { sql, suiteId, version, race };
}

// Its order is a message, and what nobody has opened yet is not over: the race would end without its entrant.
test('a race waits for the work of an entrant that nobody has opened yet', async (t) => {
  const { sql, suiteId, version, race } = await openRaces(t);
  const raceId = await race(1, 'RACE_RUNNING');
  const agentVersionId = await version('miner');
  await plantEntrant(sql, { raceId, agentVersionId });
  const awaits = async () => {
    const [row] = await sql<{ awaits: boolean }[]>`
      select (rt.race_results(${raceId}) ->> 'awaitsWork')::boolean as awaits`;
    return row?.awaits;
  };

  t.true(await awaits());
  await sql`
    insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase, race_id, state,
      required_successes, queued_at, queue_order_at)
    values (${randomUUID()}, 1, ${agentVersionId}, 'miner', ${suiteId}, 'RACE', ${raceId}, 'OPEN', 2, now(), now())`;
  t.true(await awaits());
  await sql`update work_item set state = 'CLOSED', closed_at = now()`;
  t.false(await awaits());
});

test('who was eliminated before is so by that race, whoever decides it again', async (t) => {
  const { sql, version, race } = await openRaces(t);
  const [first, second] = [await race(1, 'RACE_COMPLETE'), await race(2, 'RACE_RUNNING')];
  await sql`update race set completed_at = '2026-01-01T00:00:00Z' where race_id = ${first}`;
  const [once, again] = [await version('once'), await version('again')];
  const eliminate = (raceId: string, ...ids: readonly string[]) => {
    const rows = ids.map((agent_version_id) => ({ race_id: raceId, agent_version_id }));
    const completed = { race_id: second, completed_at: '2026-01-02T00:00:00Z', scored_count: 0 };
    const operations = {
      ...(raceId === second && { race_completed: [completed] }),
      race_elimination: rows,
    };
    return sql`select rt.race_complete(${sql.json(operations)})`;
  };
  await eliminate(first, again);

  await eliminate(second, once, again);

  const rows = await sql`
    select agent_version_id as id, eliminated_in_race_number as number from agent_version order by number`;
  t.deepEqual(
    [...rows],
    [
      { id: again, number: 1 },
      { id: once, number: 2 },
    ],
  );
});

test('a reign ends for what is so, or by news of what was; else the commit is decided afresh', async (t) => {
  const { sql, version, race } = await openRaces(t);
  await plantTop(sql, await race(1, 'RACE_COMPLETE'), await version('miner'));
  const [top] = await sql<{ top_id: string; ended_at: Date | null }[]>`
    select top_id, now() as ended_at from top_agent`;
  const end = (is_news: boolean) =>
    sql`select rt.race_end_reigns(${sql.json([{ ...top, end_reason: 'BANNED', is_news }] as never)})`;
  const reasons = async () =>
    (await sql<{ why: string | null }[]>`select end_reason as why from top_agent`).map(
      ({ why }) => why,
    );

  await t.throwsAsync(async () => await end(false), { message: /REIGN_MOVED/ });
  t.deepEqual(await reasons(), [null]);
  await end(true);
  t.deepEqual(await reasons(), ['BANNED']);
});

// As after a host with a later clock: no reign ends before it began, and the crown is not refused for that.
test('a top is crowned by an earlier clock than the one before it, too', async (t) => {
  const { sql, suiteId, version, race } = await openRaces(t);
  const [before, after] = [await version('before'), await version('after')];
  const raceId = await race(1, 'RACE_COMPLETE');
  await plantTop(sql, raceId, before);
  await sql`update top_agent set top_at = '2026-01-02T00:00:00Z'`;
  const crowned = {
    ...{ top_id: randomUUID(), suite_id: suiteId, agent_version_id: after, miner_hotkey: 'after' },
    ...{ race_id: raceId, score: '0.9', top_at: '2026-01-01T23:59:59Z' },
  };

  await sql`select rt.race_crown(${sql.json([crowned])})`;

  const reigns = await sql`
    select miner_hotkey as who, top_at = ended_at as "isEndedAtOnce", end_reason as why
    from top_agent order by top_at`;
  t.deepEqual(
    [...reigns],
    [
      { who: 'after', isEndedAtOnce: null, why: null },
      { who: 'before', isEndedAtOnce: true, why: 'OUTRANKED' },
    ],
  );
});

// Validators may have set weights from it.
test('what was stored for an epoch stays, and none is stored for one before it', async (t) => {
  const { sql } = await openRaces(t);
  const apply = (...rows: readonly (readonly [number, string])[]) => {
    const standings = rows.map(([epoch_index, body]) => ({
      epoch_index,
      body,
      body_sha256: 'f'.repeat(64),
    }));
    return sql`select public.emission_apply(0, 1, ${sql.json({ epoch_standings: standings })}, now())`;
  };
  await apply([5, 'first']);
  await apply([5, 'second']);
  await apply([4, 'late']);
  await apply([7, 'next']);

  const rows =
    await sql`select epoch_index::integer as epoch, body from epoch_standings order by epoch_index`;
  t.deepEqual(
    [...rows],
    [
      { epoch: 5, body: 'first' },
      { epoch: 7, body: 'next' },
    ],
  );
});
