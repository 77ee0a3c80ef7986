import { auditHash, genesisHash } from '../../../actors/services/operator/audit-entry.ts';
import { insertAuditEntry } from '../../../actors/services/operator/audit-store.ts';
import { uuidV5 } from '../../../infra/ids/ids.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';

export const packSha256 = 'ab'.repeat(32);
const namespace = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

export interface SimTask {
  readonly taskId: string;
  readonly family: string;
}

export interface SimSuites {
  /** Of both suites: the first half qualifies, the rest is held out for races. */
  readonly tasks: readonly SimTask[];
  readonly suiteIds: readonly number[];
}

const qualifyingCount = 3;
const heldOutCount = 4;

/** Two suites over one pack, the first of them active. The operators' way there is tested elsewhere. */
export async function seedSuites(sql: Sql): Promise<SimSuites> {
  const tasks = Array.from({ length: qualifyingCount + heldOutCount }, (_, index) => ({
    taskId: `task-${index}`,
    family: `family-${index % 2}`,
  }));
  await sql`
    insert into pack (pack_sha256, size_bytes, manifest, task_count, family_counts, created_at)
    values (${packSha256}, 1, '{}', ${tasks.length}, '{}', rt.clock())`;
  await sql`
    insert into pack_task (pack_sha256, ordinal, task_id, family, goal_text)
    select ${packSha256}, t.ordinal, t."taskId", t.family, 'buy'
    from jsonb_to_recordset(${sql.json(tasks.map((task, ordinal) => ({ ...task, ordinal })))})
      as t (ordinal integer, "taskId" text, family text)`;
  const suiteIds = [1, 2];
  for (const suiteId of suiteIds) {
    await sql`
      insert into suite (suite_version, is_active, execution_kind, benchmark_name, benchmark_number,
                         env_pack_sha256, environment, qualifying_threshold,
                         required_successes_qualifying, required_successes_race, created_at,
                         created_threshold, created_successes_qualifying, created_successes_race)
      values (${suiteId}, ${suiteId === 1}, 'envpack', 'shop', 1, ${packSha256}, '{}', 0.55,
              2, 2, rt.clock(), 0.55, 2, 2)`;
    const problems = tasks.slice(0, qualifyingCount).map((task, ordinal) => ({
      ...{ ...task, ordinal, suiteId },
      problemId: uuidV5(namespace, `${suiteId} ${task.taskId}`),
    }));
    await sql`
      insert into suite_problem (suite_id, phase, ordinal, problem_id, task_id, family, metadata)
      select p."suiteId", 'QUALIFYING', p.ordinal, p."problemId", p."taskId", p.family, '{}'
      from jsonb_to_recordset(${sql.json(problems)})
        as p ("suiteId" integer, ordinal integer, "problemId" uuid, "taskId" text, family text)`;
  }
  await recordOrders(sql, [`pack/${packSha256}`, 'suite/1', 'suite/2']);
  return { tasks, suiteIds };
}

/** As if an operator had made them: what only operators make has its entry in the audit log. */
async function recordOrders(sql: Sql, objects: readonly string[]): Promise<void> {
  const [clock] = await sql<{ nowMs: number }[]>`
    select floor(extract(epoch from rt.clock()) * 1000)::float8 as "nowMs"`;
  let prevHash = genesisHash;
  for (const [index, object] of objects.entries()) {
    const entry = {
      ...{ seq: index + 1, prevHash, committedAtMs: clock?.nowMs ?? 0, actor: 'operator:sim' },
      ...{ action: object.startsWith('pack') ? 'pack.register' : 'suite.create', object },
      ...{ reason: null, detail: {} },
    };
    prevHash = auditHash(entry);
    // One statement needs no transaction.
    await insertAuditEntry(sql as unknown as Transaction, entry, prevHash);
  }
}
