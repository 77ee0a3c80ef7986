import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { startEmbeddedChain } from '../../infra/chain/embedded/chain-node.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { startProxy } from '../chaos/net/proxy.ts';
import { startTestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { claim, runPath, submit } from '../support/evaluation-client.ts';
import { temporaryFolder } from '../support/temporary-servers.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';

const leaseSeconds = 12;
/** Longer than between the first two questions, or the first one would be asked about again. */
const [cacheSeconds, graceSeconds] = [30, 4];
/** Longer than a lease, and than hosts take to miss an edge. */
const apartMs = 18_000;

/** A chain node that can be taken away from the service. */
async function startFarChain(t: ExecutionContext) {
  const dataDir = await temporaryFolder();
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  const node = await startEmbeddedChain({ dataDir, netuid: 1, clock: systemClock });
  t.teardown(() => node.stop());
  const proxy = await startProxy(() => node.port);
  t.teardown(() => proxy.stop());
  return proxy;
}

/** Beats twice a second until it is told to stop: from when on it was refused, and how it was answered since `at`. */
function keepBeating(t: ExecutionContext, validator: TestKey, evalRunId: string) {
  let isOver = false;
  const answers: { readonly atMs: number; readonly code: string }[] = [];
  const beat = async () => {
    const answer = await validator.post(runPath(evalRunId, 'heartbeat'));
    const { error_code: code } = (await answer.json()) as { error_code?: string };
    answers.push({ atMs: Date.now(), code: code ?? String(answer.status) });
  };
  const beating = (async () => {
    while (!isOver) {
      await beat();
      await sleep(500);
    }
  })();
  const stop = async () => {
    isOver = true;
    await beating;
  };
  t.teardown(stop);
  const refusedAtMs = () => answers.find(({ code }) => code === 'CHAIN_UNAVAILABLE')?.atMs;
  return { stop, refusedAtMs, last: () => answers.at(-1)?.code };
}

// Grace runs from each caller's own last answer, so it ends for one after the other. Who is refused first must
// not lose its run because others are heard meanwhile, nor anybody when all are refused: the silence is ours.
test('while the chain is away for longer than its grace no lease ends', async (t) => {
  const chain = await startFarChain(t);
  const service = await startTestService({
    env: {
      ...{ LEASE_SECONDS: `${leaseSeconds}`, CLAIM_LEASE_SECONDS: `${leaseSeconds}` },
      ...{ HEARTBEAT_SECONDS: '2', CHAIN_RPC_URL: `http://127.0.0.1:${chain.port}` },
      ...{ CHAIN_CACHE_SECONDS: `${cacheSeconds}`, CHAIN_GRACE_SECONDS: `${graceSeconds}` },
    },
  });
  t.teardown(() => service.stop());
  await openTrialSuite(service);
  for (const seed of ['one', 'two']) await submit(await service.miner(seed));
  const run = async (seed: string) => {
    const validator = await service.validator(seed);
    const { eval_run_id: id } = await claim(validator);
    return { id, ...keepBeating(t, validator, id) };
  };
  const first = await run('first');
  await sleep(apartMs);
  const second = await run('second');
  await until(async () => second.last() === '200');
  t.is(first.last(), '200');
  const statuses = async () => {
    const rows = await service.sql<{ status: string }[]>`
      select status from evaluation_run where eval_run_id in (${first.id}, ${second.id})`;
    return rows.map(({ status }) => status);
  };

  chain.refuse();
  chain.cut();
  await until(async () => first.refusedAtMs() !== undefined, 60_000);
  t.is(second.last(), '200', 'has grace left');
  await until(async () => second.refusedAtMs() !== undefined, 60_000);
  t.true((second.refusedAtMs() ?? 0) - (first.refusedAtMs() ?? 0) > leaseSeconds * 1000);
  t.deepEqual(await statuses(), ['RUNNING', 'RUNNING']);
  await sleep(1.5 * leaseSeconds * 1000);
  t.deepEqual(await statuses(), ['RUNNING', 'RUNNING']);

  chain.clear();
  await until(async () => first.last() === '200' && second.last() === '200');
  // All that was given was time: now the silence is their own.
  await Promise.all([first.stop(), second.stop()]);
  await until(async () => (await statuses()).every((status) => status === 'STALE'), 120_000);
});
