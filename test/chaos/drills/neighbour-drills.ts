import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomId } from '../../../infra/ids/ids.ts';
import { until } from '../../support/until.ts';
import type { Drill } from './drill.ts';
import type { DrillWorld } from './drill-world.ts';
import { beat, claim, giveBack, keepBeating, ownerEnv, runUnderWay } from './steps.ts';

const claimPath = '/v1/validator/work/claim';

const forgiven = 'paddock_lease_amnesties_total';

const postgresDown: Drill = {
  name: 'postgres-down',
  async run(world) {
    const { panel, service } = world;
    const run = await runUnderWay(world);
    const before = await panel.metric(forgiven);
    const mended = Promise.withResolvers<void>();
    const outage = service.postgres.outage('SIGKILL', 0, () => mended.promise);
    await panel.seesRefusal('STORE_UNAVAILABLE', () => run.validator.request('POST', claimPath));
    await panel.seesRed('database');
    await panel.seesLog('lease renewal failed');
    mended.resolve();
    await outage;
    await mendedFor(world, run, before);
  },
};

/** What was under way before the outage still is. */
async function mendedFor(
  { panel }: DrillWorld,
  { validator, evalRunId }: Awaited<ReturnType<typeof runUnderWay>>,
  before: number,
): Promise<void> {
  const beating = keepBeating(validator, evalRunId);
  await panel.seesAllWell();
  await beating.stop();
  assert.equal(await beat(validator, evalRunId), 200, 'the outage cost no lease');
  await panel.seesMetric(forgiven, (count) => count > before);
  await giveBack(validator, evalRunId);
}

const postgresReadOnly: Drill = {
  name: 'postgres-read-only',
  async run(world) {
    const { panel, service } = world;
    const { sql } = service;
    const run = await runUnderWay(world);
    await sql`alter system set default_transaction_read_only = on`;
    await sql`select pg_reload_conf()`;
    try {
      await panel.seesRed('database', 'the database is read-only');
      await panel.seesRefusal('STORE_UNAVAILABLE', () => run.validator.request('POST', claimPath));
    } finally {
      // The session that mends it begins by being allowed to write.
      await sql.begin(async (mending) => {
        await mending`set transaction read write`;
      });
      await sql`alter system reset default_transaction_read_only`;
      await sql`select pg_reload_conf()`;
    }
    await panel.seesAllWell();
    await giveBack(run.validator, run.evalRunId);
  },
};

const history: Drill = {
  name: 'history-lost',
  async run(world) {
    const { panel, service } = world;
    const data = join(service.dataDir, 'postgres');
    const backup = join(service.dataDir, 'backup');
    await service.postgres.outage('SIGINT', 0, () => cp(data, backup, { recursive: true }));
    await panel.seesAllWell();
    const lost = await runUnderWay(world);
    // A copy outside is up to five seconds late.
    await until(async () => (await aheadBySeconds(world)) > 12, 30_000);
    await service.postgres.outage('SIGINT', 0, async () => {
      await rm(data, { recursive: true });
      await cp(backup, data, { recursive: true });
    });
    await panel.seesRefusal('READ_ONLY', () => lost.validator.request('POST', claimPath));
    await panel.seesRed('history', 'the database went back in time');
    await panel.seesMetric('paddock_history_lost', (value) => value > 0);
    await panel.seesLog('THE DATABASE WENT BACK IN TIME');
    assert.equal((await panel.ask('GET', '/v1/public/leaderboard')).status, 200, 'reads go on');
    const env = await ownerEnv(world);
    const compared = await panel.runs('npm run history', [], env);
    assert.equal(compared.code, 1, compared.text);
    const by = ['accept', '--operator', 'alice', '--reason', 'the disk burnt'];
    const accepted = await panel.runs('npm run history -- accept', by, env);
    assert.equal(accepted.code, 0, accepted.text);
    await panel.seesAllWell();
    await panel.seesLog('ready');
    assert.equal(await beat(lost.validator, lost.evalRunId), 404, 'a lost run never was');
  },
};

async function aheadBySeconds({ service: { sql } }: DrillWorld): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select extract(epoch from max(at) - min(claimed_at))::float8 as seconds
    from rt.mark cross join (select max(claimed_at) as claimed_at from evaluation_run) as newest`;
  return row?.seconds ?? 0;
}

const brokerDown: Drill = {
  name: 'broker-down',
  async run(world) {
    const { panel, service } = world;
    const run = await runUnderWay(world);
    const before = await panel.metric(forgiven);
    const mended = Promise.withResolvers<void>();
    const outage = service.nats.server.outage('SIGKILL', 0, () => mended.promise);
    await panel.seesRed('broker');
    await panel.seesRefusal('OUTCOME_UNKNOWN', () =>
      run.validator.request('POST', `/v1/validator/evaluation-runs/${run.evalRunId}/heartbeat`),
    );
    assert.equal((await panel.ask('GET', '/v1/public/leaderboard')).status, 200, 'reads go on');
    mended.resolve();
    await outage;
    await mendedFor(world, run, before);
  },
};

const brokerWiped: Drill = {
  name: 'broker-wiped',
  faults: ['NATS lost its store'],
  async run(world) {
    const { panel, service } = world;
    const run = await runUnderWay(world);
    await service.nats.server.outage('SIGKILL', 0, () => service.nats.forget());
    const beating = keepBeating(run.validator, run.evalRunId);
    await panel.seesAllWell();
    await beating.stop();
    assert.equal(await beat(run.validator, run.evalRunId), 200, 'the outage cost no lease');
    await giveBack(run.validator, run.evalRunId);
    // What goes through the streams goes again: a submission becomes work by a message.
    await giveBack(run.validator, (await claim(run.validator)).eval_run_id);
    await panel.seesMetric('paddock_outbox_age', (seconds) => seconds < 5);
    await panel.seesMetric('paddock_outbox_pending', (count) => count < 10);
  },
};

const storeDown: Drill = {
  name: 'store-down',
  async run(world) {
    const { panel, service } = world;
    const miner = await world.newMiner();
    service.store.refuse();
    service.store.cut();
    try {
      await panel.seesRed('object_store');
      await panel.seesRefusal('STORAGE_UNAVAILABLE', () => miner.request('POST', ...submission()));
      assert.equal((await panel.ask('GET', '/v1/public/leaderboard')).status, 200, 'reads go on');
    } finally {
      service.store.clear();
    }
    await panel.seesAllWell();
    assert.equal((await miner.request('POST', ...submission())).status, 200);
  },
};

function submission() {
  const form = new FormData();
  form.set('agent_name', 'shopper');
  const code = `def act(task):\n    return ${Math.random()}\n`;
  form.set('file', new Blob([code], { type: 'text/x-python' }), 'shopper.py');
  return ['/v1/miner/submit', { form, idempotencyKey: randomId() }] as const;
}

const chainDown: Drill = {
  name: 'chain-down',
  async run(world) {
    const { panel, chain } = world;
    const known = await runUnderWay(world);
    const stranger = await world.newValidator();
    chain.refuse();
    chain.cut();
    try {
      await panel.seesRefusal('CHAIN_UNAVAILABLE', () => stranger.request('POST', claimPath));
      assert.equal(await beat(known.validator, known.evalRunId), 200, 'the known go on');
      assert.equal((await panel.ask('GET', '/health/deep')).status, 200, 'writes are taken');
      panel.names.add('/health/deep');
    } finally {
      chain.clear();
    }
    await giveBack(stranger, (await claim(stranger)).eval_run_id);
    // The other edge asks the chain again a second after it last failed.
    await sleep(1_500);
    await giveBack(known.validator, known.evalRunId);
    await panel.seesAllWell();
  },
};

export const neighbourDrills: readonly Drill[] = [
  postgresDown,
  postgresReadOnly,
  history,
  brokerDown,
  brokerWiped,
  storeDown,
  chainDown,
];
