import test from 'ava';
import { readOptions } from '../../apps/verify/options.ts';
import { verify } from '../../apps/verify/verify.ts';
import { terminal } from '../../apps/world/terminal.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { raceViolations } from '../support/race-checks.ts';
import { RaceSeason } from '../support/race-season.ts';
import { type ServiceWorld, startServiceWorld } from '../support/service-world.ts';
import { until } from '../support/until.ts';

const days = 4;
const hourMs = 3_600_000;
const bundleMs = 30_000;

let world: ServiceWorld;
test.before(async () => {
  world = await startServiceWorld({
    edges: 1,
    coordinators: 2,
    env: { CLOCK: 'simulated', RACE_TASKS: '6', QUALIFYING_THRESHOLD: '0.25', BURN_RATE: '0.01' },
  });
});
test.after.always(() => world?.[Symbol.asyncDispose]());

async function verified(raceId: string) {
  const [url = ''] = world.service.baseUrls;
  const options = readOptions(['--race', raceId, '--url', url]);
  if (options === undefined || 'audit' in options || 'live' in options)
    throw new Error('no options');
  let text = '';
  const stream = { write: (more: string) => (text += more) };
  const said = terminal({ stream, isStyled: false });
  return { isSame: await verify({ options, terminal: said, clock: systemClock }), text };
}

// Over more races than the window has, with a top that defends itself.
test('every race of some days is computed again from what the service publishes', async (t) => {
  t.timeout(300_000);
  const season = new RaceSeason(world, {
    ...{ miners: 10, validators: 4, seed: 1, taskCount: 12, qualifyingCount: 4 },
    hasFaults: false,
  });
  await season.start();
  const raceIds: string[] = [];
  for (let day = 0; day < days; day += 1) {
    const race = await season.playDay(day);
    t.is(race.status, 'RACE_COMPLETE');
    raceIds.push(race.race_id);
  }
  await season.time.advanceTo(season.time.nowMs() + 7 * hourMs);
  await until(async () => {
    const [row] = await world.sql<{ count: number }[]>`
      select count(*)::int as count from race_bundle`;
    return row?.count === days;
  }, bundleMs);

  for (const raceId of raceIds) {
    t.deepEqual(await raceViolations(world.sql, raceId), []);
    const { isSame, text } = await verified(raceId);
    t.true(isSame, text);
    t.log(text);
  }
});
