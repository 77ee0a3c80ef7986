/**
 * What a reference validator leaves when it is killed, stopped or refused, and what becomes of it: a process
 * with variables on a real service, which goes away between the two where a test says so.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { until } from '../../support/until.ts';
import { careful, openShopDesk } from './shop-desk.ts';
import {
  type Gate,
  openGate,
  type ShopWorld,
  startValidator,
  submitAs,
} from './validator-world.ts';

const desk = openShopDesk();
const { discard, endedRun, episodeIdsOf, hasSandbox, runsOf, statusOf } = desk;
let world: ShopWorld;

test.before('a service', async (t) => {
  t.timeout(300_000);
  // Longer than any test lets a service be away.
  world = await desk.open({ LEASE_SECONDS: '600' });
});
test.after.always(() => desk.close());

/** A call of the validator is patient for a minute. */
const longerThanPatienceMs = 75_000;

/** What waits on disk to be sent. */
async function keptIn(dataDir: string): Promise<readonly string[]> {
  const names = await readdir(join(dataDir, 'state/queue')).catch(() => []);
  return names.filter((name) => /^\d+\.json$/.test(name));
}

test.serial(
  'what was not acknowledged outlives a kill and is sent at the next start',
  async (t) => {
    t.timeout(300_000);
    if (!(await hasSandbox(t))) return;
    await using gate = await openGate(world.service.baseUrls[0]);
    gate.isShut = (_method, path) => /episode-results|\/complete$/.test(path);
    world.store.isShut = true;
    const version = await submitAs(world, 20, await careful());
    const start = { index: 3, baseUrl: gate.url };
    await using first = await startValidator(world, start);
    const kept = () => keptIn(first.dataDir);
    // Thirty results in batches of ten, their episodes, and the completion.
    await until(async () => (await kept()).length === 3 + 30 + 1, 120_000);
    first.process.kill('SIGKILL');
    await first.ended;
    t.is((await kept()).length, 3 + 30 + 1);
    t.true(gate.turnedAway.length > 0);
    t.true(world.store.turnedAway >= 30);
    const before = gate.asked.length;
    await using second = await startValidator(world, start);
    // It has nothing to send to yet, and its lease must live until then.
    const beats = () => gate.asked.slice(before).filter((path) => path.endsWith('/heartbeat'));
    await until(async () => beats().length > 0);
    gate.isShut = () => false;
    world.store.isShut = false;
    const run = await endedRun(version);

    t.like(run, { status: 'SUCCESS', validator_score: 1 });
    t.is((await runsOf(version)).length, 1);
    await until(async () => (await kept()).length === 0);
    const episodes = await episodeIdsOf(version);
    t.is(episodes.length, 30);
    for (const id of episodes) {
      const body = { artifact_type: 'EPISODE' as const, episode_result_id: id };
      await t.notThrowsAsync(world.operator.api.postPublicArtifactsDownloadUrl({ body }));
    }
    second.process.kill('SIGTERM');
    t.is((await second.ended).code, 0);
  },
);

const slow = 'import time\n\ndef agent_main(problem):\n    time.sleep(1)\n';

/** A validator dies in the middle of a run, of which ten results wait on its disk. */
async function killHalfPlayed({ index, gate }: { readonly index: number; readonly gate: Gate }) {
  gate.isShut = (_method, path) => path.endsWith('/episode-results');
  const version = await submitAs(world, index, slow);
  const start = { index, baseUrl: gate.url };
  await using validator = await startValidator(world, start);
  await until(async () => (await keptIn(validator.dataDir)).length > 0, 120_000);
  validator.process.kill('SIGKILL');
  await validator.ended;
  return { version, start };
}

const isGivenBack = async (version: string) =>
  (await runsOf(version)).some(({ status }) => status === 'CANCELLED');

test.serial(
  'a run that was killed half played is given back before its results are sent',
  async (t) => {
    t.timeout(300_000);
    if (!(await hasSandbox(t))) return;
    await using gate = await openGate(world.service.baseUrls[0]);
    const { version, start } = await killHalfPlayed({ index: 22, gate });
    await using validator = await startValidator(world, start);
    await until(() => isGivenBack(version));

    t.true((await keptIn(validator.dataDir)).length > 0, 'its results wait');
    await discard(version);
    gate.isShut = () => false;
    await until(async () => (await keptIn(validator.dataDir)).length === 0);
    validator.process.kill('SIGTERM');
    t.is((await validator.ended).code, 0);
  },
);

test.serial('it is given back once somebody answers, however long that takes', async (t) => {
  t.timeout(400_000);
  if (!(await hasSandbox(t))) return;
  await using gate = await openGate(world.service.baseUrls[0]);
  const { version, start } = await killHalfPlayed({ index: 23, gate });
  gate.isShut = () => true;
  await using validator = await startValidator(world, start);
  await sleep(longerThanPatienceMs);
  t.false(await isGivenBack(version));
  gate.isShut = () => false;
  await until(() => isGivenBack(version));

  await discard(version);
  validator.process.kill('SIGTERM');
  const { code, log } = await validator.ended;
  t.is(code, 0);
  t.regex(log, /"not released"/, 'it was given up once');
});

test.serial('a run whose results are refused for good is given back at once', async (t) => {
  t.timeout(300_000);
  if (!(await hasSandbox(t))) return;
  await using gate = await openGate(world.service.baseUrls[0]);
  gate.isRefused = (path) => path.endsWith('/episode-results');
  const version = await submitAs(world, 21, await careful());
  await using validator = await startValidator(world, { index: 21, baseUrl: gate.url });
  // A whole run comes before: a sandbox for each of its tasks.
  await until(
    async () => (await runsOf(version)).some(({ status }) => status === 'CANCELLED'),
    180_000,
  );

  t.like(await statusOf(version), { failed_run_count: 0 });
  await discard(version);
  validator.process.kill('SIGTERM');
  const { code, log } = await validator.ended;
  t.is(code, 0);
  t.regex(log, /"released".*its results were refused: .*not like this/);
});

test.serial(
  'SIGTERM gives back the run that cannot be finished, and nobody is blamed',
  async (t) => {
    t.timeout(300_000);
    if (!(await hasSandbox(t))) return;
    const code = 'import time\n\ndef agent_main(problem):\n    time.sleep(30)\n';
    const version = await submitAs(world, 30, code);
    await using validator = await startValidator(world, {
      index: 4,
      env: { VALIDATOR_DRAIN_SECONDS: '1' },
    });
    await until(async () => (await runsOf(version)).some(({ status }) => status === 'RUNNING'));
    validator.process.kill('SIGTERM');
    const { code: exit, log } = await validator.ended;

    t.is(exit, 0, log);
    const [run] = await runsOf(version);
    t.like(run, { status: 'CANCELLED', failure_class: null });
    t.like(await statusOf(version), { live_run_count: 0, failed_run_count: 0 });
    await discard(version);
  },
);

test.serial(
  'a validator that was killed in the middle of a run gives it back when it returns',
  async (t) => {
    t.timeout(300_000);
    if (!(await hasSandbox(t))) return;
    const code = 'import time\n\ndef agent_main(problem):\n    time.sleep(30)\n';
    const version = await submitAs(world, 31, code);
    await using first = await startValidator(world, { index: 5 });
    await until(async () => (await runsOf(version)).some(({ status }) => status === 'RUNNING'));
    first.process.kill('SIGKILL');
    await first.ended;
    await using second = await startValidator(world, {
      index: 5,
      env: { VALIDATOR_DRAIN_SECONDS: '0' },
    });
    await until(async () => (await runsOf(version)).some(({ status }) => status === 'CANCELLED'));

    t.true((await runsOf(version)).every(({ failure_class: blamed }) => blamed === null));
    second.process.kill('SIGTERM');
    t.is((await second.ended).code, 0);
    await discard(version);
  },
);

test.serial(
  'a run that was played to its end is completed, not given back, though a kill took its log',
  async (t) => {
    t.timeout(300_000);
    if (!(await hasSandbox(t))) return;
    await using gate = await openGate(world.service.baseUrls[0]);
    gate.isShut = (_method, path) => path.endsWith('/uploads/presign');
    const code = 'def agent_main(problem):\n    raise ValueError("no mugs")\n';
    const version = await submitAs(world, 32, code);
    const start = { index: 2, baseUrl: gate.url };
    await using first = await startValidator(world, start);
    await until(async () => gate.turnedAway.length > 0, 120_000);
    first.process.kill('SIGKILL');
    await first.ended;
    gate.isShut = () => false;
    await using second = await startValidator(world, start);
    const run = await endedRun(version);

    t.like(run, { status: 'FAILED', failure_class: 'AGENT', validator_hotkey: second.hotkey });
    t.regex(run.failure_reason ?? '', /^raised: .*ValueError: no mugs/);
    t.is((await runsOf(version)).length, 1);
    await until(async () => !existsSync(join(second.dataDir, 'state/run.json')));
    t.false(gate.asked.some((path) => path.endsWith('/release')));
    second.process.kill('SIGTERM');
    t.is((await second.ended).code, 0);
  },
);
