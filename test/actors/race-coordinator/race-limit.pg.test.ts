import test from 'ava';
import { raceChecks } from '../../../apps/verify/live/checks/races.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { raceViolations } from '../../support/race-checks.ts';
import { hourMs } from '../../support/race-desk.ts';
import { ban, raceAt, seedVersion } from '../../support/race-seeds.ts';
import {
  auditOrder,
  type MeasuredDesk,
  measuredDesk,
  sendOrder,
} from '../../support/sent-orders.ts';

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

async function sendBan(sql: Sql, hotkey: string) {
  return await sendOrder(sql, { type: 'hotkey-banned', body: { hotkey } });
}

async function auditBan(sql: Sql, hotkey: string, atMs: number): Promise<void> {
  await auditOrder(sql, { action: 'hotkey.ban', object: `hotkey/${hotkey}`, atMs });
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
  // Told to those who own races, and to a partition that has no run of it.
  for (const [kind, part] of [
    ['race', 0],
    ['eval', 1],
  ] as const) {
    await sendOrder(sql, { kind, part, type: 'hotkey-banned', body: { hotkey: 'validator-0' } });
  }
  await ban(sql, 'bystander');
  await sql`
    update rt.outbox set msg_id = 'other', body = '{"hotkey": "bystander"}' where msg_id = 'svc:hotkey-banned:eval:0'`;
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
  await sql`update race set completed_at = deadline_at + interval '12 minutes 11 seconds'`;
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

/** What an operator may order about a race while it runs, as the log of orders has it. */
const orders: readonly (readonly [string, (desk: MeasuredDesk) => string])[] = [
  ['hotkey.ban', () => 'hotkey/validator-0'],
  ['race.cancel', ({ raceId }) => `race/${raceId}`],
  ['run.exclude', ({ evalRunId }) => `evaluation-run/${evalRunId}`],
  ['run.include', ({ evalRunId }) => `evaluation-run/${evalRunId}`],
  ['version.discard', ({ versionIds }) => `agent-version/${versionIds[0]}`],
  ['version.reinstate', ({ versionIds }) => `agent-version/${versionIds[0]}`],
];

/** As the live check sees it: the race does not end, so long after its limit. */
async function isLate(sql: Sql, lateMs: number): Promise<boolean> {
  await sql`
    update race set started_at = rt.clock() - interval '1 hour',
      deadline_at = rt.clock() - ${lateMs} * interval '1 millisecond'`;
  const standing = raceChecks.find(({ id, needsProcesses }) => id === 'INV-30' && needsProcesses);
  return (await standing?.find(sql))?.length === 1;
}

/** While it runs. */
const halfAnHourAgo = () => Date.now() - 1_800_000;

test('a race that does not end is late after a minute', async (t) => {
  const { sql, raceId, evalRunId } = await measuredDesk(t);
  t.true(await isLate(sql, 71_000));
  const atMs = halfAnHourAgo();
  await auditOrder(sql, { action: 'race.start', object: `race/${raceId}`, atMs });
  await auditOrder(sql, { action: 'race.cancel', object: `race/${evalRunId}`, atMs });
  t.true(await isLate(sql, 71_000));
});

for (const [action, objectOf] of orders) {
  test(`a race that does not end is late after twelve minutes where an operator ordered ${action}`, async (t) => {
    const measured = await measuredDesk(t);
    const { sql } = measured;
    await auditOrder(sql, { action, object: objectOf(measured), atMs: halfAnHourAgo() });
    t.false(await isLate(sql, 729_000));
    t.true(await isLate(sql, 731_000));
  });
}

test('a race may be as late where an operator discarded who reigned while it ran, though it did not race', async (t) => {
  const { sql, raceId } = await measuredDesk(t);
  const topId = await seedVersion(sql, { hotkey: 'a' });
  const atMs = halfAnHourAgo();
  const reigned = async (fromMs: number, untilMs: number | null) => {
    await sql`delete from top_agent`;
    await sql`
      insert into top_agent (top_id, suite_id, agent_version_id, miner_hotkey, race_id, score, top_at,
        ended_at, end_reason)
      values (gen_random_uuid(), 1, ${topId}, 'a', ${raceId}, 0.5, ${new Date(fromMs)},
        ${untilMs === null ? null : new Date(untilMs)}, ${untilMs === null ? null : 'OUTRANKED'})`;
  };
  await auditOrder(sql, { action: 'version.discard', object: `agent-version/${topId}`, atMs });
  t.true(await isLate(sql, 71_000));
  await reigned(atMs - 8 * hourMs, atMs - 7 * hourMs);
  t.true(await isLate(sql, 71_000));
  for (const untilMs of [null, atMs + 1_000]) {
    await reigned(atMs - 8 * hourMs, untilMs);
    t.false(await isLate(sql, 729_000));
    t.true(await isLate(sql, 731_000));
  }
});
