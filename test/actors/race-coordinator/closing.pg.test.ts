import test from 'ava';
import { candidatesOfMiner } from '../../../actors/services/pins/miner-field.ts';
import { fieldFlaws } from '../../../apps/verify/live/checks/field.ts';
import { holdLock, type Take } from '../../support/held-lock.ts';
import { hourMs, openRaceDesk, type RaceDesk, startMs } from '../../support/race-desk.ts';
import {
  ban,
  discard,
  pin,
  raceAt,
  runToEnd,
  runToStart,
  seedSuite,
  seedVersion,
  type Work,
} from '../../support/race-seeds.ts';
import { until } from '../../support/until.ts';

async function openedDesk(t: Parameters<typeof openRaceDesk>[0]): Promise<RaceDesk> {
  const desk = await openRaceDesk(t);
  const suiteId = await seedSuite(desk.sql);
  await desk.send('suite-activated', { suiteId });
  desk.nowMs = startMs + hourMs;
  return desk;
}

/** Hotkey, version and why, by hotkey. */
async function entrants({ sql }: RaceDesk, raceNumber = 1) {
  const rows = await sql<{ hotkey: string; versionId: string; type: string }[]>`
    select e.miner_hotkey as hotkey, e.agent_version_id as "versionId",
           e.qualification_type as type
    from race_entrant e join race r using (race_id)
    where r.race_number = ${raceNumber}
    order by 1`;
  return rows.map(({ hotkey, versionId, type }) => [hotkey, versionId, type]);
}

async function closeOnly(desk: RaceDesk, meanwhile?: () => Promise<unknown>) {
  const { raceId } = await raceAt(desk.sql, 1);
  return await desk.send('close-qualifying', { raceId }, meanwhile ? { meanwhile } : {});
}

test('the field is one version of each hotkey: its pin, else its best at the threshold', async (t) => {
  const desk = await openedDesk(t);
  const { sql } = desk;
  const better = await seedVersion(sql, { hotkey: 'a', score: '0.8000' });
  const pinned = await seedVersion(sql, { hotkey: 'b', score: '0.5500' });
  await seedVersion(sql, { hotkey: 'a', score: '0.7000' });
  await seedVersion(sql, { hotkey: 'b', score: '0.9000' });
  await seedVersion(sql, { hotkey: 'c', state: 'DISCARDED' });
  await seedVersion(sql, { hotkey: 'd', isEliminated: true });
  await seedVersion(sql, { hotkey: 'e' });
  await ban(sql, 'e');
  await pin(sql, 'b', pinned);
  const { reply } = await closeOnly(desk);
  const { raceId, qualifierCount } = await raceAt(sql, 1);
  t.deepEqual(reply, { kind: 'ok', body: { raceId, status: 'QUALIFYING_CLOSED' } });
  t.is(qualifierCount, 2);
  t.deepEqual(await entrants(desk), [
    ['a', better, 'QUALIFIED'],
    ['b', pinned, 'PINNED'],
  ]);
});

test('a pin that cannot be honoured is told with its reason', async (t) => {
  const desk = await openedDesk(t);
  const { sql } = desk;
  await seedSuite(sql, { isActive: false });
  const reasons = new Map([
    ['a', await seedVersion(sql, { hotkey: 'a', state: 'DISCARDED' })],
    ['b', await seedVersion(sql, { hotkey: 'b', suiteId: 2 })],
    ['c', await seedVersion(sql, { hotkey: 'c', isEliminated: true })],
    ['d', await seedVersion(sql, { hotkey: 'd', state: 'RUNNING' })],
    ['e', await seedVersion(sql, { hotkey: 'e', score: '0.1000' })],
  ]);
  for (const [hotkey, versionId] of reasons) await pin(sql, hotkey, versionId);
  const other = await seedVersion(sql, { hotkey: 'a' });
  await closeOnly(desk);
  t.deepEqual(await entrants(desk), [['a', other, 'QUALIFIED']]);
  const rows = await sql<{ reason: string }[]>`
    select reason from race_fallback order by miner_hotkey`;
  t.deepEqual(
    rows.map(({ reason }) => reason),
    ['discarded', 'superseded_suite', 'eliminated', 'not_eligible', 'below_threshold'],
  );
});

for (const [what, change] of Object.entries({
  pin: ({ sql }: RaceDesk, id: string) => pin(sql, 'a', id),
  discard: ({ sql }: RaceDesk, _: string, other: string) => discard(sql, other),
  score: ({ sql }: RaceDesk, id: string) =>
    sql`update agent_version set qualifying_score = 0.95 where agent_version_id = ${id}`,
})) {
  test(`a ${what} that commits while the field is chosen counts`, async (t) => {
    const desk = await openedDesk(t);
    const low = await seedVersion(desk.sql, { hotkey: 'a', score: '0.6000' });
    const high = await seedVersion(desk.sql, { hotkey: 'a', score: '0.9000' });
    const { attempts } = await closeOnly(desk, async () => change(desk, low, high));
    t.is(attempts, 2);
    const [[, entrant] = []] = await entrants(desk);
    t.is(entrant, low);
  });
}

test('a close waits for a pin that is under way, and honours it', async (t) => {
  const desk = await openedDesk(t);
  const { sql } = desk;
  const low = await seedVersion(sql, { hotkey: 'a', score: '0.6000' });
  await seedVersion(sql, { hotkey: 'a', score: '0.9000' });
  let pinning: Promise<unknown> | undefined;
  const { attempts } = await closeOnly(desk, async () => {
    const held = Promise.withResolvers<void>();
    // As the service does: the race's share lock first.
    const take: Take = (tx) => tx`select 1 from race for share`;
    pinning = holdLock(sql, take, async (tx) => {
      await tx`
        insert into race_pin (miner_hotkey, agent_version_id, pinned_at)
        values ('a', ${low}, now())`;
      held.resolve();
      await until(async () => {
        const [waiting] = await sql`
          select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        return waiting !== undefined;
      });
    });
    await held.promise;
  });
  await pinning;
  t.is(attempts, 2);
  t.deepEqual(await entrants(desk), [['a', low, 'PINNED']]);
});

test('a suite that is switched while its race closes has no race', async (t) => {
  const desk = await openedDesk(t);
  await seedVersion(desk.sql, { hotkey: 'a' });
  const { attempts } = await closeOnly(
    desk,
    async () => desk.sql`update suite set is_active = false`,
  );
  t.is(attempts, 2);
  t.like(await raceAt(desk.sql, 1), { status: 'RACE_CANCELLED', cancelReason: 'SUITE_SWITCHED' });
  t.deepEqual(await entrants(desk), []);
});

test('survivors and the top are in the next field without doing anything', async (t) => {
  const desk = await openedDesk(t);
  const { sql } = desk;
  const [winner, second, last, unfinished, faulty] = [
    await seedVersion(sql, { hotkey: 'a' }),
    await seedVersion(sql, { hotkey: 'b' }),
    await seedVersion(sql, { hotkey: 'c' }),
    await seedVersion(sql, { hotkey: 'd' }),
    await seedVersion(sql, { hotkey: 'e' }),
  ];
  const raceId = await runToStart(desk);
  await runToEnd(
    desk,
    raceId,
    new Map<string, Work>([
      [winner, { micro: [900_000, 900_000] }],
      [second, { micro: [500_000, 500_000] }],
      [last, { micro: [100_000, 100_000] }],
      [unfinished, 'platform-fault'],
      [faulty, 'agent-fault'],
    ]),
  );
  // Even a threshold that they miss does not put them out, nor the loss of the score.
  await sql`
    update agent_version
    set qualifying_score = case when agent_version_id = ${unfinished} then null else 0.1 end`;
  await runToStart(desk, 2);
  t.deepEqual(await entrants(desk, 2), [
    ['a', winner, 'INCUMBENT_TOP'],
    ['b', second, 'SURVIVOR'],
    ['d', unfinished, 'SURVIVOR'],
  ]);
});

// A race that was called off decided nothing: whom the last one that ended let live does not qualify again for that.
test('survivors keep their place over a race that was cancelled', async (t) => {
  const desk = await openedDesk(t);
  const { sql } = desk;
  const winner = await seedVersion(sql, { hotkey: 'a' });
  const second = await seedVersion(sql, { hotkey: 'b' });
  const last = await seedVersion(sql, { hotkey: 'c' });
  await runToEnd(
    desk,
    await runToStart(desk),
    new Map([
      [winner, { micro: [900_000, 900_000] }],
      [second, { micro: [500_000, 500_000] }],
      [last, { micro: [100_000, 100_000] }],
    ]),
  );
  await sql`update agent_version set qualifying_score = 0.1, eligible_at = submitted_at`;
  const cancelledId = await runToStart(desk, 2);
  await desk.send('cancel-race', { raceId: cancelledId, reason: 'wrong tasks' });
  t.is((await raceAt(sql, 2)).status, 'RACE_CANCELLED');

  const raceId = await runToStart(desk, 3);

  const field = [
    ['a', winner, 'INCUMBENT_TOP'],
    ['b', second, 'SURVIVOR'],
  ];
  t.deepEqual(await entrants(desk, 2), field);
  t.deepEqual(await entrants(desk, 3), field);
  t.deepEqual(await fieldFlaws(sql, raceId), []);
});

// Its throne alone spared it, and the fault was its own: it lost no place that it is to have back.
test('a former top that failed by its own fault has to qualify again', async (t) => {
  const desk = await openedDesk(t);
  const { sql } = desk;
  const top = await seedVersion(sql, { hotkey: 'a' });
  const heir = await seedVersion(sql, { hotkey: 'b' });
  const last = await seedVersion(sql, { hotkey: 'c' });
  const enter = async (raceNumber: number, work: ReadonlyMap<string, Work>) =>
    await runToEnd(desk, await runToStart(desk, raceNumber), work);
  await enter(
    1,
    new Map([
      [top, { micro: [300_000, 300_000] }],
      [heir, { micro: [200_000, 200_000] }],
      [last, { micro: [100_000, 100_000] }],
    ]),
  );
  await enter(
    2,
    new Map<string, Work>([
      [top, 'agent-fault'],
      [heir, { micro: [900_000, 900_000] }],
    ]),
  );
  t.is((await raceAt(sql, 1)).promotedId, top);
  t.is((await raceAt(sql, 2)).promotedId, heir);
  const [spared] = await sql`
    select is_eliminated, unfinished_reason from race_entrant join race r using (race_id)
    where r.race_number = 2 and agent_version_id = ${top}`;
  t.deepEqual(spared, { is_eliminated: false, unfinished_reason: 'AGENT_FAULT' });
  await sql`update agent_version set qualifying_score = 0.1, eligible_at = submitted_at`;
  await runToStart(desk, 3);
  t.deepEqual(await entrants(desk, 3), [['b', heir, 'INCUMBENT_TOP']]);
  t.deepEqual(await fieldFlaws(sql, (await raceAt(sql, 3)).raceId), []);
});

/** A minute before the close, by the clock that stamps orders. */
const takenBack: Readonly<Record<string, (desk: RaceDesk, topId: string) => Promise<unknown>>> = {
  discard: async ({ sql }, topId) =>
    await sql`
    insert into rt.event (kind, part, machine, key, actor_key, seq, type, type_version, payload,
                          command_id, account, epoch, at)
    select 'eval', part, 'agent-version', agent_version_id::text, agent_version_id::text, n,
      (array['DISCARDED', 'REINSTATED'])[n], 1, '{}', 'c', 'test', 1,
      rt.clock() - interval '1 minute'
    from agent_version, generate_series(1, 2) n where agent_version_id = ${topId}`,
  ban: async ({ sql }) =>
    await sql`
    insert into audit_log (seq, actor, action, object, detail, prev_hash, hash, committed_at)
    select n, 'test', (array['hotkey.ban', 'hotkey.unban'])[n], 'hotkey/a', '{}', '', '',
      rt.clock() - interval '1 minute'
    from generate_series(1, 2) n`,
};

for (const [what, order] of Object.entries(takenBack)) {
  test(`a top whose ${what} was taken back before its news came enters as any other`, async (t) => {
    const desk = await openedDesk(t);
    const { sql } = desk;
    const top = await seedVersion(sql, { hotkey: 'a', score: '0.1000' });
    const other = await seedVersion(sql, { hotkey: 'b' });
    await sql`update agent_version set eligible_at = submitted_at`;
    await sql`
      insert into top_agent (top_id, suite_id, agent_version_id, miner_hotkey, race_id, score, top_at)
      select gen_random_uuid(), 1, ${top}, 'a', race_id, 0.5, rt.clock() - interval '1 day' from race`;
    const isTop = async () => {
      const [version] = await candidatesOfMiner(sql, 'a');
      return version?.isTop;
    };
    t.true(await isTop());
    await order(desk, top);
    t.false(await isTop());
    await closeOnly(desk);
    t.deepEqual(await entrants(desk), [['b', other, 'QUALIFIED']]);
    t.deepEqual(await fieldFlaws(sql, (await raceAt(sql, 1)).raceId), []);
  });
}

test('the clock and an order that meet close a race once', async (t) => {
  const desk = await openedDesk(t);
  await seedVersion(desk.sql, { hotkey: 'a' });
  await closeOnly(desk);
  const { reply } = await closeOnly(desk);
  t.like(reply, { kind: 'ok', body: { status: 'QUALIFYING_CLOSED' } });
  t.deepEqual(await desk.tick(), ['start-due']);
  t.like((await closeOnly(desk)).reply, { kind: 'ok', body: { status: 'RACE_RUNNING' } });
  const events = await desk.sql`select type from rt.event where type = 'QUALIFYING_CLOSED'`;
  t.is(events.length, 1);
});
