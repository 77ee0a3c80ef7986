import test, { type ExecutionContext } from 'ava';
import { hourMs, minuteMs, openRaceDesk, type RaceDesk, startMs } from '../../support/race-desk.ts';
import {
  facts,
  raceAt,
  races,
  seedSuite,
  seedVersion,
  switchTo,
} from '../../support/race-seeds.ts';

test('activating a suite opens its first race, until the next noon in Los Angeles', async (t) => {
  const desk = await openRaceDesk(t);
  const suiteId = await seedSuite(desk.sql);
  await desk.send('suite-activated', { suiteId });
  const [race, ...others] = await races(desk.sql);
  t.like(race, { suiteId, raceNumber: 1, status: 'QUALIFYING_OPEN' });
  t.is(race?.closesAtMs, startMs + hourMs);
  t.is(desk.nextDueMs(), startMs + hourMs);
  t.deepEqual(others, []);
  t.deepEqual(await facts(desk.sql), ['race-opened']);
});

test('a repeated or late activation opens no second race', async (t) => {
  const desk = await openRaceDesk(t);
  const suiteId = await seedSuite(desk.sql);
  const first = await desk.send('suite-activated', { suiteId }, { id: 'm1' });
  t.is(first.outcome?.kind, 'committed');
  await desk.takeOver();
  await desk.send('suite-activated', { suiteId }, { id: 'm1' });
  await desk.send('suite-activated', { suiteId: 4 });
  t.is((await races(desk.sql)).length, 1);
});

test('a suite that was active before anybody ran races gets one without a message', async (t) => {
  const desk = await openRaceDesk(t);
  await seedSuite(desk.sql);
  await desk.takeOver();
  await desk.send('hotkey-banned', { hotkey: 'nobody', atMs: desk.nowMs });
  t.deepEqual(await desk.tick(), ['suites-due']);
  t.is((await raceAt(desk.sql, 1)).status, 'QUALIFYING_OPEN');
});

test('a race opens under the latest policy, and its suite follows', async (t) => {
  const desk = await openRaceDesk(t);
  const suiteId = await seedSuite(desk.sql);
  const overrides = { qualifyingThreshold: '0.6000', requiredSuccesses: 3 };
  await desk.sql`
    insert into race_policy (policy_version, overrides, actor, created_at)
    values (4, ${JSON.stringify(overrides)}::text::jsonb, 'test', now())`;
  await desk.send('suite-activated', { suiteId });
  const [row] = await desk.sql`
    select r.policy_version as version, r.policy ->> 'requiredSuccesses' as successes,
           s.qualifying_threshold as threshold, s.required_successes_race as race,
           s.required_successes_qualifying as qualifying
    from race r join suite s using (suite_id)`;
  t.deepEqual(
    { ...row },
    {
      version: 4,
      successes: '3',
      threshold: '0.6000',
      race: 3,
      qualifying: 2,
    },
  );
});

test('a policy that changes while a race opens is not overlooked', async (t) => {
  const desk = await openRaceDesk(t);
  const suiteId = await seedSuite(desk.sql);
  const { attempts } = await desk.send(
    'suite-activated',
    { suiteId },
    {
      meanwhile: () => desk.sql`
      insert into race_policy (policy_version, overrides, actor, created_at)
      values (1, '{"raceTasks": 5}', 'test', now())`,
    },
  );
  t.is(attempts, 2);
  const [row] = await desk.sql`select policy ->> 'raceTasks' as tasks from race`;
  t.is(row?.['tasks'], '5');
});

test('nobody to race cancels the race and opens the next one', async (t) => {
  const desk = await openRaceDesk(t);
  const suiteId = await seedSuite(desk.sql);
  await seedVersion(desk.sql, { hotkey: 'low', score: '0.5499' });
  await desk.send('suite-activated', { suiteId });
  desk.nowMs = startMs + hourMs;
  t.deepEqual(await desk.tick(), ['close-due']);
  const [first, second] = await races(desk.sql);
  t.like(first, { status: 'RACE_CANCELLED', cancelReason: 'NO_ENTRANT' });
  t.like(second, { raceNumber: 2, status: 'QUALIFYING_OPEN', closesAtMs: startMs + 25 * hourMs });
});

test('another suite ends the races of the first, and its own count from one', async (t) => {
  const desk = await openRaceDesk(t);
  const suiteId = await seedSuite(desk.sql);
  await desk.send('suite-activated', { suiteId });
  for (let made = 0; made < 4; made += 1) await seedSuite(desk.sql, { isActive: false });
  await switchTo(desk.sql, 5);
  await desk.send('suite-activated', { suiteId: 5 });
  t.like(await raceAt(desk.sql, 1), { status: 'RACE_CANCELLED', cancelReason: 'SUITE_SWITCHED' });
  t.like(await raceAt(desk.sql, 1, 5), { status: 'QUALIFYING_OPEN' });
  await switchTo(desk.sql, 1);
  await desk.send('suite-activated', { suiteId: 1 });
  t.like(await raceAt(desk.sql, 2), { status: 'QUALIFYING_OPEN' });
  t.like(await raceAt(desk.sql, 1, 5), { status: 'RACE_CANCELLED' });
});

// An owner that loaded while suite 5 had no race has opened that of suite 1 since: both are its own.
test('a suite that is back gets its race from whoever takes over, whatever was opened for its sake before', async (t) => {
  const desk = await openRaceDesk(t);
  for (let made = 0; made < 5; made += 1) await seedSuite(desk.sql, { isActive: false });
  await switchTo(desk.sql, 5, desk.nowMs);
  await desk.takeOver();
  await switchTo(desk.sql, 1, desk.nowMs + 1);
  t.deepEqual(await desk.tick(), ['suites-due']);
  desk.nowMs += minuteMs;
  await switchTo(desk.sql, 5, desk.nowMs);
  await desk.takeOver();
  t.deepEqual(await desk.tick(), ['suites-due']);
  t.like(await raceAt(desk.sql, 1, 5), { status: 'QUALIFYING_OPEN' });
});

/** Suite 1 was switched away and is back, half an hour after its race opened; nobody was told yet. */
async function switchedAndBack(t: ExecutionContext): Promise<RaceDesk> {
  const desk = await openRaceDesk(t);
  const suiteId = await seedSuite(desk.sql);
  await seedVersion(desk.sql, { hotkey: 'a', score: '0.6' });
  await desk.send('suite-activated', { suiteId });
  for (let made = 0; made < 4; made += 1) await seedSuite(desk.sql, { isActive: false });
  desk.nowMs = startMs + hourMs / 2;
  await switchTo(desk.sql, 5, desk.nowMs - 10);
  await switchTo(desk.sql, suiteId, desk.nowMs);
  return desk;
}

for (const news of [[5, 1], [1, 5], [1]]) {
  test(`a suite that is back before its owner hears of it has another race: ${news}`, async (t) => {
    const desk = await switchedAndBack(t);
    for (const suiteId of news) await desk.send('suite-activated', { suiteId });
    t.like(await raceAt(desk.sql, 1), { status: 'RACE_CANCELLED', cancelReason: 'SUITE_SWITCHED' });
    t.like(await raceAt(desk.sql, 2), { status: 'QUALIFYING_OPEN' });
    t.is((await races(desk.sql)).length, 2);
  });
}

test('a race of before the switch does not close where the news of it is late', async (t) => {
  const desk = await switchedAndBack(t);
  desk.nowMs = startMs + hourMs;
  t.deepEqual(await desk.tick(), ['close-due']);
  t.like(await raceAt(desk.sql, 1), { status: 'RACE_CANCELLED', cancelReason: 'SUITE_SWITCHED' });
  t.like(await raceAt(desk.sql, 2), { closesAtMs: startMs + 25 * hourMs });
});

// Its clock is a little late: by it the race would be older than the order that opened it.
test('a race opens no sooner than its suite was activated', async (t) => {
  const desk = await openRaceDesk(t);
  const suiteId = await seedSuite(desk.sql);
  await switchTo(desk.sql, suiteId, startMs + 20);
  await desk.send('suite-activated', { suiteId });
  const [race] = await desk.sql`select rt.milliseconds(opened_at)::float8 as at from race`;
  t.is(race?.['at'], startMs + 20);
});
