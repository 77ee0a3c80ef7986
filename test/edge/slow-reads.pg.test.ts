import test from 'ava';
import { transaction } from '../../infra/postgres/transaction.ts';
import { startTestService } from '../support/edge.ts';
import { claim, runPath, submit } from '../support/evaluation-client.ts';
import { openTrialSuite } from '../support/trial-suite.ts';

/** Each connection for reads has dozens of them before it, and each of those waits a second for its lock. */
const readers = 300;

test('heartbeats are taken while all connections for reads are busy', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.stop());
  await openTrialSuite(service);
  await submit(await service.miner('miner'));
  const validator = await service.validator('validator');
  const run = await claim(validator);
  let answered = 0;
  const reads: Promise<unknown>[] = [];
  await transaction(service.sql, {}, async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`;
    await tx`lock table audit_log in access exclusive mode`;
    for (let index = 0; index < readers; index += 1) {
      const read = service.operator('GET', '/v1/admin/audit-log?limit=1').catch(() => undefined);
      reads.push(read.finally(() => (answered += 1)));
    }
    const { status } = await validator.post(runPath(run.eval_run_id, 'heartbeat'));
    t.is(status, 200);
    t.true(answered < readers, 'the heartbeat did not wait for the reads');
  });
  await Promise.all(reads);
});
