import assert from 'node:assert/strict';
import { join } from 'node:path';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { Drill } from './drill.ts';
import type { DrillWorld } from './drill-world.ts';
import { laySmallDisk, type SmallDisk, whyNoSmallDisk } from './small-disk.ts';
import { beat, giveBack, keepBeating, runUnderWay } from './steps.ts';

/** For what is written until the disk is filled: less than two segments of WAL. */
const roomMb = 24;
const walEndsWithinMs = 60_000;
const claimPath = '/v1/validator/work/claim';

/**
 * First no table can grow; then there is no room for WAL, and the server ends itself. Neither may cost
 * anything that was acknowledged.
 */
export const fullDisk: Drill = {
  name: 'postgres-disk-full',
  whyNot: whyNoSmallDisk,
  async run(world) {
    const { service, panel } = world;
    const data = join(service.dataDir, 'postgres');
    const disks: (SmallDisk & { lift(): Promise<void> })[] = [];
    await service.postgres.outage('SIGINT', 0, async () => {
      disks.push(await laySmallDisk(data, roomMb));
    });
    const [disk] = disks;
    if (disk === undefined) throw new Error('no disk was laid');
    try {
      await panel.seesAllWell();
      await fillTables(world, disk);
      await fillWal(world, disk);
    } finally {
      await service.postgres.outage('SIGINT', 0, () => disk.lift());
    }
  },
};

type Run = Awaited<ReturnType<typeof runUnderWay>>;

async function fillTables(world: DrillWorld, disk: SmallDisk): Promise<void> {
  const { panel } = world;
  const run = await runUnderWay(world);
  await disk.fill();
  const signed = () => run.validator.request('POST', claimPath);
  // Each leaves a nonce; the table grows when its last page is full.
  await panel.seesRefusal('STORE_UNAVAILABLE', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, signed));
    return answers.find(({ status }) => status === 503) ?? { body: null };
  });
  await panel.seesRed('writes', 'the last writes were not taken');
  assert.equal((await panel.ask('GET', '/v1/public/leaderboard')).status, 200, 'reads go on');
  await disk.makeRoom();
  await mended(world, run);
}

async function fillWal(world: DrillWorld, disk: SmallDisk): Promise<void> {
  const { panel, service } = world;
  const { postgres, sql } = service;
  const run = await runUnderWay(world);
  await disk.fill();
  const ended = new AbortController();
  void postgres.exited.then(() => ended.abort());
  const untilMs = performance.now() + walEndsWithinMs;
  while (!ended.signal.aborted && performance.now() < untilMs) {
    // To the next segment, which has to be made unless one is there already.
    await sql`select pg_logical_emit_message(false, 'drill', ''), pg_switch_wal()`.catch(() => 0);
    await systemClock.sleep(100, ended.signal);
  }
  assert.ok(ended.signal.aborted, 'the server goes on without room for WAL');
  await panel.seesRefusal('STORE_UNAVAILABLE', () => run.validator.request('POST', claimPath));
  await panel.seesRed('database');
  // It is dead already: what remains is to make room and to start it.
  await postgres.outage('SIGKILL', 0, () => disk.makeRoom());
  await mended(world, run);
}

async function mended(world: DrillWorld, { validator, evalRunId }: Run): Promise<void> {
  const beating = keepBeating(validator, evalRunId);
  await world.panel.seesAllWell();
  await beating.stop();
  assert.equal(await beat(validator, evalRunId), 200, 'the full disk cost no lease');
  await giveBack(validator, evalRunId);
}
