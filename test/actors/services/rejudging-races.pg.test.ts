import test, { type ExecutionContext } from 'ava';
import { rejudgedRacesMax } from '../../../actors/services/operator/messages.ts';
import { endGround } from '../../../actors/services/operator/rejudging/end-ground.ts';
import { orderRejudging } from '../../../actors/services/operator/rejudging/orders.ts';
import { rejudgingView } from '../../../actors/services/operator/rejudging/view.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { Fault } from '../../../machines/fault.ts';
import { plantJudgedRaces } from '../../support/judged-races.ts';
import { openOperatorDesk } from '../../support/operator-desk.ts';
import { seedSuite } from '../../support/race-seeds.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

const nothing = {
  ...{ validatorHotkey: null, agentVersionId: null, phase: null, envPackSha256: null },
  ...{ claimedFromMs: null, claimedUntilMs: null, taskId: null },
};
const race = { judged: { a: [900_000, 200_000], b: [500_000] }, anchor: '0.7000' } as const;

/** Two races, in the second of which the first version reigns. */
async function twoRaces(t: ExecutionContext) {
  const desk = await openOperatorDesk(t);
  const suiteId = await seedSuite(desk.admin);
  const planted = await plantJudgedRaces(desk.admin, suiteId, [race, race]);
  const order = (name: 'apply-rejudging' | 'cancel-rejudging') => {
    const { rejudgingId } = planted;
    return desk.service['order-rejudging'](
      { order: name, rejudgingId, reason: 'seen enough' },
      desk.command(),
    );
  };
  const view = async () => await rejudgingView(desk.admin, planted.rejudgingId);
  return { ...planted, sql: desk.admin, order, view };
}

/** `rt.race_results` asks this first, as a statement of PL/pgSQL. */
async function beforeResults(sql: Sql, statement: string): Promise<void> {
  await sql`alter function rt.race_results(uuid) rename to plain_results`;
  await sql.unsafe(`
    create function rt.race_results(p_race_id uuid) returns json language plpgsql as $$
    begin
      ${statement}
      return rt.plain_results(p_race_id);
    end $$`);
  await sql`
    grant execute on function rt.race_results(uuid), rt.plain_results(uuid) to paddock_service`;
}

for (const [order, ended] of [
  ['apply-rejudging', 'APPLYING'],
  ['cancel-rejudging', 'CANCELLED'],
] as const) {
  test(`${order} reads race by race, each a statement, and none while it holds the log`, async (t) => {
    const desk = await twoRaces(t);
    await beforeResults(
      desk.sql,
      `if current_setting('test.read', true) = statement_timestamp()::text then
        raise 'two races in one statement';
      end if;
      perform set_config('test.read', statement_timestamp()::text, true);
      if exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) then
        raise 'the log is held';
      end if;`,
    );
    const before = await desk.view();
    t.is(before?.preview.races.length, 2);

    await desk.order(order);

    const after = await desk.view();
    t.is(after?.rejudging.status, ended);
    t.deepEqual(after?.preview, before?.preview);
  });
}

test('a rejudging whose races cannot be read is cancelled all the same, and not applied', async (t) => {
  const desk = await twoRaces(t);
  await beforeResults(desk.sql, `raise 'it cannot be read';`);

  await t.throwsAsync(desk.order('apply-rejudging'), { message: 'it cannot be read' });
  await desk.order('cancel-rejudging');

  const view = await desk.view();
  t.is(view?.rejudging.status, 'CANCELLED');
  t.deepEqual(view?.preview.races, []);
});

test('what an order would apply was read before it, with every verdict', async (t) => {
  const { sql, rejudgingId, view } = await twoRaces(t);
  const request = { order: 'apply-rejudging', rejudgingId, reason: 'seen enough' } as const;
  const by = { id: rejudgingId, account: 'operator:ann', trace: {} };
  for (const ground of [undefined, { races: [], verdicts: new Map<string, number>() }]) {
    const apply = transaction(sql, {}, (tx) => orderRejudging(tx, request, by, ground));

    const fault = await t.throwsAsync(apply, { instanceOf: Fault });
    t.is(fault?.code, 'REJUDGING_NOT_READY');
  }
  t.is((await view())?.rejudging.status, 'READY');
});

for (const [order, lookMs, ends] of [
  ['apply-rejudging', 3_900, 'with both races'],
  ['apply-rejudging', 4_100, 'refused, to be asked again'],
  ['cancel-rejudging', 2_400, 'with both races'],
  ['cancel-rejudging', 2_600, 'without'],
] as const) {
  test(`${order} ends ${ends} where each takes ${lookMs} ms of ten seconds`, async (t) => {
    const { sql, rejudgingId } = await twoRaces(t);
    let looks = 0;
    const clock = { monotonicMs: () => lookMs * looks++ };
    const request = { order, rejudgingId, reason: 'seen enough' };
    const by = { id: rejudgingId, account: 'operator:ann', trace: {}, budgetMs: 10_000 };

    const read = endGround({ sql, clock, log: silentLogger }, request, by).then(
      (ground) => (ground === undefined ? 'without' : `with ${ground.races.length}`),
      ({ code }: Fault) => code,
    );

    const outcome = { 'with both races': 'with 2', without: 'without' } as const;
    t.is(await read, ends === 'refused, to be asked again' ? 'OVERLOADED' : outcome[ends]);
  });
}

test('runs of more than a month of races are refused, with how to split them', async (t) => {
  const desk = await openOperatorDesk(t);
  const suiteId = await seedSuite(desk.admin);
  const races = Array.from({ length: rejudgedRacesMax + 1 }, () => ({
    judged: { a: [900_000] as const },
    anchor: '0.9000',
  }));
  await plantJudgedRaces(desk.admin, suiteId, races);
  const [first] = await desk.admin<{ atMs: number }[]>`
    select rt.milliseconds(min(claimed_at))::float8 as "atMs" from evaluation_run`;
  const create = (claimedFromMs: number | null) =>
    desk.service['create-rejudging'](
      { criteria: { ...nothing, phase: 'RACE', claimedFromMs }, reason: null },
      desk.command(),
    );

  const fault = await t.throwsAsync(create(null), { instanceOf: Fault });
  const says = 'selects runs of races 1 to 32, and may of 31 in a row';
  const next = 'split them by claimed_from and claimed_until';
  t.true(JSON.stringify(fault?.extras).includes(`${says}: ${next}`));
  const { rejudgingId } = await create((first?.atMs ?? 0) + 1);
  const [made] = await desk.admin<{ runs: number }[]>`
    select count(*)::int as runs from rejudging_run where rejudging_id = ${rejudgingId}`;
  t.is(made?.runs, rejudgedRacesMax);
});

/** In the first race the first version falls behind the second, in the second its score is confirmed. */
const chained = [
  { judged: { a: [900_000, 200_000], b: [500_000] }, anchor: '0.7000' },
  { judged: { a: [600_000, 600_000], b: [610_000] }, anchor: '0.6050', challenged: '0.6690' },
  { judged: { a: [600_000], b: [600_000] }, anchor: '0.6000', challenged: '0.6650' },
] as const;

async function chain(t: ExecutionContext) {
  const desk = await openOperatorDesk(t);
  const { admin } = desk;
  const suiteId = await seedSuite(admin);
  const planted = await plantJudgedRaces(admin, suiteId, chained);
  await admin`
    insert into top_agent (top_id, suite_id, agent_version_id, miner_hotkey, race_id, score, top_at)
    select gen_random_uuid(), suite_id, ${planted.versionIds.get('a') ?? ''}, 'miner-a', race_id, 0.7,
      completed_at
    from race where race_number = 1`;
  const nameOf = new Map([...planted.versionIds].map(([name, id]) => [id, name]));
  const tops = async () => {
    const view = await rejudgingView(admin, planted.rejudgingId);
    return view?.preview.races.map(({ raceNumber, top: { was, becomes } }) =>
      [raceNumber, nameOf.get(was ?? ''), nameOf.get(becomes ?? '')].join(' '),
    );
  };
  return { sql: admin, tops };
}

test('races are compared one after the other, also those without judged runs', async (t) => {
  const { tops } = await chain(t);

  t.deepEqual(await tops(), ['1 a b', '2 a b', '3 a b']);
});

test('whoever would have reigned and was discarded before the next race reigns no more', async (t) => {
  const { sql, tops } = await chain(t);
  await sql`
    update agent_version set state = 'DISCARDED', discarded_at = (
      select completed_at - interval '1 hour' from race where race_number = 2)
    where agent_name = 'b'`;
  await sql`
    update race_entrant e set unfinished_reason = 'DISCARDED', race_score = null, weighted_score = null
    from race r
    where r.race_id = e.race_id and r.race_number > 1 and e.miner_hotkey = 'miner-b'`;

  t.deepEqual(await tops(), ['1 a b', '2 a a', '3 a a']);
});
