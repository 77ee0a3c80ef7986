import { raceViolations } from '../../support/race-checks.ts';
import { RaceSeason } from '../../support/race-season.ts';
import { type ServiceWorld, startServiceWorld } from '../../support/service-world.ts';
import { until } from '../../support/until.ts';
import { gatherCrowd } from '../validator-crowd.ts';
import type { Question } from './asking.ts';
import { mustBeRight } from './block.ts';

export interface RacePlan {
  /** In the field of the first race, which is run to its end. */
  readonly entrants: number;
  /** In that of the second, which is only closed. */
  readonly hotkeys: number;
  /** Of a run of a race. */
  readonly tasks: number;
  readonly validators: number;
}

/** Milliseconds of the database's own clock, from when something was due to the commit that did it. */
export interface RaceFigures {
  readonly smallCloseMs: number;
  readonly largeCloseMs: number;
  readonly completionMs: number;
  /** All validators at once in a new epoch: until the last of them has its answer. */
  readonly firstStandingsMs: number;
}

/** What may be asked again and again of a service that has completed a race. */
export interface Standings {
  readonly world: ServiceWorld;
  readonly questions: readonly Question[];
  /** The same for every validator. */
  readonly body: string;
}

const qualifyingCount = 2;
const seed = 1;
const epochMs = 4_320_000;
const path = '/v1/validator/weight-salt';

/** @param ask measures standings, while the first race is completed and no other has ended */
export async function measureRace<T>(
  plan: RacePlan,
  ask: (standings: Standings) => Promise<T>,
): Promise<RaceFigures & { readonly asked: T }> {
  const { entrants, hotkeys, tasks, validators } = plan;
  await using world = await startServiceWorld({
    ...{ edges: 1, coordinators: 1 },
    env: {
      ...{ CLOCK: 'simulated', RACE_TASKS: String(tasks), SESSION_SECONDS: '2592000' },
      ...{ QUALIFYING_THRESHOLD: '0', REQUIRED_SUCCESSES_QUALIFYING: '1' },
      // The field of the first race is part of the second one's.
      ELIMINATION_SHARE: '0',
    },
  });
  const season = new RaceSeason(world, {
    ...{ miners: hotkeys, validators, seed, qualifyingCount, hasFaults: false },
    taskCount: qualifyingCount + tasks,
  });
  await season.start();
  const stage = { world, season };
  const smallCloseMs = await close(stage, { from: 0, to: entrants });
  const completionMs = await finish(stage);
  const { firstStandingsMs, ...standings } = await newEpoch(stage, validators);
  const asked = await ask({ world, ...standings });
  const largeCloseMs = await close(stage, { from: entrants, to: hotkeys });
  mustBeRight(season.history.troubles);
  return { smallCloseMs, largeCloseMs, completionMs, firstStandingsMs, asked };
}

interface Stage {
  readonly world: ServiceWorld;
  readonly season: RaceSeason;
}

/** These miners come to the field, and the open race closes. */
async function close(
  { world, season }: Stage,
  miners: { readonly from: number; readonly to: number },
): Promise<number> {
  const race = await season.currentRace();
  if (race === null) throw new Error('no race is open');
  await season.submitOf(miners);
  await season.drain('QUALIFYING');
  // The last stretch flows, so that the close finds an idle service and not a clock that is moved.
  await season.time.advanceTo(Date.parse(race.qualifying_closes_at) - 1_000);
  await season.untilRace(race.race_id, (status) => status === 'RACE_RUNNING');
  const entrants = await entrantsOf(world, race.race_id);
  mustBeRight(entrants === miners.to ? [] : [`${entrants} of ${miners.to} entered the race`]);
  const [row] = await world.sql<{ ms: number }[]>`
    select (extract(epoch from e.at - r.qualifying_closes_at) * 1000)::float8 as ms
    from rt.event e join race r on r.race_id::text = e.key
    where e.machine = 'race' and e.type = 'QUALIFYING_CLOSED' and e.key = ${race.race_id}`;
  return row?.ms ?? Number.NaN;
}

/** Runs the race that is under way; from its last completion to the commit that completed it. */
async function finish({ world, season }: Stage): Promise<number> {
  const [running] = await world.sql<{ id: string }[]>`
    select race_id as id from race where status = 'RACE_RUNNING'`;
  const id = running?.id ?? '';
  await until(async () => {
    const opened = await world.sql`select 1 from work_item where race_id = ${id}`;
    return opened.length === (await entrantsOf(world, id));
  });
  await season.drain('RACE');
  await season.untilRace(id, (status) => status === 'RACE_COMPLETE');
  mustBeRight((await raceViolations(world.sql, id)).slice(0, 3));
  const [row] = await world.sql<{ ms: number }[]>`
    select (extract(epoch from (
      select at from rt.event where machine = 'race' and type = 'RACE_COMPLETED' and key = ${id}
    ) - (
      select max(e.at) from rt.event e join evaluation_run r on r.eval_run_id::text = e.key
      where e.machine = 'evaluation-run' and e.type = 'SUCCEEDED' and r.race_id = ${id}
    )) * 1000)::float8 as ms`;
  return row?.ms ?? Number.NaN;
}

async function entrantsOf({ sql }: ServiceWorld, id: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from race_entrant where race_id = ${id}`;
  return row?.count ?? 0;
}

/** The first to ask makes the standings; everybody is told the same bytes. */
async function newEpoch({ world, season }: Stage, validators: number) {
  const { baseUrls } = world.service;
  const members = await gatherCrowd({ baseUrls, validators, seed });
  await season.time.advanceTo(season.time.nowMs() + epochMs);
  const startedMs = performance.now();
  const bodies = await Promise.all(
    members.map(async ({ bearer }) => {
      const headers = { authorization: `Bearer ${bearer}` };
      return await (await fetch(baseUrls[0] + path, { headers })).text();
    }),
  );
  const firstStandingsMs = performance.now() - startedMs;
  const [body = ''] = bodies;
  const isSame = bodies.every((each) => each === body) && body.includes('"eligible":true');
  mustBeRight(isSame ? [] : ['validators were told different standings in one epoch']);
  const questions = members.map(({ bearer }) => ({
    ...{ method: 'GET', path, head: `authorization: Bearer ${bearer}\r\n` },
  }));
  return { firstStandingsMs, questions, body };
}
