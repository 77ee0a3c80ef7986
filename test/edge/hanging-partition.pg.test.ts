import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import type { Transaction } from '../../infra/ports/sql.ts';
import { evalPartitionOf } from '../../machines/partition-of.ts';
import { startTestService } from '../support/edge.ts';
import { claim, complete, runPath, submit } from '../support/evaluation-client.ts';
import { holdLock } from '../support/held-lock.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';

test('one partition that commits nothing turns deep health red, while all others do', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.stop());
  await openTrialSuite(service);
  await submit(await service.miner('miner'));
  const validator = await service.validator('validator');
  const run = await claim(validator);
  const part = evalPartitionOf(run.agent_version_id);
  const reasonOfWrites = async () => {
    const answer = await service.call('GET', '/health/deep');
    const { probes } = (await answer.json()) as { probes: { writes: { reason?: string } } };
    return `${answer.status} ${probes.writes.reason ?? ''}`.trim();
  };
  const nonces = async () => {
    const [row] = await service.sql<{ count: number }[]>`
      select count(*)::integer as count from nonce where hotkey <> ${validator.hotkey}`;
    return row?.count ?? 0;
  };

  const lock = (tx: Transaction) =>
    tx`select from rt.partition where kind = 'eval' and part = ${part} for update`;
  await holdLock(service.sql, lock, async () => {
    const before = await nonces();
    const asked: Promise<Response>[] = [];
    // The first heartbeat is a commit, and stays the first while none was taken.
    await until(async () => {
      asked.push(validator.post(runPath(run.eval_run_id, 'heartbeat')));
      await sleep(500);
      return (await reasonOfWrites()) === '503 the last writes were not taken';
    });
    t.true((await nonces()) > before, 'other writes went on');
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    t.deepEqual([...new Set(statuses)], [503]);
  });

  await until(async () => {
    const body = { terminal_status: 'FAILED', failure_class: 'VALIDATOR', failure_reason: 'told' };
    return (await complete(validator, run.eval_run_id, body)).status === 200;
  });
  await until(async () => (await reasonOfWrites()) === '200');
});
