import { once } from 'node:events';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import test from 'ava';
import { defaultPolicy } from '../../actors/runtime/policy.ts';
import { startTestService } from '../support/edge.ts';
import { claim, runPath, submit } from '../support/evaluation-client.ts';
import type { SenderPlan } from '../support/heartbeat-sender.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { heartbeatBytesMax } from './request-costs-bounds.ts';

const warmUp = 4_000;
const rounds = 12;
const perRound = 500;

// What is allocated is counted as it grows, so collecting it changes nothing. Timers of the service
// allocate as well: of several rounds the least counts.
test('a heartbeat allocates little, edge and owner together', async (t) => {
  t.timeout(300_000);
  await using stack = new AsyncDisposableStack();
  const service = await startTestService({ policy: defaultPolicy, checkResponses: false });
  stack.defer(() => service.stop());
  await openTrialSuite(service);
  await submit(await service.miner('miner'));
  const validator = await service.validator('validator');
  const { eval_run_id: run } = await claim(validator);
  const plan: SenderPlan = {
    baseUrl: service.baseUrl,
    path: runPath(run, 'heartbeat'),
    token: await validator.openSession(),
  };
  const program = new URL('../support/heartbeat-sender.ts', import.meta.url);
  const sender = new Worker(program, { workerData: plan });
  stack.defer(async () => void (await sender.terminate()));
  const send = async (count: number) => {
    sender.postMessage(count);
    const [taken] = await once(sender, 'message');
    t.is(taken, count);
  };
  await send(warmUp);
  const each: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = allocatedBytes();
    await send(perRound);
    each.push((allocatedBytes() - before) / perRound);
  }
  const least = Math.min(...each);
  t.true(least > 0);
  t.log(`${Math.round(least)} bytes`);
  t.true(least <= heartbeatBytesMax, `${least} bytes a heartbeat`);
});

/** Since the start of this thread; the types of Node do not know it yet. */
function allocatedBytes(): number {
  return Number(Reflect.get(getHeapStatistics(), 'total_allocated_bytes'));
}
