import { randomUUID } from 'node:crypto';
import test from 'ava';
import { evalPartitionOf } from '../../machines/partition-of.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { type Claimed, claimPath, submit } from '../support/evaluation-client.ts';
import { okBody, openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService({ env: { COOLDOWN_SECONDS: '0', MAX_CONCURRENT_RUNS: '2' } });
  await openTrialSuite(service);
});
test.after.always(() => service?.stop());

// The first try is on its way to the database when the second one, as its answer is late, meets another
// partition. Here it has arrived, and what tells of it is hidden until the second one is decided.
test('a claim that another partition has granted meanwhile is answered with what it granted', async (t) => {
  const first = await submit(await service.miner('first'));
  const part = evalPartitionOf(first.agent_version_id);
  const validator = await service.validator('twice');
  const headers = { 'idempotency-key': randomUUID() };
  const claim = () => validator.request('POST', claimPath, { headers });
  const run = await okBody<Claimed>(await claim());
  const other = await submittedBeside(part);
  await service.sql`update rt.inbox set msg_id = 'hidden ' || msg_id where part = ${part} and consumer = 'cmd'`;

  const fence = await service.sql.reserve();
  await fence`begin`;
  await fence`select from rt.partition where kind = 'eval' and part = ${other} for update`;
  const again = claim();
  await until(async () => (await waitingCommits()) > 0);
  await service.sql`
    update rt.inbox set msg_id = replace(msg_id, 'hidden ', '') where part = ${part} and consumer = 'cmd'`;
  await fence`commit`;
  fence.release();

  t.is((await okBody<Claimed>(await again)).eval_run_id, run.eval_run_id);
  t.is((await service.sql`select from evaluation_run`).length, 1);
});

/** The partition of the only version that waits, and that is none of the other one. */
async function submittedBeside(part: number): Promise<number> {
  for (;;) {
    const { agent_version_id: id } = await submit(await service.miner(randomUUID()));
    const other = evalPartitionOf(id);
    if (other !== part) return other;
    // One in 64 is; it would be offered first, and by who knows the claim.
    await service.sql`
      update work_item set state = 'CLOSED', closed_at = now() where agent_version_id = ${id}`;
  }
}

async function waitingCommits(): Promise<number> {
  const rows = await service.sql`
    select from pg_stat_activity
    where wait_event_type = 'Lock' and query like '%rt.commit(%' and datname = current_database()`;
  return rows.length;
}
