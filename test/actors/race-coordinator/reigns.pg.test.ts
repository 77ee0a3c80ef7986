import test, { type ExecutionContext } from 'ava';
import { reignBefore } from '../../../actors/services/bundles/store.ts';
import { hourMs, minuteMs, openRaceDesk, type RaceDesk } from '../../support/race-desk.ts';
import {
  ban,
  discard,
  facts,
  raceAt,
  runToEnd,
  runToStart,
  seedSuite,
  seedVersion,
  seedWork,
  switchTo,
  type Work,
} from '../../support/race-seeds.ts';

const success = (micro: number): Work => ({ micro: [micro, micro] });

/** A desk after the first race: `a` is top and `b` survived. */
async function reignedDesk(t: ExecutionContext) {
  const desk = await openRaceDesk(t);
  await seedSuite(desk.sql);
  await desk.sql`
    insert into race_policy (policy_version, overrides, actor, created_at)
    values (1, '{"eliminationShareMicro": 0}', 'test', now())`;
  const a = await seedVersion(desk.sql, { hotkey: 'a' });
  const b = await seedVersion(desk.sql, { hotkey: 'b' });
  await nextRace(desk, 1, { [a]: 500_000, [b]: 490_000 });
  return { desk, sql: desk.sql, a, b };
}

async function nextRace(desk: RaceDesk, raceNumber: number, scores: Record<string, number>) {
  const raceId = await runToStart(desk, raceNumber);
  const work = Object.entries(scores).map(([id, micro]) => [id, success(micro)] as const);
  await runToEnd(desk, raceId, new Map(work));
}

async function reigns({ sql }: RaceDesk) {
  const rows = await sql`
    select agent_version_id as id, score::text, end_reason as "endReason",
           ended_at is not null as "isOver"
    from top_agent order by top_at`;
  return rows.map((row) => ({ ...row }));
}

test('a top that raced is measured by its new Overall and keeps its day', async (t) => {
  const { desk, sql, a, b } = await reignedDesk(t);
  const [before] = await sql`select score::text, top_at as at from top_agent`;
  await nextRace(desk, 2, { [a]: 600_000, [b]: 590_000 });
  const [after] = await sql`select score::text, top_at as at from top_agent`;
  t.deepEqual(after?.['at'], before?.['at']);
  t.not(after?.['score'], before?.['score']);
  const [race] = await sql`
    select weighted_score::text as shown, challenged_score::text as challenged, margin::text
    from race join race_entrant e using (race_id)
    where race_number = 2 and e.agent_version_id = ${a}`;
  t.is(race?.['challenged'], after?.['score']);
  t.is(race?.['shown'], after?.['score']);
  // 0.01 × 2^(−1 d ÷ 10 d), nearly.
  t.is(race?.['margin'], '0.0093');
  t.is((await raceAt(sql, 2)).promotedId, null);
});

test('a challenger that clears the margin ends the reign and begins its own', async (t) => {
  const { desk, sql, a, b } = await reignedDesk(t);
  await nextRace(desk, 2, { [a]: 300_000, [b]: 600_000 });
  t.is((await raceAt(sql, 2)).promotedId, b);
  const [first, second] = await reigns(desk);
  t.like(first, { id: a, endReason: 'OUTRANKED', isOver: true });
  t.like(second, { id: b, endReason: null, isOver: false });
  const [gap] = await sql`
    select 1 from top_agent x join top_agent y on y.top_at = x.ended_at where x.top_id <> y.top_id`;
  t.truthy(gap);
  const seats = await sql<{ seat: string; id: string }[]>`
    select seat, agent_version_id as id from race_emission join race using (race_id)
    where race_number = 2 and seat = 'TOP'`;
  t.deepEqual([...seats], [{ seat: 'TOP', id: b }]);
});

test('a top that raced leaves with what it has just shown, at which it was beaten', async (t) => {
  const { desk, sql, a, b } = await reignedDesk(t);
  const [before] = await reigns(desk);
  await nextRace(desk, 2, { [a]: 360_000, [b]: 600_000 });
  const [race] = await sql`
    select weighted_score::text as shown, challenged_score::text as challenged
    from race join race_entrant e using (race_id)
    where race_number = 2 and e.agent_version_id = ${a}`;
  const [beaten] = await reigns(desk);
  t.not(race?.['shown'], before?.['score']);
  t.is(race?.['challenged'], race?.['shown']);
  t.like(beaten, { id: a, isOver: true, score: race?.['shown'] });
});

test('a top that could not finish its race leaves with the score that it had', async (t) => {
  const { desk, sql, a, b } = await reignedDesk(t);
  const [before] = await reigns(desk);
  const raceId = await runToStart(desk, 2);
  const work = [[a, 'platform-fault'] as const, [b, success(600_000)] as const];
  await runToEnd(desk, raceId, new Map<string, Work>(work));
  t.is((await raceAt(sql, 2)).promotedId, b);
  t.like((await reigns(desk))[0], { id: a, isOver: true, score: before?.['score'] });
});

for (const [what, message, fall] of [
  ['discarded', 'version-discarded', ({ sql }: RaceDesk, id: string) => discard(sql, id)],
  ['banned', 'hotkey-banned', ({ sql }: RaceDesk) => ban(sql, 'a')],
] as const) {
  test(`a top that is ${what} reigns no more, and nobody does until the next end`, async (t) => {
    const { desk, sql, a, b } = await reignedDesk(t);
    await fall(desk, a);
    await desk.send(message, { agentVersionId: a, hotkey: 'a', atMs: desk.nowMs });
    t.like((await reigns(desk))[0], { endReason: what.toUpperCase(), isOver: true });
    const changes = (await facts(sql)).filter((name) => name === 'top-changed');
    t.is(changes.length, 2);
    await nextRace(desk, 2, { [b]: 100_000 });
    t.like(await raceAt(sql, 2), { winnerId: b, promotedId: b });
    const [race] = await sql`select margin, challenged_score from race where race_number = 2`;
    t.deepEqual({ ...race }, { margin: null, challenged_score: null });
  });
}

test('a discard that was taken back before it was heard of ends the reign all the same', async (t) => {
  const { desk, a } = await reignedDesk(t);
  await desk.send('version-discarded', { agentVersionId: a, atMs: desk.nowMs });
  t.like((await reigns(desk))[0], { endReason: 'DISCARDED', isOver: true });
});

test('a ban that was taken back before it was heard of ends the reign all the same', async (t) => {
  const { desk } = await reignedDesk(t);
  await desk.send('hotkey-banned', { hotkey: 'a', atMs: desk.nowMs });
  t.like((await reigns(desk))[0], { endReason: 'BANNED', isOver: true });
});

// In one batch with the end of a race, it was ended and kept: nobody was promoted, and nobody reigned.
test('a reign that ended a moment before a race is no measure for who won it', async (t) => {
  const { desk, sql, a, b } = await reignedDesk(t);
  const raceId = await runToStart(desk, 2);
  await seedWork(sql, raceId, a, success(500_000));
  await seedWork(sql, raceId, b, success(515_000));
  await desk.sendTogether([
    ['version-discarded', { agentVersionId: a, atMs: desk.nowMs }],
    ['work-changed', { raceId, agentVersionId: b }],
  ]);
  desk.nowMs += hourMs;
  await desk.tick();
  t.like(await raceAt(sql, 2), { status: 'RACE_COMPLETE', winnerId: b, promotedId: b });
  t.like((await reigns(desk))[1], { id: b, isOver: false });
});

/** The second race, all evaluated. */
async function doneButForItsEnd(t: ExecutionContext) {
  const reigned = await reignedDesk(t);
  const { desk, sql, a, b } = reigned;
  const raceId = await runToStart(desk, 2);
  await seedWork(sql, raceId, a, success(500_000));
  await seedWork(sql, raceId, b, success(515_000));
  desk.nowMs += hourMs;
  return { ...reigned, raceId };
}

/** The same; the top fell and came back, and nobody was told. */
async function fallenAndBack(
  t: ExecutionContext,
  fall: (desk: RaceDesk, id: string) => Promise<unknown>,
) {
  const done = await doneButForItsEnd(t);
  const { desk, raceId, a, b } = done;
  await fall(desk, a);
  await desk.send('work-changed', { raceId, agentVersionId: b });
  return done;
}

async function discardAndReinstate({ sql, nowMs }: RaceDesk, agentVersionId: string) {
  await sql`
    insert into rt.event (kind, part, machine, key, actor_key, seq, type, type_version, payload,
                          command_id, account, epoch, at)
    select 'eval', part, 'agent-version', agent_version_id::text, agent_version_id::text, 9,
      'DISCARDED', 1, '{}', 'c', 'test', 1, ${new Date(nowMs)}
    from agent_version where agent_version_id = ${agentVersionId}`;
}

/** The ban itself is gone; the audit log has both orders. */
async function banAndUnban({ sql, nowMs }: RaceDesk) {
  for (const [seq, action] of ['hotkey.ban', 'hotkey.unban'].entries()) {
    await sql`
      insert into audit_log (seq, actor, action, object, detail, prev_hash, hash, committed_at)
      values (${seq + 1}, 'test', ${action}, 'hotkey/a', '{}', '', '', ${new Date(nowMs + seq)})`;
  }
}

for (const [fall, message, endReason] of [
  [discardAndReinstate, 'version-discarded', 'DISCARDED'],
  [banAndUnban, 'hotkey-banned', 'BANNED'],
] as const) {
  test(`a race whose top came back ends after the news of how it fell: ${endReason}`, async (t) => {
    const { desk, sql, a, b } = await fallenAndBack(t, fall);
    t.is((await raceAt(sql, 2)).status, 'RACE_RUNNING');

    await desk.send(message, { agentVersionId: a, hotkey: 'a', atMs: desk.nowMs });
    desk.nowMs += minuteMs / 2;
    await desk.tick();

    t.like(await raceAt(sql, 2), { status: 'RACE_COMPLETE', winnerId: b, promotedId: b });
    t.like((await reigns(desk))[0], { endReason, isOver: true });
    const [race] = await sql`select margin, challenged_score from race where race_number = 2`;
    t.deepEqual({ ...race }, { margin: null, challenged_score: null });
  });

  test(`a top that falls and comes back before the commit is no measure: ${endReason}`, async (t) => {
    const { desk, sql, raceId, a, b } = await doneButForItsEnd(t);
    const { attempts } = await desk.send(
      'work-changed',
      { raceId, agentVersionId: b },
      { meanwhile: () => fall(desk, a) },
    );
    t.is(attempts, 2);
    t.is((await raceAt(sql, 2)).status, 'RACE_RUNNING');
  });

  test(`news that does not come for a minute keeps nobody’s race from its end: ${endReason}`, async (t) => {
    const { desk, sql } = await fallenAndBack(t, fall);

    desk.nowMs += minuteMs;
    await desk.tick();

    t.is((await raceAt(sql, 2)).status, 'RACE_COMPLETE');
  });
}

test('bans of others, and of before the reign, keep no race from its end', async (t) => {
  const { sql } = await fallenAndBack(t, async (desk) => {
    const [reign] = await desk.sql<{ topAtMs: number }[]>`
      select rt.milliseconds(top_at)::float8 as "topAtMs" from top_agent`;
    const ofReign = new Date(desk.nowMs);
    const before = new Date((reign?.topAtMs ?? 0) - 1);
    await desk.sql`
      insert into audit_log (seq, actor, action, object, detail, prev_hash, hash, committed_at)
      values (1, 'test', 'hotkey.ban', 'hotkey/a', '{}', '', '', ${before}),
        (2, 'test', 'hotkey.ban', 'hotkey/b', '{}', '', '', ${ofReign}),
        (3, 'test', 'hotkey.unban', 'hotkey/a', '{}', '', '', ${ofReign})`;
  });
  t.is((await raceAt(sql, 2)).status, 'RACE_COMPLETE');
});

test('late news from before the reign does not touch it', async (t) => {
  const { desk, a } = await reignedDesk(t);
  const atMs = desk.nowMs - 48 * hourMs;
  await desk.send('version-discarded', { agentVersionId: a, atMs });
  await desk.send('hotkey-banned', { hotkey: 'a', atMs });
  t.like((await reigns(desk))[0], { isOver: false });
});

test('the news of a discard that comes twice, or of somebody else, changes nothing', async (t) => {
  const { desk, sql, a, b } = await reignedDesk(t);
  await discard(sql, b);
  await desk.send('version-discarded', { agentVersionId: b, atMs: desk.nowMs });
  t.like((await reigns(desk))[0], { isOver: false });
  await discard(sql, a);
  await desk.send('version-discarded', { agentVersionId: a, atMs: desk.nowMs });
  const ended = await reigns(desk);
  await sql`update agent_version set state = 'ELIGIBLE' where agent_version_id = ${a}`;
  await desk.send('version-discarded', { agentVersionId: a, atMs: desk.nowMs });
  t.deepEqual(await reigns(desk), ended);
});

test('a reign that fell unheard of is closed by the next end, with its reason', async (t) => {
  const { desk, sql, a, b } = await reignedDesk(t);
  await discard(sql, a);
  await nextRace(desk, 2, { [b]: 100_000 });
  const [first, second] = await reigns(desk);
  t.like(first, { endReason: 'DISCARDED', isOver: true });
  t.like(second, { id: b, isOver: false });
});

test('a switch of the suite leaves no top until its first race ends', async (t) => {
  const { desk, sql } = await reignedDesk(t);
  for (let made = 0; made < 4; made += 1) await seedSuite(sql, { isActive: false });
  await switchTo(sql, 5);
  await desk.send('suite-activated', { suiteId: 5 });
  t.like((await reigns(desk))[0], { endReason: 'SUITE_SWITCHED', isOver: true });
  const versionId = await seedVersion(sql, { hotkey: 'c', suiteId: 5 });
  const { raceId, closesAtMs } = await raceAt(sql, 1, 5);
  desk.nowMs = closesAtMs;
  await desk.tick();
  await runToEnd(desk, raceId, new Map([[versionId, success(200_000)]]));
  t.like((await reigns(desk))[1], { id: versionId, isOver: false });
});

test('a switch that was taken back before it was heard of leaves no top all the same', async (t) => {
  const { desk, sql } = await reignedDesk(t);
  desk.nowMs += hourMs;
  await switchTo(sql, 1, desk.nowMs);
  await desk.send('suite-activated', { suiteId: 1 });
  t.like((await reigns(desk))[0], { endReason: 'SUITE_SWITCHED', isOver: true });
});

test('where the news of such a switch never comes, the reign ends with the race of before', async (t) => {
  const { desk, sql } = await reignedDesk(t);
  desk.nowMs += hourMs;
  await switchTo(sql, 1, desk.nowMs);
  const { closesAtMs } = await raceAt(sql, 2);
  desk.nowMs = closesAtMs;
  await desk.tick();
  t.like(await raceAt(sql, 2), { status: 'RACE_CANCELLED', cancelReason: 'SUITE_SWITCHED' });
  t.like((await reigns(desk))[0], { endReason: 'SUITE_SWITCHED', isOver: true });
});

test('a reign of after the last switch goes on, whatever comes late', async (t) => {
  const { desk, sql } = await reignedDesk(t);
  await switchTo(sql, 1, desk.nowMs - 30 * hourMs);
  await desk.send('suite-activated', { suiteId: 5 });
  await desk.send('suite-activated', { suiteId: 1 });
  t.like((await reigns(desk))[0], { endReason: null, isOver: false });
});

test('there is one open reign at most, and the table says so', async (t) => {
  const { desk, sql, b } = await reignedDesk(t);
  const { raceId } = await raceAt(sql, 1);
  await t.throwsAsync(
    sql`
      insert into top_agent (top_id, suite_id, agent_version_id, miner_hotkey, race_id, score, top_at)
      values (gen_random_uuid(), 1, ${b}, 'b', ${raceId}, 0.5, now())`,
    { message: /top_agent_one/ },
  );
  desk.nowMs += hourMs;
  await desk.tick();
  t.is((await reigns(desk)).filter(({ isOver }) => isOver === false).length, 1);
});

test('a reign does not end before its last challenge, however far behind the clock is of who ends it', async (t) => {
  const { desk, sql, a, b } = await reignedDesk(t);
  await nextRace(desk, 2, { [a]: 600_000, [b]: 590_000 });
  const atMs = desk.nowMs;
  desk.nowMs -= 5;
  await desk.takeOver();
  await desk.send('version-discarded', { agentVersionId: a, atMs });
  const [row] = await sql`
    select t.ended_at = r.completed_at as "isAtTheEnd", r.race_id as "raceId"
    from top_agent t join race r on r.race_number = 2
    where t.end_reason = 'DISCARDED'`;
  t.true(row?.['isAtTheEnd']);
  t.is((await reignBefore(sql, row?.['raceId']))?.agent_version_id, a);

  // As it was written before this was so.
  await sql`update top_agent set ended_at = ended_at - interval '5 ms'`;
  t.is((await reignBefore(sql, row?.['raceId']))?.agent_version_id, a);
});
