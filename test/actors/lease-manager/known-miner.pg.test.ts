import test, { type ExecutionContext } from 'ava';
import { uuidV5 } from '../../../infra/ids/ids.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { evalPartitionOf } from '../../../machines/partition-of.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addSuite, openDesk } from '../../support/eval-desk.ts';
import { submission } from '../../support/eval-world.ts';
import { holdLock, type Take } from '../../support/held-lock.ts';
import { patient } from '../../support/patient.ts';
import { until } from '../../support/until.ts';

const namespace = '00000000-0000-0000-0000-000000000000';

/** The same miner's, and another agent's in each partition: neither waits for the other's agent. */
function submissionOf(part: number, suiteId: number) {
  const agentName = `agent of ${part}`;
  const agent = { agentName, agentId: uuidV5(namespace, agentName), minerHotkey: 'miner' };
  for (let index = 0; ; index += 1) {
    const agentVersionId = uuidV5(namespace, `version ${index}`);
    if (evalPartitionOf(agentVersionId) === part)
      return submission(index, { ...agent, agentVersionId, suiteId });
  }
}

async function openPartitions(t: ExecutionContext) {
  const { url, sql } = await testDatabase(t);
  const line = { max: 2, applicationName: 'desks', role: 'paddock_actor' } as const;
  const own = createSql({ ...patient(url), ...line });
  t.teardown(() => closeSql(own));
  return { sql, desks: [await openDesk(own, 3), await openDesk(own, 4)] as const };
}

const takeSuites: Take = (tx) => tx`select from suite for update`;

async function heldUp(sql: Sql): Promise<number> {
  const commits = await sql`
    select from pg_stat_activity
    where datname = current_database() and application_name = 'desks' and wait_event_type = 'Lock'`;
  return commits.length;
}

// An edge sends one hotkey's submissions one after the other, but there are several edges. The row of a
// new miner is inserted by one commit alone; that of a known one has to be locked by both.
test('of two submissions of a known miner in two partitions at once one is admitted', async (t) => {
  const { sql, desks } = await openPartitions(t);
  const [third, fourth] = desks;
  const suiteId = await addSuite(sql);
  await sql`insert into miner (hotkey) values ('miner')`;

  let sent: ReturnType<typeof third.do>[] = [];
  await holdLock(sql, takeSuites, async () => {
    sent = [
      third.do('submit-version', submissionOf(3, suiteId)),
      fourth.do('submit-version', submissionOf(4, suiteId)),
    ];
    await until(async () => (await heldUp(sql)) === 2);
  });
  const outcomes = (await Promise.all(sent)).map(({ outcome }) => outcome);

  const told = outcomes.map((outcome) =>
    outcome?.kind === 'refused' ? outcome.code : outcome?.kind,
  );
  t.deepEqual(told.sort(), ['COOLDOWN_ACTIVE', 'committed']);
  t.is((await sql`select from agent_version`).length, 1);
});
