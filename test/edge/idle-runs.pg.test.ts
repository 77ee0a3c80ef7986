import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { claim, episode, resultsPath, runPath, submit } from '../support/evaluation-client.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';

const noProgressMs = 8_000;
const runLimitMs = 30_000;
/** A crowded machine is late, a takeover gives every lease a window, and neither may take for ever. */
const lateMs = 30_000;

let service: TestService;
test.before(async () => {
  service = await startTestService({
    coordinators: 2,
    env: {
      ...{ LEASE_SECONDS: '8', CLAIM_LEASE_SECONDS: '8', HEARTBEAT_SECONDS: '2' },
      NO_PROGRESS_SECONDS: String(noProgressMs / 1000),
      RUN_LIMIT_SECONDS: String(runLimitMs / 1000),
    },
  });
});
test.after.always(() => service?.stop());

/** Beats until it is refused; answers how long that took from the claim, and the refusal. */
async function beatUntilOver(validator: TestKey, evalRunId: string, sinceMs: number) {
  for (;;) {
    const answer = await validator.post(runPath(evalRunId, 'heartbeat'));
    const body = (await answer.json()) as { error_code?: string; run_status?: string };
    const tookMs = Date.now() - sinceMs;
    if (answer.status === 409 || tookMs > runLimitMs + lateMs) return { tookMs, body };
    await sleep(300);
  }
}

// Both beat without a pause, and their owner goes away meanwhile.
test('who beats and does nothing, or works for ever, loses the run, also after a takeover', async (t) => {
  const suite = await openTrialSuite(service, { taskCount: 40, requiredSuccesses: 2 });
  await submit(await service.miner('miner'));
  const idle = await service.validator('idle');
  const busy = await service.validator('busy');
  const claimedMs = Date.now();
  const idleRun = await claim(idle);
  const busyRun = await claim(busy);

  const working = new AbortController();
  const work = async () => {
    for (const task of suite.tasks) {
      if (working.signal.aborted) return;
      await busy.post(resultsPath, { results: [episode(busyRun.eval_run_id, { suite, task })] });
      await sleep(1_000);
    }
  };
  const [idleEnd, busyEnd] = await Promise.all([
    beatUntilOver(idle, idleRun.eval_run_id, claimedMs),
    beatUntilOver(busy, busyRun.eval_run_id, claimedMs).finally(() => working.abort()),
    work(),
    sleep(2_000).then(() => service.coordinators[0]?.[Symbol.asyncDispose]()),
  ]);

  for (const { body } of [idleEnd, busyEnd]) {
    t.like(body, { error_code: 'LEASE_EXPIRED', run_status: 'STALE' });
  }
  t.true(idleEnd.tookMs >= noProgressMs && idleEnd.tookMs < noProgressMs + lateMs);
  t.true(busyEnd.tookMs >= runLimitMs && busyEnd.tookMs < runLimitMs + lateMs);
  const reasonOf = async ({ eval_run_id }: { eval_run_id: string }) => {
    const [end] = await service.sql<{ reason: string | null }[]>`
      select end_reason as reason from evaluation_run where eval_run_id = ${eval_run_id}`;
    return end?.reason;
  };
  // A run is refused from its end on, and marked by the next round of its owner.
  for (const run of [idleRun, busyRun]) await until(async () => Boolean(await reasonOf(run)));
  t.is(await reasonOf(idleRun), 'NO_PROGRESS');
  t.is(await reasonOf(busyRun), 'RUN_LIMIT');
  t.log(`no progress ${idleEnd.tookMs} ms, run limit ${busyEnd.tookMs} ms after the claim`);
});
