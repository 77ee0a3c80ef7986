import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { projectFacts } from '../../../actors/services/projector/projector.actor.ts';
import { createReleases } from '../../../actors/services/projector/releases.actor.ts';
import type { Transact } from '../../../actors/services/service-handler.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { Delivery } from '../../../infra/ports/bus.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addSealedRace } from '../../support/sealed-race.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { trialId } from '../../support/trial-races.ts';
import { until } from '../../support/until.ts';

/**
 * A race whose provider of models was away for a day has tens of thousands of failed runs. Whatever happens while they
 * are told, and whoever tells them: each is told once, in the order of their ends, and the race is told with the last.
 */
const failedRuns = 2_630;
const terms = { codePrivateMs: 432_000_000 };

/** With the ids of its runs in the order in which they ended. */
async function aReleasedRace(t: ExecutionContext, outcome: 'RACE_CANCELLED' | 'RACE_COMPLETE') {
  const { url, sql: admin } = await testDatabase(t);
  const race = await addSealedRace(admin, { miners: ['a', 'b', 'c', 'd'], validators: ['v', 'w'] });
  const { raceId, suiteId, runIds } = race;
  await admin`
    update evaluation_run set status = 'CANCELLED', completed_at = rt.clock()
    where eval_run_id = ${runIds.live}`;
  await addFailedRuns(admin, runIds.failed, failedRuns);
  await admin`
    update race
    set status = ${outcome},
      completed_at = case ${outcome} when 'RACE_COMPLETE' then rt.clock() end,
      released_at = case ${outcome} when 'RACE_COMPLETE' then rt.clock() end,
      cancelled_at = case ${outcome} when 'RACE_CANCELLED' then rt.clock() end
    where race_id = ${raceId}`;
  const about = { raceId, suiteId, raceNumber: 1, at: Date.now() - 1_000 };
  const winner = { winnerAgentVersionId: trialId('winner'), winnerScore: '0.7654' };
  const fact =
    outcome === 'RACE_COMPLETE'
      ? raceFact('race-completed', {
          ...{ ...about, ...winner, releasedAt: about.at, scoredCount: 2 },
          promotedAgentVersionId: null,
        })
      : raceFact('race-cancelled', { ...about, reason: 'NO_FINISHER' });
  const teller = (wrap: (transact: Transact) => Transact = (transact) => transact) => {
    const sql = createSql({ url, applicationName: 'feed', role: 'paddock_service', max: 4 });
    t.teardown(() => closeSql(sql));
    const transact = wrap((body) => transaction(sql, {}, body));
    const log: Logger = { ...silentLogger };
    const signals = { signal: () => {}, onSignal: () => ({ close: async () => {} }) };
    return createReleases({ sql, transact, signals, terms, log, clock: systemClock });
  };
  const project = async (delivery: Delivery) => {
    const never: Transact = async () => {
      throw new Error('one fact needs no transaction of its own');
    };
    await projectFacts({ sql: admin, transact: never, log: silentLogger }, [delivery], terms);
  };
  await project(fact);
  const isTold = async () =>
    (await admin`select from public_release where kind = 'RACE' and told_at is not null`).length ===
    1;
  return { admin, raceId, runIds, teller, project, isTold };
}

async function addFailedRuns(sql: Sql, like: string, count: number) {
  await sql`
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
                                race_id, execution_kind, validator_hotkey, slot, fence, status,
                                failure_class, failure_reason, claimed_at, lease_expires_at,
                                completed_at, expected_items)
    select gen_random_uuid(), part, work_item_id, agent_version_id, suite_id, phase, race_id,
      execution_kind, 'v' || n, 0, 100 + n, 'FAILED', 'PROVIDER', 'provider answers 503', claimed_at,
      lease_expires_at, claimed_at + n * interval '1 millisecond', 2
    from evaluation_run, generate_series(1, ${count}) n
    where eval_run_id = ${like}`;
}

function raceFact(name: string, body: object): Delivery {
  const place = { kind: 'race', part: 1, headers: {}, deliveries: 1 };
  return { ...place, msgId: randomUUID(), subject: `fact.${name}`, body };
}

interface ToldEnd {
  readonly id: string;
  /** Of the transaction, or of the part of it, in which it was told. */
  readonly page: string;
}

async function toldEnds(sql: Sql): Promise<readonly ToldEnd[]> {
  return await sql<ToldEnd[]>`
    select body ->> 'eval_run_id' as id, xmin::text as page
    from public_event where type = 'run-ended' order by cursor`;
}

async function asTheyEnded(sql: Sql, raceId: string): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select eval_run_id::text as id from evaluation_run
    where race_id = ${raceId} order by completed_at, eval_run_id`;
  return rows.map(({ id }) => id);
}

const idsOf = (ends: readonly ToldEnd[]) => ends.map(({ id }) => id);

test('a race of many runs is told in pages, and a fact between two of them', async (t) => {
  const race = await aReleasedRace(t, 'RACE_COMPLETE');
  const between = trialId('between');
  let isProjected = false;
  const teller = race.teller((transact) => async (body) => {
    if (!isProjected && (await toldEnds(race.admin)).length > 0) {
      isProjected = true;
      await race.project(raceFact('race-opened', { ...opened, raceId: between }));
    }
    return await transact(body);
  });
  await teller.start();
  await until(race.isTold);
  await teller.stop();

  const ends = await toldEnds(race.admin);
  t.deepEqual(idsOf(ends), await asTheyEnded(race.admin, race.raceId));
  const pages = Map.groupBy(ends, ({ page }) => page);
  t.true(pages.size >= 3);
  t.true([...pages.values()].every(({ length }) => length <= 500));
  const [place] = await race.admin<{ before: number; behind: number }[]>`
    select count(*) filter (where e.cursor < fact.cursor)::int as before,
      count(*) filter (where e.cursor > fact.cursor)::int as behind
    from public_event fact
    join public_event e on e.type = 'run-ended'
    where fact.body ->> 'race_id' = ${between}`;
  t.true((place?.before ?? 0) > 0 && (place?.behind ?? 0) > 0);
});

const opened = { suiteId: 1, raceNumber: 2, at: 1_000, qualifyingClosesAt: 2_000 };

test('the runs of a cancelled race are told by their ids, over all pages', async (t) => {
  const race = await aReleasedRace(t, 'RACE_CANCELLED');
  const teller = race.teller();
  await teller.start();
  await until(race.isTold);
  await teller.stop();

  const ends = await toldEnds(race.admin);
  t.true(new Set(ends.map(({ page }) => page)).size >= 3);
  t.deepEqual(idsOf(ends), (await asTheyEnded(race.admin, race.raceId)).toSorted());
});

test('where one dies between two pages, the next goes on behind the last', async (t) => {
  const race = await aReleasedRace(t, 'RACE_COMPLETE');
  const died = Promise.withResolvers<void>();
  const victim = race.teller((transact) => async (body) => {
    if ((await toldEnds(race.admin)).length === 0) return await transact(body);
    died.resolve();
    throw new Error('this process is dead');
  });
  await victim.start();
  await died.promise;
  await victim.stop();
  const before = await toldEnds(race.admin);
  t.true(before.length < failedRuns, 'it died in the middle');
  t.false(await race.isTold());

  const next = race.teller();
  await next.start();
  await until(race.isTold);
  await next.stop();

  const ends = await toldEnds(race.admin);
  t.is(JSON.stringify(ends.slice(0, before.length)), JSON.stringify(before));
  t.deepEqual(idsOf(ends), await asTheyEnded(race.admin, race.raceId));
});

test('two that tell the same race at once tell each run once', async (t) => {
  const race = await aReleasedRace(t, 'RACE_COMPLETE');
  const tellers = [race.teller(), race.teller(), race.teller()];
  await Promise.all(tellers.map((teller) => teller.start()));
  await until(race.isTold);
  await Promise.all(tellers.map((teller) => teller.stop()));

  t.deepEqual(idsOf(await toldEnds(race.admin)), await asTheyEnded(race.admin, race.raceId));
});

// Its fact finds a race that is not told yet, so nothing would ask for it once the race is. It ended, by the clock, before
// those that are told already.
test('a run that ends while its race is told is not left out', async (t) => {
  const race = await aReleasedRace(t, 'RACE_COMPLETE');
  const late = trialId('late');
  let hasEnded = false;
  const teller = race.teller((transact) => async (body) => {
    // Its last page is read by now.
    if (!hasEnded && (await toldEnds(race.admin)).length === 2_500) {
      hasEnded = true;
      await endLate(race, late);
    }
    return await transact(body);
  });
  await teller.start();
  await until(race.isTold);
  await teller.stop();

  const ids = idsOf(await toldEnds(race.admin));
  t.is(ids.at(-1), late);
  t.is(new Set(ids).size, failedRuns + 6);
});

async function endLate(race: Awaited<ReturnType<typeof aReleasedRace>>, evalRunId: string) {
  await race.admin`
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
                                race_id, execution_kind, validator_hotkey, slot, fence, status,
                                claimed_at, lease_expires_at, completed_at, expected_items)
    select ${evalRunId}, part, work_item_id, agent_version_id, suite_id, phase, race_id,
      execution_kind, 'late', 0, 99, 'FAILED', claimed_at, lease_expires_at, claimed_at, 2
    from evaluation_run where eval_run_id = ${race.runIds.first}`;
  const run = {
    ...{ evalRunId, agentVersionId: trialId('version'), suiteId: 1, validatorHotkey: 'late' },
    ...{ phase: 'RACE', raceId: race.raceId, status: null, at: 1_000 },
  };
  await race.project(raceFact('run-ended', run));
}

test('ends without end keep neither the others of their race from being told nor the next race', async (t) => {
  const race = await aReleasedRace(t, 'RACE_COMPLETE');
  await race.admin`
    insert into public_release (kind, id, due_at) values ('RACE', ${trialId('other')}, rt.clock())`;
  const teller = race.teller((transact) => async (body) => {
    // As facts do of runs that judge the race again.
    await race.admin`
      update public_release set late_ends = late_ends + 1 where id = ${race.raceId} and told_at is null`;
    return await transact(body);
  });
  await teller.start();
  await until(race.isTold);
  await teller.stop();

  const rows = await race.admin<{ id: string }[]>`
    select id from public_release where kind = 'RACE' and told_at is not null`;
  t.deepEqual([...rows], [{ id: trialId('other') }]);
  t.is((await toldEnds(race.admin)).length, failedRuns + 5);
});

test('a race that cannot be told is put off, and the next one is told', async (t) => {
  const race = await aReleasedRace(t, 'RACE_COMPLETE');
  await race.admin`
    insert into public_release (kind, id, due_at) values ('RACE', ${trialId('other')}, rt.clock())`;
  await race.admin.unsafe(
    `alter table public_event add check (msg_id <> 'run-ended:${race.runIds.first}')`,
  );
  const teller = race.teller();
  await teller.start();
  await until(race.isTold);
  await teller.stop();

  const rows = await race.admin<{ id: string; failures: number; isTold: boolean }[]>`
    select id, failures, told_at is not null as "isTold" from public_release
    where kind = 'RACE' order by due_at`;
  t.like(rows[0], { id: race.raceId, isTold: false });
  t.true((rows[0]?.failures ?? 0) > 0);
  t.like(rows[1], { id: trialId('other'), isTold: true, failures: 0 });
  // What came before it is told already; the page that it is on is not.
  t.true((await toldEnds(race.admin)).length < failedRuns + 5);
});
