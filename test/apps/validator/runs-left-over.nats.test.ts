/**
 * What a reference validator leaves when it is killed, stopped or refused, and what becomes of it: a process
 * with variables on a real service, which goes away between the two where a test says so.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { freePort } from '../../../infra/local/free-port.ts';
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

/** What waits on disk to be sent. */
async function keptIn(dataDir: string, lane = 'queue'): Promise<readonly string[]> {
  const names = await readdir(join(dataDir, 'state', lane)).catch(() => []);
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
const slower = 'import time\n\ndef agent_main(problem):\n    time.sleep(30)\n';
const raising = 'def agent_main(problem):\n    raise ValueError("no mugs")\n';

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

/** How many of its runs ended how, as a validator counts them. */
async function endsTold(metricsPort: number): Promise<Readonly<Record<string, number>>> {
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const told = metrics.matchAll(/^paddock_validator_runs_total\{.*end="(\w+)".*\} (\d+)/gm);
  return Object.fromEntries([...told].map(([, end, count]) => [end, Number(count)]));
}

const isGivenBack = async (version: string) =>
  (await runsOf(version)).some(({ status }) => status === 'CANCELLED');

test.serial(
  'a run that was killed half played is given back, and its results are not waited for',
  async (t) => {
    t.timeout(300_000);
    if (!(await hasSandbox(t))) return;
    await using gate = await openGate(world.service.baseUrls[0]);
    const { version, start } = await killHalfPlayed({ index: 22, gate });
    await using validator = await startValidator(world, start);
    await until(() => isGivenBack(version));
    // Nobody will take them.
    await until(async () => (await keptIn(validator.dataDir)).length === 0);

    await discard(version);
    validator.process.kill('SIGTERM');
    t.is((await validator.ended).code, 0);
  },
);

test.serial('it is given back once somebody answers, however long that takes', async (t) => {
  t.timeout(300_000);
  if (!(await hasSandbox(t))) return;
  await using gate = await openGate(world.service.baseUrls[0]);
  const version = await submitAs(world, 23, slower);
  const start = { index: 23, baseUrl: gate.url, env: { VALIDATOR_DRAIN_SECONDS: '0' } };
  await using first = await startValidator(world, start);
  await until(async () => (await runsOf(version)).some(({ status }) => status === 'RUNNING'));
  gate.isShut = () => true;
  first.process.kill('SIGTERM');
  t.is((await first.ended).code, 0);
  t.deepEqual(await keptIn(first.dataDir), [], 'no result waits');
  t.is((await keptIn(first.dataDir, 'releases')).length, 1);
  await using second = await startValidator(world, start);
  const asked = gate.asked.length;
  await until(() => gate.asked.length > asked + 3);
  second.process.kill('SIGKILL');
  await second.ended;
  t.false(await isGivenBack(version));
  await using third = await startValidator(world, start);
  gate.isShut = () => false;
  await until(() => isGivenBack(version));

  await discard(version);
  third.process.kill('SIGTERM');
  t.is((await third.ended).code, 0);
  t.regex((await third.ended).log, /"released".*"stopping"/);
});

test.serial('a run whose completion is refused for good is given back at once', async (t) => {
  t.timeout(300_000);
  if (!(await hasSandbox(t))) return;
  await using gate = await openGate(world.service.baseUrls[0]);
  gate.isRefused = (path) => path.endsWith('/complete');
  const version = await submitAs(world, 24, raising);
  const metricsPort = await freePort();
  const env = {
    VALIDATOR_DRAIN_SECONDS: '0',
    // It rests for longer than it takes to discard what it would be offered again.
    VALIDATOR_IDLE_SECONDS: '30',
    METRICS_PORT: String(metricsPort),
  };
  await using validator = await startValidator(world, { index: 24, baseUrl: gate.url, env });
  await until(() => isGivenBack(version), 120_000);
  await discard(version);
  const asked = (end: string) => gate.asked.filter((path) => path.endsWith(end));
  await until(async () => (await endsTold(metricsPort))['refused'] === asked('/complete').length);

  t.deepEqual(await endsTold(metricsPort), { refused: asked('/complete').length });
  t.is(asked('/release').length, asked('/complete').length);
  validator.process.kill('SIGTERM');
  const { code, log } = await validator.ended;
  t.is(code, 0);
  t.regex(log, /"released".*its completion was refused: .*not like this/);
});

test.serial('so is one that an earlier process had played to its end', async (t) => {
  t.timeout(300_000);
  if (!(await hasSandbox(t))) return;
  await using gate = await openGate(world.service.baseUrls[0]);
  gate.isShut = (_method, path) => path.endsWith('/complete');
  const version = await submitAs(world, 25, raising);
  const start = { index: 25, baseUrl: gate.url, env: { VALIDATOR_DRAIN_SECONDS: '0' } };
  await using first = await startValidator(world, start);
  await until(() => gate.turnedAway.length > 0, 120_000);
  first.process.kill('SIGKILL');
  await first.ended;
  gate.isShut = () => false;
  gate.isRefused = (path) => path.endsWith('/complete');
  await using second = await startValidator(world, start);
  await until(() => isGivenBack(version));
  await discard(version);
  const [, run] = /evaluation-runs\/([^/]+)\/complete$/m.exec(gate.asked.join('\n')) ?? [];
  const released = () => gate.asked.filter((path) => path.endsWith(`${run}/release`));
  await until(async () => (await keptIn(second.dataDir, 'releases')).length === 0);
  t.is(released().length, 1);
  await until(async () => (await keptIn(second.dataDir)).length === 0);

  second.process.kill('SIGTERM');
  t.is((await second.ended).code, 0);
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
    const version = await submitAs(world, 30, slower);
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
    const version = await submitAs(world, 31, slower);
    await using gate = await openGate(world.service.baseUrls[0]);
    await using first = await startValidator(world, { index: 5, baseUrl: gate.url });
    // As soon as it is known to hold one.
    gate.isShut = (_method, path) => path.endsWith('/heartbeat') && first.process.kill('SIGKILL');
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
    const version = await submitAs(world, 32, raising);
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
