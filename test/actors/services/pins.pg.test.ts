import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { createPinsService } from '../../../actors/services/pins/pins.actor.ts';
import type { Transact } from '../../../actors/services/service-handler.ts';
import type { Transaction } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { Fault } from '../../../machines/fault.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addSuite } from '../../support/eval-desk.ts';
import { holdLock } from '../../support/held-lock.ts';
import { patient } from '../../support/patient.ts';
import { plantEntrant, plantRace, plantTop, plantVersion } from '../../support/planted-races.ts';
import { until } from '../../support/until.ts';

const hotkey = 'alice';

async function start(t: ExecutionContext, transactAs?: (plain: Transact) => Transact) {
  const { sql: admin, url } = await testDatabase(t);
  const line = { applicationName: 'services', role: 'paddock_service', max: 4 } as const;
  const sql = createSql({ ...patient(url), ...line });
  t.teardown(() => closeSql(sql));
  const plain: Transact = (body) => transaction(sql, {}, body);
  const service = createPinsService({ transact: transactAs?.(plain) ?? plain });
  const suiteId = await addSuite(admin);
  const command = () => ({ id: randomUUID(), account: hotkey, trace: {} });
  const pin = async (agentVersionId: string, of = hotkey, as = command()) =>
    (await service.pin({ hotkey: of, agentVersionId }, as)).racing?.agentVersionId;
  const unpin = async (as = command()) =>
    (await service.unpin({ hotkey }, as)).racing?.agentVersionId;
  const refusal = async (asked: Promise<unknown>) => {
    const error = await t.throwsAsync(asked, { instanceOf: Fault });
    return [error.code, ...Object.values(error.extras)].join(' ');
  };
  const pins = async () => await admin`select miner_hotkey, agent_version_id from race_pin`;
  const planted = { suiteId, hotkey };
  return { admin, suiteId, planted, command, pin, unpin, refusal, pins };
}

const raceOf = (suiteId: number, status = 'QUALIFYING_OPEN') => ({
  suiteId,
  raceNumber: 1,
  status,
});

test('a pin races instead of the better version until it is taken back', async (t) => {
  const { admin, suiteId, planted, pin, unpin, pins } = await start(t);
  await plantRace(admin, raceOf(suiteId));
  const better = await plantVersion(admin, { ...planted, score: '0.9000' });
  const worse = await plantVersion(admin, { ...planted, score: '0.6000' });

  t.is(await pin(worse), worse);
  const first = await admin`select pinned_at from race_pin`;
  t.is(await pin(worse), worse, 'the same pin again is the same pin');
  t.deepEqual(await admin`select pinned_at from race_pin`, first);
  t.is(await pin(better), better);
  t.is(await unpin(), better);
  t.is(await unpin(), better, 'where none is pinned nothing changes');
  t.is((await pins()).length, 0);
});

test('what is read once more after a later choice of the miner undoes nothing', async (t) => {
  const { admin, suiteId, planted, command, pin, unpin } = await start(t);
  await plantRace(admin, raceOf(suiteId));
  const better = await plantVersion(admin, { ...planted, score: '0.9000' });
  const worse = await plantVersion(admin, { ...planted, score: '0.6000' });
  const [pinning, unpinning] = [command(), command()];

  t.is(await pin(better, hotkey, pinning), better);
  t.is(await pin(worse), worse);
  t.is(await pin(better, hotkey, pinning), worse, 'the answer says what is so now');
  t.is(await unpin(unpinning), better);
  t.is(await pin(worse), worse);
  t.is(await unpin(unpinning), worse);
  t.is(await pin(better, hotkey, pinning), worse);
  t.is(await pin(better), better, 'another order for the same is carried out');
  t.is(await pin(worse), worse);
  t.is(await unpin(), better);
  const noted = await admin`select kind from race_pin_change order by change_no`;
  t.deepEqual(
    noted.map(({ kind }) => kind),
    ['pin', 'pin', 'unpin', 'pin', 'pin', 'pin', 'unpin'],
  );
});

test('an order that is read once more after the close was in time', async (t) => {
  const { admin, suiteId, planted, command, pin, unpin, refusal } = await start(t);
  const raceId = await plantRace(admin, raceOf(suiteId));
  const [best, pinned] = await Promise.all([
    plantVersion(admin, { ...planted, score: '0.9000' }),
    plantVersion(admin, { ...planted, score: '0.6000' }),
  ]);
  const order = command();
  t.is(await pin(pinned, hotkey, order), pinned);
  await admin`update race set status = 'QUALIFYING_CLOSED' where race_id = ${raceId}`;

  t.is(await pin(pinned, hotkey, order), pinned, 'it was in time');
  t.is(await refusal(pin(best)), 'RACE_LOCKED');
  await admin`update suite set is_active = false`;
  t.is(await pin(pinned, hotkey, order), undefined, 'nothing would race');
  t.is(await refusal(unpin()), 'NO_ACTIVE_SUITE');
});

test('an order that was refused is decided afresh', async (t) => {
  const { admin, suiteId, planted, command, pin, refusal } = await start(t);
  await plantRace(admin, raceOf(suiteId));
  const version = await plantVersion(admin, { ...planted, score: '0.5000' });
  const order = command();
  t.is(await refusal(pin(version, hotkey, order)), 'NOT_PINNABLE below_threshold');
  await admin`
    update agent_version set qualifying_score = 0.6 where agent_version_id = ${version}`;

  t.is(await pin(version, hotkey, order), version);
});

test('a miner without an eligible version has nothing that would race', async (t) => {
  const { admin, suiteId, planted, unpin } = await start(t);
  await plantRace(admin, raceOf(suiteId));
  await plantVersion(admin, { ...planted, state: 'QUEUED', score: null });

  t.is(await unpin(), undefined);
});

test('what could not race cannot be pinned, and the refusal says why', async (t) => {
  const { admin, suiteId, planted, pin, refusal, pins } = await start(t);
  await plantRace(admin, raceOf(suiteId));
  const former = await addSuite(admin, 2);
  const cases = [
    [{ ...planted, state: 'DISCARDED' }, 'NOT_PINNABLE discarded'],
    [{ ...planted, suiteId: former }, 'NOT_PINNABLE superseded_suite'],
    [{ ...planted, isEliminated: true }, 'NOT_PINNABLE eliminated'],
    [{ ...planted, state: 'RUNNING', score: null }, 'NOT_PINNABLE not_eligible'],
    [{ ...planted, state: 'CANCELLED', score: null }, 'NOT_PINNABLE not_eligible'],
    [{ ...planted, score: '0.5499' }, 'NOT_PINNABLE below_threshold'],
    [{ ...planted, hotkey: 'bob' }, 'AGENT_VERSION_NOT_FOUND'],
  ] as const;
  for (const [version, expected] of cases) {
    const id = await plantVersion(admin, version);
    t.is(await refusal(pin(id)), expected);
  }
  t.is(await refusal(pin(randomUUID())), 'AGENT_VERSION_NOT_FOUND');
  t.is((await pins()).length, 0);
});

test('the threshold is reached by the score that equals it', async (t) => {
  const { admin, suiteId, planted, pin } = await start(t);
  await plantRace(admin, raceOf(suiteId));
  const version = await plantVersion(admin, { ...planted, score: '0.5500' });

  t.is(await pin(version), version);
});

test('a survivor of the last race and the top may be pinned below the threshold', async (t) => {
  const { admin, suiteId, planted, pin, refusal } = await start(t);
  const older = await plantRace(admin, raceOf(suiteId, 'RACE_COMPLETE'));
  const latest = await plantRace(admin, { ...raceOf(suiteId, 'RACE_COMPLETE'), raceNumber: 2 });
  await plantRace(admin, { ...raceOf(suiteId), raceNumber: 3 });
  const low = { ...planted, score: '0.3000' };
  const [survivor, eliminated, dethroned, unfinished, long, top] = await Promise.all([
    plantVersion(admin, low),
    plantVersion(admin, { ...low, hotkey: 'xaver' }),
    plantVersion(admin, { ...low, hotkey: 'wanda' }),
    plantVersion(admin, { ...low, hotkey: 'yves' }),
    plantVersion(admin, low),
    plantVersion(admin, { ...low, hotkey: 'zoe' }),
  ]);
  await plantEntrant(admin, { raceId: latest, agentVersionId: survivor, raceScore: '0.4000' });
  await plantEntrant(admin, { raceId: latest, agentVersionId: eliminated, isEliminated: true });
  const ownFault = { agentVersionId: dethroned, unfinishedReason: 'AGENT_FAULT' };
  await plantEntrant(admin, { raceId: latest, ...ownFault });
  await plantEntrant(admin, { raceId: latest, agentVersionId: unfinished });
  await plantEntrant(admin, { raceId: older, agentVersionId: long, raceScore: '0.4000' });
  await plantTop(admin, older, top);

  t.is(await pin(survivor), survivor);
  t.is(await refusal(pin(eliminated, 'xaver')), 'NOT_PINNABLE below_threshold');
  t.is(
    await refusal(pin(dethroned, 'wanda')),
    'NOT_PINNABLE below_threshold',
    'it was the top once',
  );
  t.is(await pin(unfinished, 'yves'), unfinished, 'it did not finish and was not eliminated');
  t.is(await refusal(pin(long)), 'NOT_PINNABLE below_threshold', 'of the race before the last');
  t.is(await pin(top, 'zoe'), top);
  // Another suite was active in between, of which the owner of the reign has not heard.
  await admin`
    update suite set activated_at = (select top_at from top_agent) + interval '5.1 seconds'
    where suite_id = ${suiteId}`;
  t.is(await refusal(pin(top, 'zoe')), 'NOT_PINNABLE below_threshold');
});

test('pins are locked from the close on, and before it once it is due', async (t) => {
  const { admin, suiteId, planted, pin, unpin, refusal, pins } = await start(t);
  const raceId = await plantRace(admin, raceOf(suiteId));
  const [kept, other] = await Promise.all([
    plantVersion(admin, planted),
    plantVersion(admin, planted),
  ]);
  await pin(kept);
  const states = [
    ['QUALIFYING_OPEN', -0.001],
    ['QUALIFYING_CLOSED', 3600],
    ['RACE_RUNNING', -3600],
  ] as const;
  for (const [status, closesInSeconds] of states) {
    await admin`
      update race
      set status = ${status},
        qualifying_closes_at = rt.clock() + ${closesInSeconds} * interval '1 second'
      where race_id = ${raceId}`;
    t.is(await refusal(pin(other)), 'RACE_LOCKED', status);
    t.is(await refusal(pin(kept)), 'RACE_LOCKED', 'also for what would change nothing');
    t.is(await refusal(unpin()), 'RACE_LOCKED', status);
  }
  t.deepEqual([...(await pins())], [{ miner_hotkey: hotkey, agent_version_id: kept }]);

  await admin`update race set status = 'RACE_COMPLETE' where race_id = ${raceId}`;
  t.is(await pin(other), other, 'without a race that has not ended nothing locks');
});

test('a banned miner and a time without a suite pin nothing', async (t) => {
  const { admin, planted, pin, unpin, refusal } = await start(t);
  const version = await plantVersion(admin, planted);
  await admin`insert into hotkey_ban (hotkey, reason, banned_at) values (${hotkey}, 'x', rt.clock())`;
  t.is(await refusal(pin(version)), 'BANNED');
  t.is(await refusal(unpin()), 'BANNED');
  await admin`delete from hotkey_ban`;
  await admin`update suite set is_active = false`;
  t.is(await refusal(pin(version)), 'NO_ACTIVE_SUITE');
  t.is(await refusal(unpin()), 'NO_ACTIVE_SUITE');
});

type Admin = Awaited<ReturnType<typeof start>>['admin'];

const locked = (raceId: string) => (tx: Transaction) =>
  tx`select 1 from race where race_id = ${raceId} for update`;

const waits = (admin: Admin) =>
  until(async () => {
    const rows = await admin`
      select 1 from pg_stat_activity
      where datname = current_database() and application_name = 'services'
        and wait_event_type = 'Lock'`;
    return rows.length > 0;
  });

test('a pin that meets the close waits for it and is refused', async (t) => {
  const { admin, suiteId, planted, pin, refusal, pins } = await start(t);
  const raceId = await plantRace(admin, raceOf(suiteId));
  const version = await plantVersion(admin, planted);
  let refused: Promise<string> | undefined;
  await holdLock(admin, locked(raceId), async (close) => {
    refused = refusal(pin(version));
    await waits(admin);
    await close`update race set status = 'QUALIFYING_CLOSED' where race_id = ${raceId}`;
  });

  t.is(await refused, 'RACE_LOCKED');
  t.is((await pins()).length, 0);
});

test('a pin that meets the end of a race counts for the next one', async (t) => {
  const { admin, suiteId, planted, pin } = await start(t);
  const raceId = await plantRace(admin, raceOf(suiteId, 'RACE_RUNNING'));
  const version = await plantVersion(admin, planted);
  let pinned: Promise<string | undefined> | undefined;
  await holdLock(admin, locked(raceId), async (end) => {
    pinned = pin(version);
    await waits(admin);
    await end`update race set status = 'RACE_COMPLETE' where race_id = ${raceId}`;
    await plantRace(end as never, { ...raceOf(suiteId), raceNumber: 2 });
  });

  t.is(await pinned, version);
});

test('a close that meets a pin waits for it', async (t) => {
  const gate = Promise.withResolvers<undefined>();
  const reached = Promise.withResolvers<undefined>();
  const slow: (plain: Transact) => Transact = (plain) => (body) =>
    plain(async (tx) => {
      const answer = await body(tx);
      reached.resolve(undefined);
      await gate.promise;
      return answer;
    });
  const { admin, suiteId, planted, pin } = await start(t, slow);
  const raceId = await plantRace(admin, raceOf(suiteId));
  const version = await plantVersion(admin, planted);
  const pinned = pin(version);
  await reached.promise;

  const close = () => admin`select 1 from race where race_id = ${raceId} for update nowait`;
  await t.throwsAsync(close, { message: /could not obtain lock/ });
  gate.resolve(undefined);
  t.is(await pinned, version);
  t.is((await close()).length, 1);
});
