import assert from 'node:assert/strict';
import { signalProcess } from '../../support/coordinator-faults.ts';
import { until } from '../../support/until.ts';
import type { ChaosProcess } from '../world/chaos-world.ts';
import type { Drill } from './drill.ts';
import type { DrillWorld } from './drill-world.ts';
import { beat, giveBack, keepBeating, members, runUnderWay } from './steps.ts';

const edgeDead: Drill = {
  name: 'edge-dead',
  faults: ['An edge is dead'],
  async run(world) {
    const { panel, service } = world;
    const run = await runUnderWay(world);
    world.kill('edge-1');
    await panel.seesLog('an edge fell silent');
    // A client that asks the next edge is served.
    const [, second = ''] = service.baseUrls;
    const { status } = await panel.askOf(second, { method: 'GET', path: '/health/deep' });
    assert.equal(status, 200);
    world.startAgain('edge-1');
    await panel.seesAllWell();
    await giveBack(run.validator, run.evalRunId);
  },
};

const coordinatorFrozen: Drill = {
  name: 'coordinator-frozen',
  faults: ['frozen'],
  async run(world) {
    const { panel } = world;
    const run = await runUnderWay(world);
    const beating = keepBeating(run.validator, run.evalRunId);
    const { kept } = world.process('coordinator-1');
    assert.ok(signalProcess(kept, 'SIGSTOP'));
    try {
      // Of the other one, for a frozen process shows no metrics.
      const before = await panel.metric('paddock_partition_epoch_changes_total');
      await until(async () => (await live(world)).length === 1, 20_000);
      await until(async () => (await live(world))[0]?.partition_count === 69, 20_000);
      await panel.seesMetric('paddock_partition_epoch_changes_total', (now) => now > before);
    } finally {
      // The page says to kill it; what it still believes is refused by the fence anyway.
      signalProcess(kept, 'SIGKILL');
    }
    await until(async () => (await live(world)).length === 2, 30_000);
    await panel.seesAllWell();
    await beating.stop();
    assert.equal(await beat(run.validator, run.evalRunId), 200, 'the lease outlived the freeze');
    await giveBack(run.validator, run.evalRunId);
  },
};

async function live(world: DrillWorld) {
  return (await members(world)).filter(({ is_live }) => is_live);
}

const coordinatorsDead: Drill = {
  name: 'coordinators-dead',
  async run(world) {
    const { panel } = world;
    const run = await runUnderWay(world);
    for (const { name } of world.coordinators()) world.kill(name);
    await panel.seesRefusal('OWNER_UNAVAILABLE', () =>
      run.validator.request('POST', `/v1/validator/evaluation-runs/${run.evalRunId}/heartbeat`),
    );
    await panel.seesRed('coordinator', 'no coordinator is alive');
    await panel.seesRed('partitions', 'partitions have no owner');
    await panel.seesRed('writes', 'nothing was written for ten seconds');
    await panel.seesStuck('partition', 'no live process serves it');
    assert.equal((await panel.ask('GET', '/v1/public/leaderboard')).status, 200, 'reads go on');
    for (const { name } of world.coordinators()) world.startAgain(name);
    const beating = keepBeating(run.validator, run.evalRunId);
    await panel.seesAllWell();
    await beating.stop();
    assert.equal(await beat(run.validator, run.evalRunId), 200, 'the outage was forgiven');
    await panel.seesMetric('paddock_lease_amnesties_total', (count) => count > 0);
    await giveBack(run.validator, run.evalRunId);
  },
};

const drain: Drill = {
  name: 'drain',
  async run(world) {
    const { panel } = world;
    const [first, second] = await live(world);
    assert.ok(first !== undefined && second !== undefined);
    const route = 'POST /v1/admin/actors/{id}/drain';
    const body = { reason: 'a new host' };
    await panel.order(route, { params: { id: first.member_id }, body });
    await until(async () => {
      const drained = (await members(world)).find((each) => each.member_id === first.member_id);
      return drained?.partition_count === 0;
    }, 60_000);
    await panel.seesRefusal('LAST_ACTOR', () =>
      panel.ask('POST', `/v1/admin/actors/${second.member_id}/drain`, body),
    );
    // Only its restart takes the order back.
    const drained = world.coordinators().find(({ name }) => first.member_id.startsWith(name));
    assert.ok(drained !== undefined && signalProcess(drained.kept, 'SIGTERM'));
    await until(async () => {
      const now = await live(world);
      return now.length === 2 && now.every((each) => !each.is_draining);
    }, 60_000);
    await panel.seesAllWell();
  },
};

const rolling: Drill = {
  name: 'rolling-restart',
  faults: ['A restart of everything'],
  async run(world) {
    const { panel, service } = world;
    const run = await runUnderWay(world);
    const beating = keepBeating(run.validator, run.evalRunId);
    const order = [...service.processes].sort((a, b) => a.kind.localeCompare(b.kind));
    assert.equal(order[0]?.kind, 'coordinator', 'coordinators before edges');
    const expiries = (each: ChaosProcess) => panel.metricOf(each, 'paddock_lease_expiries_total');
    for (const [index, each] of order.entries()) {
      const { kept } = each;
      const { pid } = kept;
      // Whoever takes over meanwhile may end a lease of another: nobody may have ended one.
      const others = order.filter((_, other) => other !== index);
      const before = await Promise.all(others.map(expiries));
      assert.ok(signalProcess(kept, 'SIGTERM'));
      await until(() => kept.pid !== pid, 30_000);
      await panel.seesAllWell();
      assert.deepEqual(await Promise.all(others.map(expiries)), before, 'no lease has ended');
      assert.equal(await expiries(each), 0, 'the new process has ended none');
    }
    await beating.stop();
    assert.equal(await beat(run.validator, run.evalRunId), 200, 'the run was never lost');
    await giveBack(run.validator, run.evalRunId);
  },
};

const overload: Drill = {
  name: 'overload',
  async run(world) {
    const { panel, service } = world;
    const run = await runUnderWay(world);
    const { postgres } = world.process('edge-1');
    const [url = ''] = service.baseUrls;
    const read = () => panel.askOf(url, { method: 'GET', path: '/v1/admin/audit-log?limit=1' });
    // Slow, not dead: what is asked stays under way.
    postgres.delay(200);
    const answers = Array.from({ length: 900 }, () => read().catch(() => undefined));
    try {
      await panel.seesMetric(inFlight, (value) => value >= 500);
      const codes = answers.map(async (answer) => (await answer)?.body['error_code']);
      await panel.seesRefusal('OVERLOADED', async () => ({
        body: { error_code: await Promise.any(codes.map(overloaded)) },
      }));
      assert.equal(await beat(run.validator, run.evalRunId), 200, 'heartbeats are taken');
    } finally {
      postgres.clear();
    }
    await Promise.all(answers);
    await panel.seesMetric(inFlight, (value) => value < 50);
    await panel.seesAllWell();
    await giveBack(run.validator, run.evalRunId);
  },
};

const inFlight = 'paddock_edge_in_flight';

/** Rejects for any other answer. */
async function overloaded(code: Promise<unknown>): Promise<unknown> {
  assert.equal(await code, 'OVERLOADED');
  return await code;
}

export const processDrills: readonly Drill[] = [
  edgeDead,
  coordinatorFrozen,
  coordinatorsDead,
  drain,
  rolling,
  overload,
];
