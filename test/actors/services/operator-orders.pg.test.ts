import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { qualifyingNow } from '../../../actors/services/pins/miner-field.ts';
import { holdRace } from '../../../actors/services/pins/store.ts';
import type { Transaction } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { Fault } from '../../../machines/fault.ts';
import { racePartitionOf } from '../../../machines/partition-of.ts';
import { holdLock } from '../../support/held-lock.ts';
import { openOperatorDesk } from '../../support/operator-desk.ts';
import { addSealedRace } from '../../support/sealed-race.ts';
import { addActiveSuite, addRace, addVersion } from '../../support/trial-races.ts';

type Desk = Awaited<ReturnType<typeof openOperatorDesk>>;

const codeOf = async (t: ExecutionContext, act: () => Promise<unknown>) =>
  (await t.throwsAsync(act, { instanceOf: Fault }))?.code;

const outbox = (admin: Desk['admin']) => admin<{ msgId: string; subject: string; body: object }[]>`
  select msg_id as "msgId", subject, body from rt.outbox`;

const audits = (admin: Desk['admin']) => admin<
  { action: string; object: string; reason: string }[]
>`
  select action, object, reason from audit_log order by seq`;

const locked = (raceId: string) => (tx: Transaction) =>
  tx`select 1 from race where race_id = ${raceId} for update`;

/** So many transactions of this database wait for locks that others hold. */
async function untilWaiting(admin: Desk['admin'], count: number): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const waiting = await admin`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    if (waiting.length >= count) return;
    if (Date.now() > deadline) throw new Error('nobody waits for a lock');
    await sleep(10);
  }
}

test('an order to a race is one message to its owner and one entry, also when repeated', async (t) => {
  const { admin, service, command, published } = await openOperatorDesk(t);
  const suiteId = await addActiveSuite(admin);
  const raceId = await addRace(admin, {
    ...{ suiteId, raceNumber: 1, entrants: [], status: 'QUALIFYING_OPEN' },
  });
  const same = command();
  const asked = { order: 'cancel-race', raceId, reason: 'broken pack' } as const;
  const ticket = await service['order-race'](asked, same);
  t.deepEqual(await service['order-race'](asked, same), ticket);
  const part = racePartitionOf(suiteId);
  t.deepEqual(ticket, { kind: 'race', part, msgId: `svc:${same.id}.1:race:cancel-race:${part}` });
  t.deepEqual(
    [...(await outbox(admin))],
    [
      {
        msgId: ticket.msgId,
        subject: `evt.race.${part}.cancel-race`,
        body: { raceId, reason: 'broken pack' },
      },
    ],
  );
  t.is(published.length, 1);
  t.deepEqual(
    [...(await audits(admin))],
    [{ action: 'race.cancel', object: `race/${raceId}`, reason: 'broken pack' }],
  );
});

test('two orders at once are two messages', async (t) => {
  const { admin, service, command } = await openOperatorDesk(t);
  const suiteId = await addActiveSuite(admin);
  const raceId = await addRace(admin, {
    ...{ suiteId, raceNumber: 1, entrants: [], status: 'QUALIFYING_OPEN' },
  });
  await Promise.all(
    (['close-qualifying', 'start-race'] as const).map((order) =>
      service['order-race']({ order, raceId, reason: null }, command()),
    ),
  );
  t.deepEqual((await audits(admin)).map(({ action }) => action).sort(), [
    'race.close',
    'race.start',
  ]);
  t.is((await outbox(admin)).length, 2);
});

test('what does not exist or is over takes no order, and nothing is written', async (t) => {
  const { admin, service, command } = await openOperatorDesk(t);
  const suiteId = await addActiveSuite(admin);
  const over = await addRace(admin, { suiteId, raceNumber: 1, entrants: [] });
  const cancelled = await addRace(admin, {
    ...{ suiteId, raceNumber: 2, entrants: [], status: 'RACE_CANCELLED' },
  });
  const race = (raceId: string) => () =>
    service['order-race']({ order: 'close-qualifying', raceId, reason: null }, command());
  t.is(await codeOf(t, race(randomUUID())), 'RACE_NOT_FOUND');
  t.is(await codeOf(t, race(over)), 'RACE_OVER');
  t.is(await codeOf(t, race(cancelled)), 'RACE_OVER');
  const version = {
    order: 'reinstate-version',
    agentVersionId: randomUUID(),
    reason: null,
  } as const;
  t.is(
    await codeOf(t, () => service['order-version'](version, command())),
    'AGENT_VERSION_NOT_FOUND',
  );
  const run = { order: 'reclaim-run', evalRunId: randomUUID(), reason: null } as const;
  t.is(await codeOf(t, () => service['order-run'](run, command())), 'EVAL_RUN_NOT_FOUND');
  t.is((await outbox(admin)).length, 0);
  t.is((await audits(admin)).length, 0);
});

test('orders about versions and runs go to the partition that owns them', async (t) => {
  const { admin, service, command } = await openOperatorDesk(t);
  const { versionIds, runIds, raceId } = await addSealedRace(admin, {
    miners: ['m1', 'm2', 'm3', 'm4'],
    validators: ['v1', 'v2', 'v3'],
  });
  const [agentVersionId] = versionIds;
  await service['order-version'](
    { order: 'discard-version', agentVersionId, reason: 'copied' },
    command(),
  );
  await service['order-run'](
    { order: 'exclude-run', evalRunId: runIds.first, reason: 'odd' },
    command(),
  );
  await service['order-run'](
    { order: 'reclaim-run', evalRunId: runIds.live, reason: null },
    command(),
  );
  const places = await admin<{ evalRunId: string; part: number; agentVersionId: string }[]>`
    select eval_run_id as "evalRunId", part, agent_version_id as "agentVersionId"
    from evaluation_run where eval_run_id in (${runIds.first}, ${runIds.live})`;
  const [version] = await admin<{ part: number }[]>`
    select part from agent_version where agent_version_id = ${agentVersionId}`;
  const expected = [
    [`evt.eval.${version?.part}.discard-version`, { agentVersionId, reason: 'copied' }],
    ...places.map(({ part, ...ids }) =>
      ids.evalRunId === runIds.first
        ? [`evt.eval.${part}.exclude-run`, { ...ids, reason: 'odd' }]
        : [`evt.eval.${part}.reclaim-run`, ids],
    ),
  ];
  const sent = (await outbox(admin)).map(({ subject, body }) => [subject, body]);
  const bySubject = (left: unknown[], right: unknown[]) =>
    String(left[0]).localeCompare(String(right[0]));
  t.deepEqual(sent.sort(bySubject), expected.sort(bySubject));

  await admin`update race set status = 'RACE_COMPLETE' where race_id = ${raceId}`;
  const late = { order: 'include-run', evalRunId: runIds.first, reason: null } as const;
  t.is(await codeOf(t, () => service['order-run'](late, command())), 'RACE_OVER');
  const qualifying = { order: 'include-run', evalRunId: runIds.qualifying, reason: null } as const;
  await t.notThrowsAsync(() => service['order-run'](qualifying, command()));
});

test('an order waits for the race to be closed, and is refused if that ended it', async (t) => {
  const { admin, service, command } = await openOperatorDesk(t);
  const suiteId = await addActiveSuite(admin);
  const raceId = await addRace(admin, {
    ...{ suiteId, raceNumber: 1, entrants: [], status: 'QUALIFYING_OPEN' },
  });
  let ordered: Promise<unknown> = Promise.resolve();
  await holdLock(admin, locked(raceId), async (tx) => {
    ordered = service['order-race'](
      { order: 'cancel-race', raceId, reason: 'late' },
      command(),
    ).catch((error: unknown) => error);
    await untilWaiting(admin, 1);
    await tx`update race set status = 'RACE_CANCELLED' where race_id = ${raceId}`;
  });
  const refusal = await ordered;
  t.true(refusal instanceof Fault && refusal.code === 'RACE_OVER');
});

/** For another hour: of itself it locks no pin. */
const qualifyingOpen = {
  ...{ raceNumber: 1, entrants: [], status: 'QUALIFYING_OPEN', completedAgo: -3 },
} as const;

test('an order to close goes before pins that come later, and locks them out', async (t) => {
  const { admin, service, command } = await openOperatorDesk(t);
  const suiteId = await addActiveSuite(admin);
  const raceId = await addRace(admin, { suiteId, ...qualifyingOpen });
  let ordering: Promise<unknown> | undefined;
  let later: ReturnType<typeof qualifyingNow> | undefined;
  await holdLock(admin, holdRace, async () => {
    ordering = service['order-race'](
      { order: 'close-qualifying', raceId, reason: null },
      command(),
    );
    await untilWaiting(admin, 1);
    later = transaction(admin, {}, async (tx) => {
      await tx`set local lock_timeout = 0`;
      await holdRace(tx);
      return await qualifyingNow(tx);
    });
    await untilWaiting(admin, 2);
  });
  await ordering;
  t.true((await later)?.race?.isLocked);
});

test('an order to start a race locks the pins as one to close it does', async (t) => {
  const { admin, service, command } = await openOperatorDesk(t);
  const suiteId = await addActiveSuite(admin);
  const raceId = await addRace(admin, { suiteId, ...qualifyingOpen });
  const isLocked = async () => (await qualifyingNow(admin))?.race?.isLocked;
  t.false(await isLocked());

  await service['order-race']({ order: 'start-race', raceId, reason: null }, command());

  t.true(await isLocked());
});

test('a ban and its end wait for the close of a race, and tell the races', async (t) => {
  const { admin, service, command } = await openOperatorDesk(t);
  const suiteId = await addActiveSuite(admin);
  await addVersion(admin, suiteId, 'alice');
  const raceId = await addRace(admin, {
    ...{ suiteId, raceNumber: 1, entrants: [], status: 'QUALIFYING_OPEN' },
  });
  let banned = false;
  let ordered: Promise<unknown> = Promise.resolve();
  await holdLock(admin, locked(raceId), async () => {
    ordered = service['ban-hotkey']({ hotkey: 'alice', reason: 'cheats' }, command()).then(() => {
      banned = true;
    });
    await untilWaiting(admin, 1);
    t.false(banned);
    t.is((await admin`select 1 from hotkey_ban`).length, 0);
  });
  await ordered;
  const told = (await outbox(admin)).map(({ subject }) => subject);
  t.is(told.filter((subject) => /^evt\.race\.[0-3]\.hotkey-banned$/.test(subject)).length, 4);
  t.is(told.filter((subject) => /^evt\.eval\.\d+\.hotkey-banned$/.test(subject)).length, 64);
});
