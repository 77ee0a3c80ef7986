import test, { type ExecutionContext } from 'ava';
import { raceChecks } from '../../../apps/verify/live/checks/races.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { raceViolations } from '../../support/race-checks.ts';
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

/** As the order of a ban leaves it behind, for good. */
async function auditBan(sql: Sql, hotkey: string, atMs: number): Promise<void> {
  await sql`
    insert into audit_log (seq, actor, action, object, detail, prev_hash, hash, committed_at)
    values (1, 'test', 'hotkey.ban', ${`hotkey/${hotkey}`}, '{}', '', '', ${new Date(atMs)})`;
}

test('a ban that is on its way holds the end of a race off for longer, and not for ever', async (t) => {
  const { desk, raceId, sql } = await measuredDesk(t);
  await ban(sql, 'validator-0');
  await auditBan(sql, 'validator-0', desk.nowMs);
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
  await auditBan(sql, 'validator-0', desk.nowMs);
  desk.nowMs = (desk.nextDueMs() ?? 0) + 664_999;
  await desk.send('complete-due', { raceId });
  t.is((await raceAt(sql, 1)).status, 'RACE_COMPLETE');
  t.deepEqual(await lateRaces(sql), []);
  await sql`update race set completed_at = deadline_at + interval '11 minutes 11 seconds'`;
  t.is((await lateRaces(sql)).length, 1);
});

for (const [what, hotkey, fromStartMs] of [
  ['while nobody is banned', undefined, 0],
  ['while somebody is banned who measured nothing of it', 'bystander', 1],
  ['while a validator of it is banned that was banned before it', 'validator-0', -120_000],
] as const) {
  test(`a race that stands still at its limit is late after a minute: ${what}`, async (t) => {
    const { desk, raceId, sql } = await measuredDesk(t);
    if (hotkey !== undefined) await auditBan(sql, hotkey, desk.nowMs + fromStartMs);
    desk.nowMs = (desk.nextDueMs() ?? 0) + 69_999;
    await desk.send('complete-due', { raceId });
    t.deepEqual(await lateRaces(sql), []);
    await sql`update race set completed_at = deadline_at + interval '71 seconds'`;
    t.is((await lateRaces(sql)).length, 1);
    t.true((await raceViolations(sql, raceId)).some((each) => each.includes('INV-30 within')));
  });
}

for (const [what, lateMs, hotkey, count] of [
  ['after a minute', 71_000, undefined, 1],
  ['not before ten minutes where a validator of it is banned', 669_000, 'validator-0', 0],
  ['after ten minutes where a validator of it is banned', 671_000, 'validator-0', 1],
] as const) {
  test(`a race that does not end is late: ${what}`, async (t) => {
    const { sql } = await measuredDesk(t);
    await sql`
      update race set started_at = rt.clock() - interval '1 hour',
        deadline_at = rt.clock() - ${lateMs} * interval '1 millisecond'`;
    if (hotkey !== undefined) await auditBan(sql, hotkey, Date.now() - 1_800_000);
    const standing = raceChecks.find(({ id, needsProcesses }) => id === 'INV-30' && needsProcesses);
    t.is((await standing?.find(sql))?.length, count);
  });
}
