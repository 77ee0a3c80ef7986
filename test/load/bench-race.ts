/**
 * `npm run bench:race`: what the end of qualifying, the end of a race and a new epoch cost. Every
 * entrant was really submitted and evaluated through HTTP; times are the database's own, from the
 * moment that something was due to the commit that did it.
 */

import { signedClient } from '../../apps/world/participants/signed-client.ts';
import { benchRaceCommand } from '../commands/bench-commands.ts';
import { lineOf } from '../commands/command-line.ts';
import { inParallel } from '../support/in-parallel.ts';
import { raceViolations } from '../support/race-checks.ts';
import { RaceSeason } from '../support/race-season.ts';
import { registerKeys, startServiceWorld } from '../support/service-world.ts';
import { until } from '../support/until.ts';
import { probeFsync } from './fsync-probe.ts';
import { percentile } from './percentile.ts';

const values = lineOf(benchRaceCommand);
const { hotkeys, entrants, validators, tasks: raceTasks } = values;
const qualifyingCount = 2;
const seed = 1;
const epochMs = 4_320_000;

const say = (text: string) => console.log(text);

await using world = await startServiceWorld({
  edges: 1,
  coordinators: 1,
  env: {
    CLOCK: 'simulated',
    RACE_TASKS: String(raceTasks),
    QUALIFYING_THRESHOLD: '0',
    REQUIRED_SUCCESSES_QUALIFYING: '1',
    // The survivors of the first race are the field of the second.
    ELIMINATION_SHARE: (1 - entrants / hotkeys).toFixed(6),
    SESSION_SECONDS: '2592000',
  },
});
const season = new RaceSeason(world, {
  ...{ miners: hotkeys, validators, seed, qualifyingCount, hasFaults: false },
  taskCount: qualifyingCount + raceTasks,
});
say(`${hotkeys} hotkeys, ${validators} validators; submitting and qualifying takes a while …`);
await season.start();
const closeMs = await firstClose();
const largeMs = await finish();
const secondCloseMs = await nextClose();
const wantedMs = await finish();
const weights = await measureStandings();
const fsync = await probeFsync(world.dataDir);

say('');
line(`close, field of ${hotkeys} hotkeys`, `${closeMs.toFixed(0)} ms`);
line(`close, field of ${secondCloseMs.entrants} survivors`, `${secondCloseMs.ms.toFixed(0)} ms`);
line(`complete, ${hotkeys} entrants × 2 runs × ${raceTasks} tasks`, `${largeMs.ms.toFixed(0)} ms`);
line(
  `complete, ${wantedMs.entrants} entrants × 2 runs × ${raceTasks} tasks`,
  `${wantedMs.ms.toFixed(0)} ms`,
);
line(
  `first standings of an epoch, ${validators} validators at once`,
  `${weights.firstMs} ms for all`,
);
line('standings, p50', `${weights.p50Ms.toFixed(1)} ms`);
line('standings, p99', `${weights.p99Ms.toFixed(1)} ms`);
line('standings a second', String(weights.perSecond));
line('fsync p50', `${fsync.p50Ms.toFixed(2)} ms`);

async function firstClose(): Promise<number> {
  const race = await openRace();
  await season.submitOfDay(0);
  await season.drain('QUALIFYING');
  return await close(race);
}

async function nextClose() {
  const race = await openRace();
  const ms = await close(race);
  return { ms, entrants: await entrantsOf(race.id) };
}

async function openRace() {
  const race = await season.currentRace();
  if (race === null) throw new Error('no race is open');
  return { id: race.race_id, closesAt: Date.parse(race.qualifying_closes_at) };
}

async function close({ id, closesAt }: { id: string; closesAt: number }): Promise<number> {
  // The last stretch flows, so that the close finds an idle service and not a clock that is moved.
  await season.time.advanceTo(closesAt - 1_000);
  await season.untilRace(id, (status) => status === 'RACE_RUNNING');
  const [row] = await world.sql<{ ms: number }[]>`
    select (extract(epoch from e.at - r.qualifying_closes_at) * 1000)::float8 as ms
    from rt.event e join race r on r.race_id::text = e.key
    where e.machine = 'race' and e.type = 'QUALIFYING_CLOSED' and e.key = ${id}`;
  return row?.ms ?? Number.NaN;
}

/** Runs the race that is under way; from its last completion to the commit that completed it. */
async function finish() {
  const [running] = await world.sql<{ id: string }[]>`
    select race_id as id from race where status = 'RACE_RUNNING'`;
  const id = running?.id ?? '';
  await until(async () => {
    const opened = await world.sql`select 1 from work_item where race_id = ${id}`;
    return opened.length === (await entrantsOf(id));
  });
  await season.drain('RACE');
  await season.untilRace(id, (status) => status === 'RACE_COMPLETE');
  const [row] = await world.sql<{ ms: number }[]>`
    select (extract(epoch from (
      select at from rt.event where machine = 'race' and type = 'RACE_COMPLETED' and key = ${id}
    ) - (
      select max(e.at) from rt.event e join evaluation_run r on r.eval_run_id::text = e.key
      where e.machine = 'evaluation-run' and e.type = 'SUCCEEDED' and r.race_id = ${id}
    )) * 1000)::float8 as ms`;
  const wrong = await raceViolations(world.sql, id);
  if (wrong.length > 0)
    throw new Error(`the race does not add up: ${wrong.slice(0, 3).join('; ')}`);
  return { ms: row?.ms ?? Number.NaN, entrants: await entrantsOf(id) };
}

async function entrantsOf(id: string): Promise<number> {
  const [row] = await world.sql<{ count: number }[]>`
    select count(*)::integer as count from race_entrant where race_id = ${id}`;
  return row?.count ?? 0;
}

/** All validators at once, first in a new epoch, then again and again. */
async function measureStandings() {
  const keys = await registerKeys(world, 'validator', { count: validators, seed });
  const { baseUrls } = world.service;
  const { clock } = season.time;
  const clients = keys.map((keypair) =>
    signedClient({ baseUrls, keypair, scheme: 'session', clock }),
  );
  const ask = async () => {
    const latencies: number[] = [];
    const startedMs = performance.now();
    await inParallel(validators, clients, async (client) => {
      const sentMs = performance.now();
      const { status } = await client.request('GET', '/v1/validator/weight-salt');
      if (status !== 200) throw new Error(`standings were answered ${status}`);
      latencies.push(performance.now() - sentMs);
    });
    return { latencies, ms: performance.now() - startedMs };
  };
  await ask();
  await season.time.advanceTo(season.time.nowMs() + epochMs);
  const first = await ask();
  const all: number[] = [];
  let ms = 0;
  for (let round = 0; round < values.rounds; round++) {
    const { latencies, ms: roundMs } = await ask();
    all.push(...latencies);
    ms += roundMs;
  }
  const ascending = all.sort((a, b) => a - b);
  return {
    firstMs: Math.round(first.ms),
    p50Ms: percentile(ascending, 0.5),
    p99Ms: percentile(ascending, 0.99),
    perSecond: Math.round((all.length / ms) * 1000),
  };
}

function line(name: string, value: string): void {
  say(`  ${name.padEnd(52)} ${value}`);
}
