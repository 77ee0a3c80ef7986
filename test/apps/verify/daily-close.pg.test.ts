import test, { type ExecutionContext } from 'ava';
import { everyCheck } from '../../../apps/verify/live/checks/every-check.ts';
import { findingOf } from '../../../apps/verify/live/report.ts';
import type { CheckOutcome } from '../../../apps/verify/live/run-checks.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { DailyClose } from '../../../machines/time/pacific-noon.ts';
import { hourMs, openRaceDesk, type RaceDesk, startMs } from '../../support/race-desk.ts';
import { raceAt, seedSuite } from '../../support/race-seeds.ts';

const noon: DailyClose = { closeTime: '12:00', timeZone: 'America/Los_Angeles' };
const calendar = everyCheck.filter(({ id }) => id === 'INV-26');

/** What the live check finds wrong with the calendar, by the beginnings of its rules. */
async function broken(sql: Sql): Promise<readonly string[]> {
  const rules = await Promise.all(
    calendar.map(async ({ rule, find }) => ((await find(sql)).length > 0 ? [rule] : [])),
  );
  return rules.flat().map((rule) => rule.split(/ (?:of|at) /)[0] ?? rule);
}

const unjudged = async (sql: Sql) =>
  (await Promise.all(calendar.map(({ unjudged: said }) => said?.(sql)))).filter(Boolean);

/** A race is over that had no entrant, and the next one is open under another setting. */
async function changedTo(t: ExecutionContext, first: DailyClose, then = noon): Promise<RaceDesk> {
  const desk = await openRaceDesk(t);
  desk.close = first;
  await desk.takeOver();
  await desk.send('suite-activated', { suiteId: await seedSuite(desk.sql) });
  desk.close = then;
  await desk.takeOver();
  desk.nowMs = (await raceAt(desk.sql, 1)).closesAtMs;
  await desk.tick();
  return desk;
}

test('a race is judged by the daily close that it was opened under', async (t) => {
  const { sql } = await changedTo(t, { closeTime: '20:30', timeZone: 'UTC' });
  t.is((await raceAt(sql, 1)).closesAtMs, startMs + 2.5 * hourMs);
  t.is((await raceAt(sql, 2)).closesAtMs, startMs + 25 * hourMs);
  t.deepEqual(await broken(sql), []);
  t.deepEqual(await unjudged(sql), []);

  await sql`
    update race set qualifying_closes_at = qualifying_closes_at - interval '1 minute'
    where race_number = 1`;
  t.deepEqual(await broken(sql), ['qualifying closes']);
});

test('a close that the clocks leave out or repeat is where it was moved to', async (t) => {
  for (const [closeTime, openedAt, closesAt] of [
    ['02:30', '2026-03-08T09:00:00Z', '2026-03-08T10:30:00Z'],
    ['01:30', '2026-11-01T07:00:00Z', '2026-11-01T08:30:00Z'],
  ] as const) {
    const desk = await openRaceDesk(t);
    desk.nowMs = Date.parse(openedAt);
    desk.close = { ...noon, closeTime };
    await desk.takeOver();
    await desk.send('suite-activated', { suiteId: await seedSuite(desk.sql) });
    t.is((await raceAt(desk.sql, 1)).closesAtMs, Date.parse(closesAt));
    t.deepEqual(await broken(desk.sql), [], closeTime);
  }
});

test('two closes on one date are of two settings, or one too many', async (t) => {
  const { sql } = await changedTo(t, { closeTime: '11:30', timeZone: noon.timeZone });
  t.is((await raceAt(sql, 2)).closesAtMs, startMs + hourMs);
  await sql`update race set status = 'RACE_COMPLETE', completed_at = cancelled_at, cancelled_at = null,
    started_at = closed_at, cancel_reason = null where race_number = 1`;
  t.deepEqual(await broken(sql), []);

  await sql`update race set close_time = '12:00'`;
  t.true((await broken(sql)).includes('one race'));
});

test('of a race that does not say under which close it opened, only the length of a day is judged', async (t) => {
  const { sql } = await changedTo(t, { closeTime: '20:30', timeZone: 'UTC' });
  await sql`update race set close_time = null, close_zone = null where race_number = 1`;
  t.deepEqual(await broken(sql), []);
  t.deepEqual(await unjudged(sql), [
    '1 race is from before races kept their daily close: whether that was theirs, nobody can say',
  ]);

  const [note = ''] = await unjudged(sql);
  const told: CheckOutcome = {
    ...{ id: 'INV-26', rule: 'a rule', of: 'race' },
    ...{ rows: 2, ms: 1, violations: [], unjudged: note },
  };
  const finding = findingOf({ id: 'INV-26', subject: '' }, [told]);
  t.is(finding.verdict, 'holds');
  t.deepEqual(finding.notes, [note]);

  await sql`
    update race set opened_at = qualifying_closes_at - interval '27 hours' where race_number = 1`;
  t.deepEqual(await broken(sql), ['qualifying closes']);
});

test('the date of a race is that of the zone it closed in', async (t) => {
  // 03:00 of the next day in Tokyo, 11:00 of this one in Los Angeles.
  const { sql } = await changedTo(t, { closeTime: '04:00', timeZone: 'Asia/Tokyo' });
  const dates = async () => {
    const rows = await sql<{ date: string | null }[]>`
      select local_date::text as date from audit.races order by race_number`;
    return rows.map(({ date }) => date);
  };
  t.deepEqual(await dates(), ['2026-07-09', '2026-07-09']);

  // Which zone it was, nobody can say; at noon Pacific, which is what it is unless told, it was that.
  await sql`update race set close_time = null, close_zone = null`;
  await sql`
    update race set qualifying_closes_at = qualifying_closes_at + interval '1 minute'
    where race_number = 1`;
  t.deepEqual(await dates(), [null, '2026-07-09']);
});
