import test from 'ava';
import { findStuck } from '../../actors/services/stuck/find-stuck.ts';
import type { LiveRules } from '../../apps/verify/live/checks/check.ts';
import { everyCheck } from '../../apps/verify/live/checks/every-check.ts';
import { LiveUnreadable } from '../../apps/verify/live/live-unreadable.ts';
import { verifyLive } from '../../apps/verify/live/verify-live.ts';
import { readOptions } from '../../apps/verify/options.ts';
import { verify } from '../../apps/verify/verify.ts';
import { terminal } from '../../apps/world/terminal.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { transaction } from '../../infra/postgres/transaction.ts';
import { plantedViolations } from '../support/planted-violations.ts';
import { raceViolations } from '../support/race-checks.ts';
import { RaceSeason } from '../support/race-season.ts';
import { openRules, type ServiceWorld, startServiceWorld } from '../support/service-world.ts';
import { until } from '../support/until.ts';

// More races than the window has, with a top that defends itself.
const days = 4;
const raceIds: string[] = [];
const rules: LiveRules = { ...openRules, cooldownMs: 18 * 3_600_000 };

let world: ServiceWorld;
let season: RaceSeason;
test.before(async (t) => {
  t.timeout(300_000);
  world = await startServiceWorld({
    edges: 1,
    coordinators: 2,
    env: { CLOCK: 'simulated', RACE_TASKS: '6', QUALIFYING_THRESHOLD: '0.25', BURN_RATE: '0.01' },
  });
  season = new RaceSeason(world, {
    ...{ miners: 10, validators: 4, seed: 1, taskCount: 12, qualifyingCount: 4 },
    hasFaults: false,
  });
  await season.start();
  for (let day = 0; day < days; day += 1) {
    const { race_id: raceId, status } = await season.playDay(day);
    if (status !== 'RACE_COMPLETE') throw new Error(`race ${raceId} is ${status}`);
    raceIds.push(raceId);
  }
  // Results are released, and epochs pass.
  await season.time.advanceTo(season.time.nowMs() + 7 * 3_600_000);
  await season.askForWeights();
  await until(async () => {
    const [row] = await world.sql<{ isQuiet: boolean }[]>`
      select not exists (select from rt.outbox)
        and (select count(*) from race_bundle) = ${days} as "isQuiet"`;
    // Where time has leapt, what had its end on the way is thrown away in the next rounds.
    return row?.isQuiet === true && (await findStuck(world.sql, 1)).total === 0;
  });
});
test.after.always(() => world?.[Symbol.asyncDispose]());

function heard() {
  let text = '';
  const stream = { write: (more: string) => (text += more) };
  return { said: terminal({ stream, isStyled: false }), text: () => text };
}

async function verifiedRace(raceId: string) {
  const [url = ''] = world.service.baseUrls;
  const options = readOptions(['--race', raceId, '--url', url]);
  if (options === undefined || !('raceId' in options)) throw new Error('no options');
  const { said, text } = heard();
  return { isSame: await verify({ options, terminal: said, clock: systemClock }), text: text() };
}

test.serial(
  'every race of some days is computed again from what the service publishes',
  async (t) => {
    for (const raceId of raceIds) {
      t.deepEqual(await raceViolations(world.sql, raceId), []);
      const { isSame, text } = await verifiedRace(raceId);
      t.true(isSame, text);
    }
  },
);

async function verified(databaseUrl: string, ...args: string[]) {
  const options = readOptions(['--live', '--database', databaseUrl, ...args]);
  if (options === undefined || !('live' in options)) throw new Error('no options');
  const { said, text } = heard();
  const about = { options: options.live, databaseUrl, rules, clock: systemClock };
  return { code: await verifyLive({ ...about, terminal: said }), text: text() };
}

test.serial('every invariant has a line, and none is broken where all is well', async (t) => {
  const { code, text } = await verified(world.neighbours.databaseUrl, '--quiet');

  t.log(text);
  t.is(code, 0);
  t.is(text.match(/^INV-\d\d {2}(?:holds|not checkable here) /gm)?.length, 50);
  t.regex(text, /^50 invariants in [\d.]+ s: \d+ hold, 0 violated, 0 unfinished/m);
});

// What finds nothing where something is wrong would prove nothing where all is well.
for (const { id, rule, find } of everyCheck) {
  test.serial(`${id} is seen to be broken: ${rule}`, async (t) => {
    const plant = plantedViolations[rule];
    if (plant === undefined) throw new Error('nobody has tried to break this rule');
    await inVain(world.sql, async (tx) => {
      t.deepEqual([...(await find(tx, rules))], [], 'before');
      await tx`set local session_replication_role = replica`;
      await plant(tx);
      t.true((await find(tx, rules)).length > 0, 'after');
    });
  });
}

test.serial('every planted violation is of a rule', (t) => {
  const known = new Set(everyCheck.map(({ rule }) => rule));
  t.deepEqual(
    Object.keys(plantedViolations).filter((rule) => !known.has(rule)),
    [],
  );
});

/** As it lies there an hour after its processes were stopped, and a day of the service's time later. */
async function restoredCopy(): Promise<URL> {
  const url = new URL(world.neighbours.databaseUrl);
  const admin = createSql({
    ...{ url: Object.assign(new URL(url), { pathname: '/template1' }).href, max: 1 },
    ...{ applicationName: 'copying', statementTimeoutMs: 0 },
  });
  const copy = Object.assign(new URL(url), { pathname: '/restored' });
  const from = url.pathname.slice(1);
  try {
    // A database is copied while nobody is in it; whoever was thrown out comes again.
    await admin`alter database ${admin(from)} allow_connections false`;
    await admin`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${from}`;
    await admin`create database restored template ${admin(from)}`;
  } finally {
    await admin`alter database ${admin(from)} allow_connections true`;
    await closeSql(admin);
  }
  const sql = createSql({ url: copy.href, applicationName: 'test', max: 1 });
  try {
    await sql`update rt.member set lease_until = rt.wall_clock() - interval '1 hour'`;
    await sql`update rt.clock_offset set offset_us = offset_us + 86400000000`;
  } finally {
    await closeSql(sql);
  }
  return copy;
}

class Done extends Error {}

/** In a transaction that is taken back. */
async function inVain(sql: Sql, body: (tx: Sql) => Promise<void>): Promise<void> {
  const attempt = transaction(sql, {}, async (tx) => {
    await body(tx as unknown as Sql);
    throw new Done();
  });
  await attempt.catch((error: unknown) => {
    if (!(error instanceof Done)) throw error;
  });
}

test.serial('what is broken ends with code 1, and at most five examples', async (t) => {
  const { sql, neighbours } = world;
  await sql`
    insert into rt.poison (msg_id, subject, headers, body, error, at)
    select 'planted-' || n, 'evt', '{}', '', 'it fails', now() from generate_series(1, 9) n`;
  const { code, text } = await verified(neighbours.databaseUrl, '--only', 'inv-47', '--json');
  const told = await verified(neighbours.databaseUrl, '--only', 'INV-47');
  await sql`delete from rt.poison where msg_id like 'planted-%'`;

  t.is(code, 1);
  const { invariants } = JSON.parse(text);
  t.is(invariants.length, 1);
  t.is(invariants[0].verdict, 'violated');
  const parked = invariants[0].violations.find(
    ({ rule }: { rule: string }) => rule === 'no message was set aside',
  );
  t.is(parked.count, 9);
  t.is(parked.examples.length, 5);
  t.regex(told.text, /no message was set aside: broken 9 times\n(?: {4}\{.*\n){5}(?! {4})/);
});

test.serial('an auditor checks what the views carry, and is told of the rest', async (t) => {
  const { sql, neighbours } = world;
  await sql`create role auditor login in role paddock_audit`;
  const url = new URL(neighbours.databaseUrl);
  url.username = 'auditor';
  url.password = '';
  const { code, text } = await verified(url.href);
  await sql`drop role auditor`;

  t.is(code, 0, text);
  for (const id of ['01', '05', '11', '12', '15', '16', '18', '31', '33', '35', '37', '44', '48']) {
    t.regex(text, new RegExp(`^INV-${id}  holds `, 'm'), text);
  }
  t.regex(text, /^INV-49 {2}not checkable here .*7 of 7 checks|^INV-49 {2}not checkable here/m);
  t.regex(text, /need more than this login may read/);
});

test.serial('nobody waits for the check while races are run, and it writes nothing', async (t) => {
  t.timeout(300_000);
  const { sql, neighbours } = world;
  const before = await completions(sql);
  let isOver = false;
  const playing = season.playDay(days).finally(() => {
    isOver = true;
  });
  const held = new Set<string>();
  let blocked = 0;
  const told: string[] = [];
  const watching = (async () => {
    while (!isOver) {
      const rows = await sql<{ mode: string; blocked: number }[]>`
        select distinct l.mode, (
          select count(*)::int from pg_stat_activity w
          where l.pid = any(pg_blocking_pids(w.pid))) as blocked
        from pg_stat_activity a
        join pg_locks l on l.pid = a.pid
        where a.application_name = 'paddock verify' and l.locktype = 'relation'`;
      for (const row of rows) {
        held.add(row.mode);
        blocked += row.blocked;
      }
    }
  })();
  while (!isOver) {
    told.push((await verified(neighbours.databaseUrl)).text);
  }
  await Promise.all([playing, watching]);

  t.true(told.length > 0);
  // After a leap of the simulated clock much is late for a moment, and nothing else is wrong.
  const broken = told.flatMap(
    (text) => text.match(/^INV-\d\d {2}(?:violated|unfinished).*/gm) ?? [],
  );
  t.deepEqual(
    broken.filter((line) => !/^INV-(?:07|30|47) /.test(line)),
    [],
    told.join('\n'),
  );
  t.true((await completions(sql)) > before, 'runs were completed meanwhile');
  t.is(blocked, 0);
  t.deepEqual([...held], ['AccessShareLock']);
});

async function completions(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from evaluation_run where completed_at is not null`;
  return row?.count ?? 0;
}

test.serial('a database that is none of ours is named in one sentence', async (t) => {
  const url = new URL(world.neighbours.databaseUrl);
  url.pathname = '/template1';
  await t.throwsAsync(verified(url.href), {
    instanceOf: LiveUnreadable,
    message: /no schema audit/,
  });
  url.port = '1';
  await t.throwsAsync(verified(url.href), {
    instanceOf: LiveUnreadable,
    message: /cannot be read/,
  });
  const own = createSql({ url: world.neighbours.databaseUrl, applicationName: 'test', max: 1 });
  t.teardown(() => closeSql(own));
  // A change of the schema is under way: the check gives up instead of queueing behind it.
  await inVain(own, async (tx) => {
    await tx`lock table race_pin_change in access exclusive mode`;
    const { code, text } = await verified(world.neighbours.databaseUrl, '--only', 'INV-27');
    t.is(code, 2);
    t.regex(text, /unfinished .*out of time/);
  });
});

// The last one, for it throws everybody out of the database.
test.serial('a restored backup is held to everything but what needs processes', async (t) => {
  const copy = await restoredCopy();

  const live = await verified(copy.href);
  const backup = await verified(copy.href, '--backup');
  const sql = createSql({ url: copy.href, applicationName: 'test', max: 1 });
  t.teardown(() => closeSql(sql));
  await sql`
    insert into rt.poison (msg_id, subject, headers, body, error, at)
    values ('planted', 'evt', '{}', '', 'it fails', now())`;
  const planted = await verified(copy.href, '--backup');

  t.is(live.code, 1);
  t.regex(live.text, /^INV-47 {2}violated/m);
  t.is(backup.code, 0, backup.text);
  t.regex(backup.text, /^INV-47 {2}holds .*2 of 3 checks left out: they need processes at work/m);
  t.regex(backup.text, /^INV-30 {2}holds .*1 of 2 checks left out/m);
  t.is(planted.code, 1);
  t.regex(planted.text, /no message was set aside: broken 1 times/);
});
