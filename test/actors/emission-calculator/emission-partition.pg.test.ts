import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { createEmissionKind } from '../../../actors/emission-calculator/emission-calculator.actor.ts';
import { commitBatch } from '../../../actors/runtime/commit-batch.ts';
import type { Command } from '../../../actors/runtime/partition-actor.ts';
import { reigns, topView } from '../../../apps/edge/reads/top.ts';
import { randomId } from '../../../infra/ids/ids.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { createPartitionStore } from '../../../infra/postgres/partition-store.ts';
import { testDatabase } from '../../support/cluster.ts';
import { auditOrder } from '../../support/sent-orders.ts';
import { addActiveSuite, addRace, addTop, addVersion, trialId } from '../../support/trial-races.ts';

/** Owners of the emission partition, each with the rights of a coordinator. */
async function openWorld(t: ExecutionContext) {
  const { url, sql } = await testDatabase(t);
  const own = createSql({ url, max: 2, applicationName: 'desk', role: 'paddock_actor' });
  t.teardown(() => closeSql(own));
  return { sql, own: (epochMs?: number) => takeOver(own, epochMs) };
}

/** Owns the partition until it leaves; only then does the next owner get it. */
async function takeOver(sql: Sql, epochMs: number | undefined) {
  const incarnation = randomId();
  const member = `member-${incarnation}`;
  await sql`select rt.join(${member}, ${incarnation}, '1 hour', 1, ${['emission']})`;
  const [seen] = await sql<{ epoch: number }[]>`
    select epoch::int as epoch from rt.partition where kind = 'emission'`;
  const [claimed] = await sql<{ epoch: number }[]>`
    select new_epoch::int as epoch
    from rt.claim('emission', 0, ${seen?.epoch ?? 0}, ${member}, ${incarnation})`;
  const token = { kind: 'emission', part: 0, epoch: claimed?.epoch ?? 0, incarnation };
  const nowMs = Date.now();
  const kind = createEmissionKind({ sql, burnRateMicro: 250_000, epochMs });
  const actor = await kind.activate(0, {
    ...{ nowMs, takeover: { parts: [0] } },
    amnestyUntilMs: (leaseMs) => nowMs + leaseMs,
  });
  const store = createPartitionStore(sql);
  return {
    leave: () => sql`select rt.leave(${member}, ${incarnation})`,
    /** One batch; the replies in order. */
    async make(...epochs: readonly number[]) {
      const commands: Command[] = epochs.map((epochIndex) => ({
        ...{ id: randomId(), type: 'make-standings', body: { epochIndex } },
        ...{ account: 'system', trace: {} },
      }));
      await actor.prepare(commands, Date.now());
      actor.begin();
      const decided = commands.map((command) => {
        const letter = { source: 'request', command } as never;
        return { letter, decision: actor.decide(command, Date.now()) };
      });
      const writing = decided.filter(({ decision }) => decision.changes !== undefined);
      if (writing.length > 0) {
        const outcome = await store.commit(token, commitBatch(token, writing, 30_000));
        if (outcome.kind !== 'committed') {
          actor.rollback();
          return outcome.kind;
        }
      }
      actor.commit();
      return decided.map(({ decision }) => decision.reply);
    },
  };
}

interface Stored {
  readonly epochIndex: number;
  readonly raceId: string | null;
  readonly body: string;
  readonly sha256: string;
}

async function stored(sql: Sql): Promise<readonly Stored[]> {
  const rows = await sql<Stored[]>`
    select epoch_index::int as "epochIndex", race_id as "raceId", body, body_sha256 as sha256
    from epoch_standings order by epoch_index`;
  return [...rows];
}

async function standings(sql: Sql, epochIndex: number) {
  const row = (await stored(sql)).find((each) => each.epochIndex === epochIndex);
  return JSON.parse(row?.body ?? 'null').epoch_standings;
}

test('an epoch has one snapshot for ever, whatever becomes of the top, the race and the owner', async (t) => {
  const { sql, own } = await openWorld(t);
  const suiteId = await addActiveSuite(sql);
  const entrants = [
    { hotkey: 'a', score: '0.5000' },
    { hotkey: 'b', score: '0.6000' },
  ];
  const raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants });
  await addTop(sql, { suiteId, raceId, hotkey: 'b', score: '0.5500' });
  const first = await own();
  t.deepEqual(await first.make(7), [{ kind: 'ok', body: { epochIndex: 7 } }]);
  const before = await stored(sql);
  t.is(before[0]?.raceId, raceId);
  t.is(
    before[0]?.sha256,
    createHash('sha256')
      .update(before[0]?.body ?? '')
      .digest('hex'),
  );

  await addTop(sql, { suiteId, raceId, hotkey: 'a', score: '0.7000' });
  await first.make(7);
  await first.leave();
  const second = await own();
  t.deepEqual(await second.make(7), [{ kind: 'ok', body: { epochIndex: 7 } }]);
  t.deepEqual(await stored(sql), before);

  await second.make(8);
  t.is((await standings(sql, 8)).top_hotkey, 'a');
  t.deepEqual((await stored(sql))[0], before[0]);
});

test('epochs only grow: one before the newest is never made, in one batch or later', async (t) => {
  const { sql, own } = await openWorld(t);
  const owner = await own();

  const replies = await owner.make(5, 4, 5, 6);
  const epochs = Array.isArray(replies) ? replies.map(({ kind, ...rest }) => [kind, rest]) : [];
  t.deepEqual(
    epochs,
    [5, 5, 5, 6].map((epochIndex) => ['ok', { body: { epochIndex } }]),
  );
  await owner.make(3);
  t.deepEqual(
    (await stored(sql)).map(({ epochIndex }) => epochIndex),
    [5, 6],
  );
});

const epochMs = 4_320_000;

type Owner = Awaited<ReturnType<typeof takeOver>>;

const kindsOf =
  (owner: Owner) =>
  async (...epochs: readonly number[]) => {
    const replies = await owner.make(...epochs);
    return Array.isArray(replies) ? replies.map(({ kind }) => kind) : [];
  };

/** As if standings from this epoch on had been made earlier or later. */
async function moveMadeAt(sql: Sql, from: number, by: string) {
  await sql`alter table epoch_standings disable trigger user`;
  await sql`
    update epoch_standings set made_at = made_at + ${by}::text::interval
    where epoch_index >= ${from}`;
  await sql`alter table epoch_standings enable trigger user`;
}

test('an epoch that it cannot be by now is refused, and leaves nothing behind', async (t) => {
  const { sql, own } = await openWorld(t);
  const owner = await own(epochMs);
  const kinds = kindsOf(owner);
  const madeEpochs = async () => (await stored(sql)).map(({ epochIndex }) => epochIndex);
  t.deepEqual(await kinds(1000), ['ok'], 'the first of all may be any');
  t.deepEqual(await kinds(4_000_000, 1003, 1002, 1005, 1004), [
    ...['fault', 'fault', 'ok', 'fault', 'ok'],
  ]);
  t.deepEqual(await madeEpochs(), [1000, 1002, 1004]);

  // Nobody asked for a day: twenty epochs and what is spare.
  await moveMadeAt(sql, 0, '-1 day');
  t.deepEqual(await kinds(1027, 1026), ['fault', 'ok']);
  t.deepEqual(await madeEpochs(), [1000, 1002, 1004, 1026]);
});

test('standings that a clock made a day ahead do not stop the chain once it is right again', async (t) => {
  const { sql, own } = await openWorld(t);
  const kinds = kindsOf(await own(epochMs));
  await kinds(1000);
  await kinds(1001);
  await moveMadeAt(sql, 1001, '1 day');
  // Twelve hours nobody asked, which is ten epochs, and then a day and a half.
  for (const [passed, epoch] of [
    ['12 hours', 1010],
    ['1 day', 1030],
  ] as const) {
    await moveMadeAt(sql, 0, `-${passed}`);
    t.deepEqual(await kinds(epoch + 3, epoch), ['fault', 'ok'], passed);
  }
});

test('a simulated clock jumps as far as it likes', async (t) => {
  const { sql, own } = await openWorld(t);
  const owner = await own();
  await owner.make(1);
  await owner.make(4_000_000);
  t.is((await stored(sql)).length, 2);
});

test('an owner that lost the partition stores nothing', async (t) => {
  const { sql, own } = await openWorld(t);
  const stale = await own();
  await stale.leave();
  const owner = await own();

  t.is(await stale.make(9), 'fenced');
  t.deepEqual(await stored(sql), []);
  await owner.make(9);
  t.is((await stored(sql)).length, 1);
});

test('before the first completed race nobody is paid', async (t) => {
  const { sql, own } = await openWorld(t);
  const owner = await own();
  await owner.make(1);
  const nothing = { top_hotkey: null, t_burn: 0.25, finishers: [] };
  t.deepEqual(await standings(sql, 1), nothing);

  const suiteId = await addActiveSuite(sql);
  const running = { status: 'RACE_RUNNING', policy: { burnRateMicro: 10_000 } };
  const entrants = [{ hotkey: 'a', score: '0.5000' }];
  await addRace(sql, { suiteId, raceNumber: 1, entrants, ...running });
  await owner.make(2);
  t.deepEqual(await standings(sql, 2), { ...nothing, t_burn: 0.01 });
});

test('finishers stand in a total order: by score, then by version id', async (t) => {
  const { sql, own } = await openWorld(t);
  const suiteId = await addActiveSuite(sql);
  const hotkeys = ['a', 'b', 'c', 'd', 'e', 'f'];
  const entrants = hotkeys.map((hotkey, index) => ({
    hotkey,
    score: index < 4 ? '0.5000' : '0.6000',
  }));
  await addRace(sql, { suiteId, raceNumber: 1, entrants, policy: { burnRateMicro: 250_000 } });
  const owner = await own();
  await owner.make(1);

  const { finishers, t_burn: burn, top_hotkey: top } = await standings(sql, 1);
  const byId = (some: readonly string[]) => some.map((hotkey) => trialId(hotkey)).sort();
  t.deepEqual(
    finishers.map((finisher: { agent_version_id: string }) => finisher.agent_version_id),
    [...byId(['e', 'f']), ...byId(['a', 'b', 'c', 'd'])],
  );
  t.is(burn, 0.25);
  t.is(top, null);
  t.deepEqual(Object.keys(finishers[0]).sort(), ['agent_version_id', 'miner_hotkey', 'race_score']);
  t.is(finishers[0].race_score, 0.6);
});

test('only who may still be paid stands in the tail', async (t) => {
  const { sql, own } = await openWorld(t);
  const suiteId = await addActiveSuite(sql);
  const entrants = [
    { hotkey: 'top', score: '0.9000' },
    { hotkey: 'survivor', score: '0.6000' },
    { hotkey: 'eliminated', score: '0.3000', isEliminated: true },
    { hotkey: 'discarded', score: '0.6500' },
    { hotkey: 'banned', score: '0.6600' },
    { hotkey: 'unfinished' },
  ];
  const raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants });
  await addTop(sql, { suiteId, raceId, hotkey: 'top', score: '0.9000' });
  await sql`
    update agent_version set state = 'DISCARDED', discarded_at = rt.clock()
    where agent_version_id = ${trialId('discarded')}`;
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('banned', 'x', rt.clock())`;
  const owner = await own();
  await owner.make(1);

  const { finishers, top_hotkey: top } = await standings(sql, 1);
  t.is(top, 'top');
  t.deepEqual(
    finishers.map((finisher: { miner_hotkey: string }) => finisher.miner_hotkey),
    ['survivor'],
  );
});

test('a top that is discarded, banned or of another suite does not reign', async (t) => {
  const { sql, own } = await openWorld(t);
  const suiteId = await addActiveSuite(sql);
  const entrants = [{ hotkey: 'top', score: '0.9000' }];
  const raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants });
  await addTop(sql, { suiteId, raceId, hotkey: 'top', score: '0.9000' });
  const owner = await own();
  const topAt = async (epochIndex: number) => {
    await owner.make(epochIndex);
    return (await standings(sql, epochIndex)).top_hotkey;
  };
  t.is(await topAt(1), 'top');

  await sql`update agent_version set state = 'DISCARDED'`;
  t.is(await topAt(2), null);
  await sql`update agent_version set state = 'ELIGIBLE'`;
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('top', 'x', rt.clock())`;
  t.is(await topAt(3), null);
  await sql`delete from hotkey_ban`;
  t.is(await topAt(4), 'top');
  // Another suite was active in between, of which the owner of the reign has not heard.
  const activated = (at: string) => sql`
    update suite set activated_at = (select top_at from top_agent) + ${at}::text::interval`;
  await activated('5.1 seconds');
  t.is(await topAt(5), null);
  t.is((await topView(sql)).top, null);
  t.like(await reigns(sql, suiteId), [{ agentVersionId: trialId('top') }]);
  t.not((await reigns(sql, suiteId))[0]?.endedAt, null);
  // By so much clocks may differ; and what lies far ahead was written by a wrong one.
  for (const [epoch, at] of [
    [6, '4.9 seconds'],
    [7, '10 minutes'],
  ] as const) {
    await activated(at);
    t.is(await topAt(epoch), 'top', at);
    t.is((await topView(sql)).top?.minerHotkey, 'top', at);
    t.is((await reigns(sql, suiteId))[0]?.endedAt, null, at);
  }
  const other = await addActiveSuite(sql, 2);
  await addVersion(sql, other, 'newcomer');
  t.is(await topAt(8), null);
});

test('a top whose ban was taken back reigns no more, before its owner heard of it', async (t) => {
  const { sql, own } = await openWorld(t);
  const suiteId = await addActiveSuite(sql);
  const entrants = [{ hotkey: 'top', score: '0.9000' }];
  const raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants });
  await addTop(sql, { suiteId, raceId, hotkey: 'top', score: '0.9000' });
  const owner = await own();
  const told = async (epochIndex: number) => {
    await owner.make(epochIndex);
    const { top_hotkey } = await standings(sql, epochIndex);
    return [top_hotkey, (await topView(sql)).top?.minerHotkey ?? null];
  };
  const [reign] = await sql<{ topAtMs: number }[]>`
    select rt.milliseconds(top_at)::float8 as "topAtMs" from top_agent`;
  const banned = async (passedMs: number) => {
    const order = { object: 'hotkey/top', atMs: (reign?.topAtMs ?? 0) + passedMs };
    await auditOrder(sql, { action: 'hotkey.ban', ...order });
    await auditOrder(sql, { action: 'hotkey.unban', ...order });
  };
  await banned(-1_000);
  t.deepEqual(await told(1), ['top', 'top'], 'it won after that');

  await banned(1_000);
  t.deepEqual(await told(2), [null, null]);
  t.is(Number((await reigns(sql, suiteId))[0]?.endedAt), (reign?.topAtMs ?? 0) + 1_000);
});

test('survivors are paid until the next race completes, whatever suite that is of', async (t) => {
  const { sql, own } = await openWorld(t);
  const former = await addActiveSuite(sql);
  const entrants = [
    { hotkey: 'top', score: '0.9000' },
    { hotkey: 'survivor', score: '0.6000' },
  ];
  const policy = { burnRateMicro: 250_000 };
  const raceId = await addRace(sql, { suiteId: former, raceNumber: 1, entrants, policy });
  await addTop(sql, { suiteId: former, raceId, hotkey: 'top', score: '0.9000' });
  const owner = await own();
  const paidAt = async (epochIndex: number) => {
    await owner.make(epochIndex);
    const { top_hotkey: top, t_burn: burn, finishers } = await standings(sql, epochIndex);
    const hotkeys = finishers.map(({ miner_hotkey }: { miner_hotkey: string }) => miner_hotkey);
    return { top, burn, hotkeys };
  };
  t.deepEqual(await paidAt(1), { top: 'top', burn: 0.25, hotkeys: ['survivor'] });

  const next = await addActiveSuite(sql, 2);
  const ofNext = { suiteId: next, raceNumber: 1 };
  const newcomers = [{ hotkey: 'newcomer', score: '0.3000' }];
  const running = {
    entrants: newcomers,
    status: 'RACE_RUNNING',
    policy: { burnRateMicro: 10_000 },
  };
  const open = await addRace(sql, { ...ofNext, ...running });
  // Who reigned is a survivor as others are, and the share of the top is burned.
  t.deepEqual(await paidAt(2), { top: null, burn: 0.25, hotkeys: ['top', 'survivor'] });

  await sql`
    update race set status = 'RACE_COMPLETE', completed_at = rt.clock() where race_id = ${open}`;
  t.deepEqual(await paidAt(3), { top: null, burn: 0.01, hotkeys: ['newcomer'] });
});
