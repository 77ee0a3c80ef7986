import test, { type ExecutionContext } from 'ava';
import { raceChecks } from '../../../apps/verify/live/checks/races.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { openRaceDesk } from '../../support/race-desk.ts';
import {
  ban,
  raceAt,
  runToStart,
  seedSuite,
  seedVersion,
  seedWork,
} from '../../support/race-seeds.ts';

/** A race that runs, whose two entrants have all the successes that they need. */
async function measuredDesk(t: ExecutionContext) {
  const desk = await openRaceDesk(t);
  const { sql } = desk;
  await seedSuite(sql);
  const versions = [
    await seedVersion(sql, { hotkey: 'a' }),
    await seedVersion(sql, { hotkey: 'b' }),
  ];
  const raceId = await runToStart(desk);
  for (const id of versions) await seedWork(sql, raceId, id, { micro: [500_000, 500_000] });
  return { desk, raceId, sql };
}

// At the limit, as before it: what is decided then is never decided again.
test('a ban that no eval partition has heard of holds the end of a race off for a minute at most', async (t) => {
  const { desk, raceId, sql } = await measuredDesk(t);
  await ban(sql, 'validator-0');
  desk.nowMs = desk.nextDueMs() ?? 0;
  await desk.send('complete-due', { raceId });
  t.is((await raceAt(sql, 1)).status, 'RACE_RUNNING');
  desk.nowMs += 59_999;
  await desk.send('complete-due', { raceId });
  t.is((await raceAt(sql, 1)).status, 'RACE_RUNNING');
  // As late as a tick may be.
  desk.nowMs += 51;
  t.deepEqual(await desk.tick(), ['complete-due']);
  t.is((await raceAt(sql, 1)).status, 'RACE_COMPLETE');
  t.deepEqual(await lateRaces(sql), []);
});

/** What `npm run verify -- --live` says against it, but for what only processes keep up with. */
async function lateRaces(sql: Sql): Promise<readonly object[]> {
  const checks = raceChecks.filter(({ id, needsProcesses }) => id === 'INV-30' && !needsProcesses);
  return (await Promise.all(checks.map(({ find }) => find(sql)))).flat();
}

/** As an operator's ban sends it to the partition of these runs; a proof says that it was taken, or parked. */
async function sendBan(sql: Sql, hotkey: string): Promise<{ readonly take: () => Promise<void> }> {
  await sql`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
      headers, body, at, next_at)
    values ('svc', 0, 'ban', 'evt.eval.0.hotkey-banned', 'eval', 0, 'evt', '{}',
      jsonb_build_object('hotkey', ${hotkey}::text), rt.clock(), rt.clock())`;
  return {
    take: async () => {
      await sql`
        insert into rt.inbox (kind, part, consumer, msg_id, at)
        values ('eval', 0, 'evt', 'ban', rt.clock())`;
    },
  };
}

test('a ban that is on its way holds the end of a race off for longer, and not for ever', async (t) => {
  const { desk, raceId, sql } = await measuredDesk(t);
  await ban(sql, 'validator-0');
  await sendBan(sql, 'validator-0');
  const deadlineMs = desk.nextDueMs() ?? 0;
  for (const lateMs of [60_051, 599_999]) {
    desk.nowMs = deadlineMs + lateMs;
    await desk.send('complete-due', { raceId });
    t.is((await raceAt(sql, 1)).status, 'RACE_RUNNING', `${lateMs} ms late`);
  }
  desk.nowMs = deadlineMs + 600_051;
  t.deepEqual(await desk.tick(), ['complete-due']);
  t.is((await raceAt(sql, 1)).status, 'RACE_COMPLETE');
  t.deepEqual(await lateRaces(sql), []);
});

test('a ban that was parked, or is of others, holds the end of a race off no longer', async (t) => {
  const { desk, raceId, sql } = await measuredDesk(t);
  await ban(sql, 'validator-0');
  const { take } = await sendBan(sql, 'validator-0');
  desk.nowMs = (desk.nextDueMs() ?? 0) + 60_051;
  await desk.send('complete-due', { raceId });
  t.is((await raceAt(sql, 1)).status, 'RACE_RUNNING');
  await take();
  await ban(sql, 'bystander');
  await sql`
    update rt.outbox set msg_id = 'other', body = '{"hotkey": "bystander"}' where msg_id = 'ban'`;
  t.deepEqual(await desk.tick(), ['complete-due']);
  t.is((await raceAt(sql, 1)).status, 'RACE_COMPLETE');
});

test('a race that waits for the end of a reign after it waited for a ban breaks no rule', async (t) => {
  const { desk, raceId, sql } = await measuredDesk(t);
  desk.nowMs = (desk.nextDueMs() ?? 0) + 659_999;
  await desk.send('complete-due', { raceId });
  t.deepEqual(await lateRaces(sql), []);
  await sql`update race set completed_at = deadline_at + interval '11 minutes 6 seconds'`;
  t.is((await lateRaces(sql)).length, 1);
});
