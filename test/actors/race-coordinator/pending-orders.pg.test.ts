import test from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { hourMs, startMs } from '../../support/race-desk.ts';
import { ban, discard, facts, raceAt, seedVersion } from '../../support/race-seeds.ts';
import {
  type MeasuredDesk,
  measuredDesk,
  type SentOrder,
  sendOrder,
} from '../../support/sent-orders.ts';

const reason = 'leaked pack';

/** Each changes what the race comes to, or whether it comes to anything. */
const awaited: readonly (readonly [string, (desk: MeasuredDesk) => SentOrder])[] = [
  [
    'that cancels it',
    ({ raceId }) => ({ kind: 'race', part: 1, type: 'cancel-race', body: { raceId, reason } }),
  ],
  [
    'about a run of it that counts',
    ({ evalRunId }) => ({ type: 'exclude-run', body: { evalRunId } }),
  ],
  [
    'about a run of it that does not',
    ({ evalRunId }) => ({ type: 'include-run', body: { evalRunId } }),
  ],
  [
    'that discards an entrant',
    ({ versionIds: [agentVersionId] }) => ({ type: 'discard-version', body: { agentVersionId } }),
  ],
  [
    'that takes the discard of an entrant back',
    ({ versionIds: [agentVersionId] }) => ({ type: 'reinstate-version', body: { agentVersionId } }),
  ],
];

for (const [what, orderOf] of awaited) {
  test(`a race whose work is done does not overtake an order ${what}`, async (t) => {
    const measured = await measuredDesk(t);
    const { desk, sql } = measured;
    const { take } = await sendOrder(sql, orderOf(measured));
    desk.nowMs += 5_000;
    await desk.takeOver();
    await desk.tick();
    t.is((await raceAt(sql, 1)).status, 'RACE_RUNNING');
    await take();
    desk.nowMs += 2_000;
    await desk.tick();
    t.is((await raceAt(sql, 1)).status, 'RACE_COMPLETE');
  });

  test(`nor does one whose limit is over, for ten minutes: an order ${what}`, async (t) => {
    const measured = await measuredDesk(t);
    const { desk, deadlineMs, raceId, sql } = measured;
    await sendOrder(sql, orderOf(measured));
    for (const lateMs of [0, 599_999]) {
      desk.nowMs = deadlineMs + lateMs;
      await desk.send('complete-due', { raceId });
      t.is((await raceAt(sql, 1)).status, 'RACE_RUNNING', `${lateMs} ms late`);
    }
    desk.nowMs = deadlineMs + 600_051;
    t.deepEqual(await desk.tick(), ['complete-due']);
    t.is((await raceAt(sql, 1)).status, 'RACE_COMPLETE');
  });
}

test('a cancellation that was on its way is carried out, and the race promotes nobody', async (t) => {
  const { desk, deadlineMs, raceId, sql } = await measuredDesk(t);
  const order = { raceId, reason };
  await sendOrder(sql, { kind: 'race', part: 1, type: 'cancel-race', body: order });
  desk.nowMs = deadlineMs + 5_000;
  await desk.takeOver();
  await desk.send('complete-due', { raceId });
  t.like(await desk.send('cancel-race', order), { reply: { kind: 'ok' } });
  t.like(await raceAt(sql, 1), {
    status: 'RACE_CANCELLED',
    cancelReason: reason,
    promotedId: null,
  });
  t.false((await facts(sql)).includes('race-completed'));
});

// It does not race itself, since its miner's newer version does. It is what the winner is measured by all the same.
test('a race does not overtake the discard of a top that another version races for', async (t) => {
  const { desk, sql, raceId, versionIds, deadlineMs } = await measuredDesk(t);
  const [entrantId] = versionIds;
  const topId = await seedVersion(sql, { hotkey: 'a' });
  await sql`
    insert into top_agent (top_id, suite_id, agent_version_id, miner_hotkey, race_id, score, top_at)
    values (gen_random_uuid(), 1, ${topId}, 'a', ${raceId}, 0.5, ${new Date(startMs - hourMs)})`;
  await sendOrder(sql, { type: 'discard-version', body: { agentVersionId: topId } });
  await desk.send('look-at-work', { raceId });
  desk.nowMs = deadlineMs + 599_999;
  await desk.send('complete-due', { raceId });
  t.is((await raceAt(sql, 1)).status, 'RACE_RUNNING');
  await discard(sql, topId);
  await desk.send('version-discarded', { agentVersionId: topId, atMs: desk.nowMs });
  await sql`
    insert into rt.inbox (kind, part, consumer, msg_id, at)
    select target_kind, target_part, target_consumer, msg_id, rt.clock() from rt.outbox
    where kind = 'svc'`;
  await desk.send('complete-due', { raceId });
  t.like(await raceAt(sql, 1), { status: 'RACE_COMPLETE', promotedId: entrantId });
});

test('an order that came between the look and the end is not overtaken either', async (t) => {
  const measured = await measuredDesk(t);
  const { desk, raceId, sql, evalRunId } = measured;
  const meanwhile = () => sendOrder(sql, { type: 'exclude-run', body: { evalRunId } });
  const { attempts } = await desk.send('look-at-work', { raceId }, { meanwhile });
  t.is(attempts, 2);
  t.is((await raceAt(sql, 1)).status, 'RACE_RUNNING');
});

const foreign = '4f6f5a0e-53a7-4a53-9f2c-54a4c1b0a001';

/** None of them changes anything of the race. */
const passing: readonly (readonly [string, (desk: MeasuredDesk) => SentOrder])[] = [
  [
    'that cancels another race',
    () => ({ kind: 'race', part: 1, type: 'cancel-race', body: { raceId: foreign, reason } }),
  ],
  ['about a run of no race', () => ({ type: 'exclude-run', body: { evalRunId: foreign } })],
  [
    'about a version that does not race',
    () => ({ type: 'discard-version', body: { agentVersionId: foreign } }),
  ],
  ['that takes a run back', ({ evalRunId }) => ({ type: 'reclaim-run', body: { evalRunId } })],
  [
    'that starts it',
    ({ raceId }) => ({ kind: 'race', part: 1, type: 'start-race', body: { raceId } }),
  ],
];

for (const [what, orderOf] of passing) {
  test(`no race waits for an order ${what}`, async (t) => {
    const measured = await measuredDesk(t);
    const { desk, sql } = measured;
    await seedVersion(sql, { hotkey: 'c' });
    await sendOrder(sql, orderOf(measured));
    await desk.tick();
    t.is((await raceAt(sql, 1)).status, 'RACE_COMPLETE');
  });
}

for (const [what, awayForMs] of [
  ['as its limit passed', 60_000],
  ['for ten minutes and more past its limit', 660_000],
] as const) {
  test(`who was away ${what} gives what is on its way a minute`, async (t) => {
    const { desk, deadlineMs, raceId, sql } = await measuredDesk(t);
    await ban(sql, 'validator-0');
    await sendOrder(sql, { type: 'hotkey-banned', body: { hotkey: 'validator-0' } });
    const backMs = deadlineMs + awayForMs;
    desk.nowMs = backMs;
    await desk.takeOver();
    await desk.send('complete-due', { raceId });
    desk.nowMs = backMs + 59_999;
    await desk.send('complete-due', { raceId });
    t.is((await raceAt(sql, 1)).status, 'RACE_RUNNING');
    desk.nowMs = Math.max(backMs + 60_000, deadlineMs + 600_000);
    await desk.send('complete-due', { raceId });
    t.is((await raceAt(sql, 1)).status, 'RACE_COMPLETE');
  });
}

test('an owner that was cut off past the limit waits as if it had come back', async (t) => {
  const { desk, deadlineMs, raceId, sql, evalRunId } = await measuredDesk(t);
  await sendOrder(sql, { type: 'exclude-run', body: { evalRunId } });
  desk.nowMs = deadlineMs + 660_000;
  desk.endOutage(700_000);
  await desk.send('complete-due', { raceId });
  t.is((await raceAt(sql, 1)).status, 'RACE_RUNNING');
  desk.nowMs += 60_000;
  await desk.send('complete-due', { raceId });
  t.is((await raceAt(sql, 1)).status, 'RACE_COMPLETE');
});

/** Gives how often what a race comes to was read since it was asked last, by its owner or by its commit. */
async function countResults(sql: Sql): Promise<() => Promise<number>> {
  await sql`create sequence public.results_read`;
  await sql`alter function rt.race_results(uuid) rename to uncounted_results`;
  await sql`
    create function rt.race_results(p_race_id uuid) returns json language sql security definer as $$
      select nextval('public.results_read');
      select rt.uncounted_results(p_race_id)
    $$`;
  await sql`grant execute on function rt.race_results(uuid) to paddock_actor`;
  return async () => {
    const [row] = await sql<{ reads: number }[]>`
      select nextval('public.results_read')::int - 1 as reads`;
    await sql`alter sequence public.results_read restart`;
    return row?.reads ?? 0;
  };
}

for (const [when, type, fromLimitMs] of [
  ['at its limit', 'complete-due', 0],
  ['until ten minutes past it', 'complete-due', 599_999],
  ['before it', 'look-at-work', -60_000],
] as const) {
  test(`what a race comes to is not read while it waits for an order ${when}`, async (t) => {
    const { desk, deadlineMs, raceId, sql, evalRunId } = await measuredDesk(t);
    const { take } = await sendOrder(sql, { type: 'exclude-run', body: { evalRunId } });
    const resultsRead = await countResults(sql);
    desk.nowMs = deadlineMs + fromLimitMs;
    for (let times = 0; times < 5; times += 1) await desk.send(type, { raceId });
    t.is(await resultsRead(), 0);
    t.is((await raceAt(sql, 1)).status, 'RACE_RUNNING');
    await take();
    await desk.send(type, { raceId });
    t.is(await resultsRead(), 2, 'for the decision, and under the locks of its commit');
    t.is((await raceAt(sql, 1)).status, 'RACE_COMPLETE');
  });
}

test('what a race comes to is read once an order has held it for as long as it may', async (t) => {
  const { desk, deadlineMs, raceId, sql, evalRunId } = await measuredDesk(t);
  await sendOrder(sql, { type: 'exclude-run', body: { evalRunId } });
  const resultsRead = await countResults(sql);
  desk.nowMs = deadlineMs + 600_000;
  await desk.takeOver();
  for (const backForMs of [0, 59_999]) {
    desk.nowMs = deadlineMs + 600_000 + backForMs;
    await desk.send('complete-due', { raceId });
  }
  t.is(await resultsRead(), 0, 'whose owner is back for less than a minute');
  desk.nowMs = deadlineMs + 660_000;
  await desk.send('complete-due', { raceId });
  t.is(await resultsRead(), 2);
  t.is((await raceAt(sql, 1)).status, 'RACE_COMPLETE');
});
