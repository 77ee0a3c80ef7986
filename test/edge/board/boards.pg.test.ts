import test from 'ava';
import fc from 'fast-check';
import { Board } from '../../../apps/edge/board/board.ts';
import { Boards } from '../../../apps/edge/board/boards.ts';
import type { LeaderboardRow } from '../../../apps/edge/board/leaderboard-row.ts';
import { topView } from '../../../apps/edge/reads/top.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { type TestDatabase, testDatabase } from '../../support/cluster.ts';
import {
  plainBoardPage,
  plainBoardTotals,
  plainRaceBoardPage,
  plainRaceBoardTotals,
  plainRacing,
} from '../../support/plain-leaderboard.ts';
import {
  addActiveSuite,
  addRace,
  addTop,
  addVersion,
  trialId,
  trialPolicy,
} from '../../support/trial-races.ts';

const miners = 5;
const names = ['Careful', 'careful_2', 'Bold 100', 'a', 'x-%'];
const searches = ['CARE', '_', '0', 'm1', 'M', 'a', 'nobody', '-', '%', 'm10', '🛒'];

interface Query {
  readonly by: 'qualifying' | 'race';
  readonly limit: number;
  readonly offset: number;
  readonly search: string | undefined;
}

const everything: Query = { by: 'qualifying', limit: 500, offset: 0, search: undefined };

const told = (rows: readonly LeaderboardRow[]) =>
  rows.map((row) => ({
    ...row,
    eligibleAt: Number(row.eligibleAt),
    eliminatedAt: row.eliminatedAt === null ? null : Number(row.eliminatedAt),
  }));

const plain = {
  qualifying: { page: plainBoardPage, totals: plainBoardTotals },
  race: { page: plainRaceBoardPage, totals: plainRaceBoardTotals },
};

async function plainAnswer(sql: Sql, suiteId: number, query: Query) {
  const { page, totals } = plain[query.by];
  const rows = await page(sql, { suiteId, ...query });
  const hotkeys = [...new Set(rows.map((row) => row.minerHotkey))];
  const racing = await plainRacing(sql, suiteId);
  return {
    rows: told(rows),
    ...(await totals(sql, { suiteId, ...query })),
    racing: hotkeys.map((hotkey) => racing.get(hotkey)),
    top: { ...(await topView(sql)), nowMs: 0 },
  };
}

async function answerOf(boards: Boards, suiteId: number, query: Query) {
  const answer = await boards.read({ suiteId, ...query });
  if (answer === undefined) throw new Error('the suite is there');
  const { rows, total, uniqueMiners, submitted24h, racing, top } = answer;
  const hotkeys = [...new Set(rows.map((row) => row.minerHotkey))];
  return {
    rows: told(rows),
    ...{ total, uniqueMiners, submitted24h },
    racing: hotkeys.map((hotkey) => racing.get(hotkey)),
    top: { ...top, nowMs: 0 },
  };
}

/** What happens to a board, each named by a number that picks the miner, the agent or the version. */
const changes = {
  submit: async (sql: Sql, suiteId: number, n: number) => {
    const agentId = trialId(`agent ${n % miners} ${n % names.length}`);
    const hoursAgo = (n % 4) * 9;
    await sql`
      insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
        version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes,
        required_successes)
      select gen_random_uuid(), 0, agent_id, agent_name, miner_hotkey,
        1 + (select count(*) from agent_version v where v.agent_id = a.agent_id), ${suiteId},
        'QUEUED', date_trunc('hour', rt.clock()) - ${hoursAgo} * interval '1 hour', 'ab', 1, 2
      from agent a where agent_id = ${agentId}`;
  },
  score: async (sql: Sql, suiteId: number, n: number) => {
    const score = (0.5 + (n % 7) / 50).toFixed(4);
    await sql`
      update agent_version set state = 'ELIGIBLE', qualifying_score = ${score}, final_score = ${score},
        score_low = ${score}::numeric / 2, score_high = 1, eligible_at = submitted_at
      where agent_version_id = (${pick(sql, suiteId, n)})`;
  },
  loseScore: async (sql: Sql, suiteId: number, n: number) => {
    await sql`update agent_version set qualifying_score = null
      where agent_version_id = (${pick(sql, suiteId, n)})`;
  },
  discard: async (sql: Sql, suiteId: number, n: number) => {
    await sql`update agent_version set state = 'DISCARDED'
      where agent_version_id = (${pick(sql, suiteId, n)})`;
  },
  eliminate: async (sql: Sql, suiteId: number, n: number) => {
    await sql`update agent_version set eliminated_at = rt.clock()
      where agent_version_id = (${pick(sql, suiteId, n)})`;
  },
  ban: async (sql: Sql, _: number, n: number) => {
    await sql`insert into hotkey_ban (hotkey, reason, banned_at)
      values (${`m${n % miners}`}, 'test', rt.clock()) on conflict do nothing`;
  },
  unban: async (sql: Sql, _: number, n: number) => {
    await sql`delete from hotkey_ban where hotkey = ${`m${n % miners}`}`;
  },
  pin: async (sql: Sql, suiteId: number, n: number) => {
    await sql`
      insert into race_pin (miner_hotkey, agent_version_id, pinned_at)
      select miner_hotkey, agent_version_id, rt.clock() from agent_version
      where agent_version_id = (${pick(sql, suiteId, n)})
      on conflict (miner_hotkey) do update set agent_version_id = excluded.agent_version_id`;
  },
  unpin: async (sql: Sql, _: number, n: number) => {
    await sql`delete from race_pin where miner_hotkey = ${`m${n % miners}`}`;
  },
  openRace: async (sql: Sql, suiteId: number, n: number) => {
    const policy = JSON.stringify({ ...trialPolicy, qualifyingThreshold: `0.5${n % 3}00` });
    await sql`
      insert into race (race_id, part, suite_id, race_number, status, policy_version, policy,
        opened_at, qualifying_closes_at)
      select gen_random_uuid(), 0, ${suiteId},
        1 + (select count(*) from race where suite_id = ${suiteId}), 'QUALIFYING_OPEN', 0,
        ${policy}::text::jsonb, rt.clock(), rt.clock()
      on conflict do nothing`;
  },
  closeRace: async (sql: Sql, suiteId: number, n: number) => {
    await transaction(sql, {}, async (tx) => {
      const [race] = await tx<{ raceId: string }[]>`
        update race set status = 'RACE_RUNNING'
        where suite_id = ${suiteId} and status = 'QUALIFYING_OPEN' returning race_id as "raceId"`;
      if (race === undefined) return;
      await tx`
        insert into race_entrant (race_id, agent_version_id, miner_hotkey, qualification_type)
        select distinct on (miner_hotkey) ${race.raceId}, agent_version_id, miner_hotkey, 'QUALIFIED'
        from agent_version where suite_id = ${suiteId} and state = 'ELIGIBLE'
        order by miner_hotkey, md5(agent_version_id::text || ${n}::int)`;
    });
  },
  endRace: async (sql: Sql, suiteId: number, n: number) => {
    const status = n % 3 === 0 ? 'RACE_CANCELLED' : 'RACE_COMPLETE';
    // Of some the bounds of scores may be told, and of some they may not yet.
    await transaction(sql, {}, async (tx) => {
      const [race] = await tx<{ raceId: string }[]>`
        update race set status = ${status}, completed_at = rt.clock(),
          released_at = rt.clock() + ${n % 2} * interval '1 hour'
        where suite_id = ${suiteId} and status = 'RACE_RUNNING' returning race_id as "raceId"`;
      if (race === undefined || status === 'RACE_CANCELLED') return;
      await tx`
        update race_entrant set is_eliminated = ${n % 2 === 0}, score_low = 0.4, score_high = 0.7,
          race_score = 0.5 + (${n}::int + ascii(right(miner_hotkey, 1))) % 3 / 10.0,
          weighted_score = 0.5 + (${n}::int * ascii(right(miner_hotkey, 1))) % 2 / 10.0
        where race_id = ${race.raceId} and miner_hotkey <> ${`m${n % miners}`}`;
    });
  },
  crown: async (sql: Sql, suiteId: number, n: number) => {
    await transaction(sql, {}, async (tx) => {
      await tx`update top_agent set ended_at = greatest(top_at, rt.clock()) where ended_at is null`;
      await tx`
        insert into top_agent (top_id, suite_id, agent_version_id, miner_hotkey, race_id, score, top_at)
        select gen_random_uuid(), ${suiteId}, e.agent_version_id, e.miner_hotkey, e.race_id, 0.6,
          rt.clock()
        from race_entrant e join race r on r.race_id = e.race_id
        where r.suite_id = ${suiteId} and e.weighted_score is not null
        order by md5(e.agent_version_id::text || ${n}::int) limit 1`;
    });
  },
  reinstate: async (sql: Sql, suiteId: number, n: number) => {
    await transaction(sql, {}, async (tx) => {
      await tx`update top_agent set ended_at = greatest(top_at, rt.clock()) where ended_at is null`;
      await tx`
        update top_agent set ended_at = null
        where top_id = (
          select top_id from top_agent where suite_id = ${suiteId}
          order by md5(top_id::text || ${n}::int) limit 1)`;
    });
  },
  deactivate: async (sql: Sql, suiteId: number) => {
    await sql`update suite set is_active = not is_active where suite_id = ${suiteId}`;
  },
};

/** One of the suite's versions. */
const pick = (sql: Sql, suiteId: number, n: number) => sql`
  select agent_version_id from agent_version where suite_id = ${suiteId}
  order by md5(agent_version_id::text || ${n}::int) limit 1`;

const kinds = Object.keys(changes) as (keyof typeof changes)[];
// Mostly what fills the boards.
const aChange = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<keyof typeof changes>('submit', 'score') },
    {
      weight: 3,
      arbitrary: fc.constantFrom<keyof typeof changes>('openRace', 'closeRace', 'endRace'),
    },
    { weight: 2, arbitrary: fc.constantFrom(...kinds) },
  ),
  n: fc.nat({ max: 1000 }),
});
const aQuery = fc.record({
  by: fc.constantFrom('qualifying', 'race'),
  limit: fc.integer({ min: 1, max: 12 }),
  offset: fc.integer({ min: 0, max: 6 }),
  search: fc.option(fc.constantFrom(...searches), { nil: undefined }),
});

async function addAgents(sql: Sql): Promise<void> {
  for (let n = 0; n < miners; n += 1) {
    await sql`insert into miner (hotkey) values (${`m${n}`})`;
    for (const [at, name] of names.entries()) {
      await sql`insert into agent (agent_id, miner_hotkey, agent_name, created_at)
        values (${trialId(`agent ${n} ${at}`)}, ${`m${n}`}, ${name}, rt.clock())`;
    }
  }
}

test('whatever happens, the board says what the database says', async (t) => {
  const { sql } = await testDatabase(t);
  await addAgents(sql);
  const boards = new Boards(sql);
  let suiteVersion = 0;
  const rowsMax = { qualifying: 0, race: 0 };
  const property = fc.asyncProperty(
    fc.array(aChange, { minLength: 50, maxLength: 70 }),
    fc.array(aQuery, { minLength: 70, maxLength: 70 }),
    async (happening, queries) => {
      suiteVersion += 1;
      await sql`delete from hotkey_ban`;
      await sql`delete from race_pin`;
      const suiteId = await addActiveSuite(sql, suiteVersion);
      for (const [at, { kind, n }] of happening.entries()) {
        await changes[kind](sql, suiteId, n);
        const query = queries[at] ?? everything;
        const ours = await answerOf(boards, suiteId, query);
        t.deepEqual(ours, await plainAnswer(sql, suiteId, query));
        rowsMax[query.by] = Math.max(rowsMax[query.by], ours.rows.length);
      }
      const anew = new Boards(sql);
      for (const by of ['qualifying', 'race'] as const) {
        const query = { ...everything, by };
        const ours = await answerOf(boards, suiteId, query);
        t.deepEqual(ours, await plainAnswer(sql, suiteId, query));
        // Who has seen nothing of it on the way says the same.
        t.deepEqual(await answerOf(anew, suiteId, query), ours);
        rowsMax[by] = Math.max(rowsMax[by], ours.rows.length);
      }
    },
  );
  // That boards of some length are compared is shown by histories that are always the same.
  await fc.assert(property, { numRuns: 4, endOnFailure: true, seed: 1 });
  t.true(rowsMax.qualifying > 5 && rowsMax.race > 1, JSON.stringify(rowsMax));
  await fc.assert(property, { numRuns: 8, endOnFailure: true });
});

test('what was begun before and committed after other changes is not missed', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  const [first, second] = [
    await addVersion(sql, suiteId, 'a'),
    await addVersion(sql, suiteId, 'b'),
  ];
  const boards = new Boards(sql);
  const scores = async () => {
    const { rows } = await answerOf(boards, suiteId, everything);
    return new Map(rows.map((row) => [row.agentVersionId, row.qualifyingScore]));
  };
  const setScore = (on: Sql, id: string, score: string) =>
    on`update agent_version set qualifying_score = ${score} where agent_version_id = ${id}`;

  await transaction(sql, {}, async (tx) => {
    await setScore(tx as unknown as Sql, first, '0.9');
    await setScore(sql, second, '0.8');
    t.deepEqual([(await scores()).get(first), (await scores()).get(second)], [0.6, 0.8]);
  });
  t.is((await scores()).get(first), 0.9);
});

test('the active suite is shown, whichever it is, and another by its id', async (t) => {
  const { sql } = await testDatabase(t);
  const boards = new Boards(sql);
  const suiteShown = async (suiteId?: number) => {
    const answer = await boards.read({ ...everything, suiteId });
    return answer?.suite.suiteId;
  };
  t.is(await suiteShown(), undefined);
  const one = await addActiveSuite(sql, 1);
  t.is(await suiteShown(), one);
  const two = await addActiveSuite(sql, 2);
  t.is(await suiteShown(), two);
  t.is(await suiteShown(one), one);
  await sql`update suite set is_active = false`;
  t.is(await suiteShown(), undefined);
  await t.throwsAsync(suiteShown(2 ** 40), { message: /no such suite/ });
});

test('a reign and a ban are shown with the next read', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  const id = await addVersion(sql, suiteId, 'a');
  const boards = new Boards(sql);
  const row = async () => (await answerOf(boards, suiteId, everything)).rows[0];
  t.false((await row())?.isCurrentTop);
  await changes.openRace(sql, suiteId, 0);
  const [race] = await sql<{ raceId: string }[]>`select race_id as "raceId" from race`;
  if (race === undefined) throw new Error('a race was opened');
  await addTop(sql, { suiteId, raceId: race.raceId, hotkey: 'a', score: '0.6' });
  t.like(await row(), { agentVersionId: id, isCurrentTop: true, isMinerBanned: false });
  // Another suite was active in between, of which the owner of the reign has not heard.
  for (const [at, isCurrentTop] of [
    ['5.1 seconds', false],
    ['4.9 seconds', true],
  ] as const) {
    await sql`
      update suite set activated_at = (select top_at from top_agent) + ${at}::text::interval`;
    t.like(await row(), { isCurrentTop, wasTop: true }, at);
  }
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('a', 'test', rt.clock())`;
  t.like(await row(), { isCurrentTop: false, isMinerBanned: true, wasTop: true });
});

test('the bounds of a race score are told from its release on, which nobody notes', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  const entrants = [{ hotkey: 'a', score: '0.5000' }];
  await addRace(sql, { suiteId, raceNumber: 1, entrants, releasedIn: 1 });
  await sql`update race_entrant set weighted_score = 0.6, score_low = 0.4, score_high = 0.7`;
  const boards = new Boards(sql);
  const bounds = async () => {
    const { rows } = await answerOf(boards, suiteId, { ...everything, by: 'race' });
    return rows.map(({ raceScore, scoreLow, scoreHigh }) => [raceScore, scoreLow, scoreHigh]);
  };
  t.deepEqual(await bounds(), [[0.5, null, null]]);

  await sql`create or replace function rt.clock() returns timestamptz
    language sql volatile as $$ select clock_timestamp() + interval '1 hour' $$`;
  t.deepEqual(await bounds(), [[0.5, 0.4, 0.7]]);
});

/** Rows of entrants that the database has looked at for it: told at the latest when a connection ends. */
async function entrantsLookedAt(
  { sql, url }: TestDatabase,
  work: (sql: Sql) => Promise<unknown>,
): Promise<number> {
  const looked = async () => {
    const [row] = await sql<{ rows: number; isBusy: boolean }[]>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows, exists (
        select from pg_stat_activity where application_name = 'boards') as "isBusy"
      from pg_stat_user_tables where relname = 'race_entrant'`;
    return row ?? { rows: 0, isBusy: false };
  };
  const before = await looked();
  const own = createSql({ url, applicationName: 'boards', max: 1 });
  await work(own);
  await closeSql(own);
  let after = await looked();
  while (after.isBusy) after = await looked();
  return after.rows - before.rows;
}

test('the board by race looks at no race until one changes, and then at few', async (t) => {
  const database = await testDatabase();
  const { sql } = database;
  // Of a table that fits into a few pages nothing is looked up otherwise.
  await sql`do $$ declare each text; begin
    foreach each in array array['seqscan', 'hashjoin', 'mergejoin'] loop
      execute format('alter database %I set enable_%s = off', current_database(), each);
    end loop;
  end $$`;
  const suiteId = await addActiveSuite(sql);
  const races = 40;
  for (let raceNumber = 1; raceNumber <= races; raceNumber += 1) {
    const entrants = [0, 1, 2, 3, 4].map((n) => ({ hotkey: `${raceNumber}-${n}`, score: '0.5' }));
    await addRace(sql, { suiteId, raceNumber, entrants });
  }
  await sql`update race_entrant set weighted_score = 0.6`;
  await sql`analyze race, race_entrant`;
  await sql`select pg_stat_force_next_flush()`;
  const read = async (boards: Boards) =>
    (await answerOf(boards, suiteId, { ...everything, by: 'race' })).total;

  const loaded = await entrantsLookedAt(database, async (own) => {
    t.is(await read(new Boards(own)), 5 * races);
  });
  t.true(loaded >= 5 * races);
  const kept = await entrantsLookedAt(database, async (own) => {
    const boards = new Boards(own);
    for (let times = 0; times < 5; times += 1) await read(boards);
  });
  t.is(kept, loaded);
  const changed = await entrantsLookedAt(database, async (own) => {
    const boards = new Boards(own);
    await read(boards);
    await changes.openRace(own, suiteId, 0);
    await read(boards);
  });
  t.true(changed - loaded < 40, `${changed - loaded} rows of entrants`);
});

test('a board that nobody asked for so long that changes are forgotten is read anew', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  await addVersion(sql, suiteId, 'a');
  const boards = new Boards(sql);
  t.is((await answerOf(boards, suiteId, everything)).total, 1);

  await addVersion(sql, suiteId, 'b');
  await sql`truncate rt.board_change`;
  await sql`create or replace function rt.wall_clock() returns timestamptz
    language sql volatile as $$ select clock_timestamp() + interval '1 hour' $$`;
  t.is((await answerOf(boards, suiteId, everything)).total, 2);
});

/** The next change of the version breaks off where it has been taken out of its orders. */
function breakOffOnce(agentVersionId: string): void {
  const { put } = Board.prototype;
  Board.prototype.put = function (row) {
    if (row.agentVersionId !== agentVersionId) return put.call(this, row);
    Board.prototype.put = put;
    const broken = {
      get raceNumber(): number | null {
        throw new Error('broke off');
      },
    };
    put.call(
      this,
      new Proxy(row, { get: (of, key) => Reflect.get(key in broken ? broken : of, key) }),
    );
  };
}

test('a board that a change was put into by half is loaded anew', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  // Of nobody else: tests at the same time have versions of the same ids, in their own databases.
  const id = await addVersion(sql, suiteId, 'torn');
  await addVersion(sql, suiteId, 'b');
  const boards = new Boards(sql);
  t.is((await answerOf(boards, suiteId, everything)).total, 2);

  await sql`update agent_version set qualifying_score = 0.9 where agent_version_id = ${id}`;
  breakOffOnce(id);
  await t.throwsAsync(answerOf(boards, suiteId, everything), { message: 'broke off' });
  const ours = await answerOf(boards, suiteId, everything);
  t.deepEqual(ours, await plainAnswer(sql, suiteId, everything));
});

test('changes of more than an hour ago are taken away by newer ones', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  for (const hotkey of ['a', 'b', 'c', 'd']) await addVersion(sql, suiteId, hotkey);
  await sql`update rt.board_change set at = at - interval '2 hours'`;
  await addVersion(sql, suiteId, 'e');
  await addVersion(sql, suiteId, 'f');
  const [left] = await sql<{ old: number; all: number }[]>`
    select count(*) filter (where at < rt.wall_clock() - interval '1 hour')::int as old,
      count(*)::int as all
    from rt.board_change`;
  t.deepEqual(left, { old: 0, all: 2 });
});
