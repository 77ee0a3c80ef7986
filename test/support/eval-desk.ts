import type { ExecutionContext } from 'ava';
import { createEvalKind } from '../../actors/lease-manager/lease-manager.actor.ts';
import { commitBatch } from '../../actors/runtime/commit-batch.ts';
import type { Command, PartitionActor, Reply } from '../../actors/runtime/partition-actor.ts';
import { idsWithin, randomId, uuidV5 } from '../../infra/ids/ids.ts';
import type { CommitOutcome } from '../../infra/ports/partition-store.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { createPartitionStore } from '../../infra/postgres/partition-store.ts';
import { testDatabase } from './cluster.ts';
import { evalPart, evalPolicy, families, packSha256, problemIdOf } from './eval-world.ts';
import { patient } from './patient.ts';
import { silentTelemetry } from './silent-telemetry.ts';

/** One eval partition over a real database, commands decided and committed one by one. */
export interface Desk {
  do(type: string, body: unknown): Promise<{ reply: Reply; outcome: CommitOutcome | undefined }>;
  ok(type: string, body: unknown): Promise<Record<string, unknown>>;
  /** Another owner loads what was committed. */
  takeOver(): Promise<void>;
}

/** The desk works with the rights of a coordinator; `sql` is the superuser's. */
export async function openWorld(t: ExecutionContext): Promise<{ sql: Sql; desk: Desk }> {
  const { url, sql } = await testDatabase(t);
  const line = { max: 2, applicationName: 'desk', role: 'paddock_actor' } as const;
  const own = createSql({ ...patient(url), ...line });
  t.teardown(() => closeSql(own));
  return { sql, desk: await openDesk(own) };
}

export async function openDesk(sql: Sql, part = evalPart): Promise<Desk> {
  const kind = createEvalKind({
    sql,
    policy: evalPolicy,
    ids: { uuidV5, idsWithin },
    telemetry: silentTelemetry,
  });
  const store = createPartitionStore(sql);
  const incarnation = randomId();
  let epoch = 0;
  let actor: PartitionActor | undefined;
  const member = `member-${incarnation}`;
  await sql`select rt.join(${member}, ${incarnation}, '1 hour', 1, ${['eval']})`;

  const takeOver = async () => {
    const [seen] = await sql<{ epoch: number }[]>`
      select epoch::float8 as epoch from rt.partition where kind = 'eval' and part = ${part}`;
    const [claimed] = await sql<{ epoch: number }[]>`
      select new_epoch::float8 as epoch
      from rt.claim('eval', ${part}, ${seen?.epoch ?? 0}, ${member}, ${incarnation})`;
    epoch = claimed?.epoch ?? 0;
    const nowMs = Date.now();
    actor = await kind.activate(part, {
      ...{ nowMs, takeover: { parts: [part] } },
      amnestyUntilMs: (leaseMs) => nowMs + leaseMs,
    });
  };
  await takeOver();

  const act = async (type: string, body: unknown) => {
    const command: Command = { id: randomId(), type, body, account: 'test', trace: {} };
    // As the runtime does: what only a lock stood against is decided afresh.
    for (let tries = 3; ; tries -= 1) {
      const done = await attempt(command);
      if (done.outcome?.kind !== 'contended' || tries === 0) return done;
    }
  };
  const attempt = async (command: Command) => {
    if (actor === undefined) throw new Error('nobody owns the partition');
    await actor.prepare([command], Date.now());
    actor.begin();
    const decision = actor.decide(command, Date.now());
    if (decision.changes === undefined) return { reply: decision.reply, outcome: undefined };
    const letter = { source: 'request', command, sizeBytes: 0 } as never;
    const token = { kind: 'eval', part, epoch, incarnation };
    const outcome = await store.commit(token, commitBatch(token, [{ letter, decision }], 30_000));
    if (outcome.kind === 'committed') actor.commit();
    else actor.rollback();
    return { reply: decision.reply, outcome };
  };
  return {
    do: act,
    takeOver,
    ok: async (type, body) => {
      const { reply, outcome } = await act(type, body);
      if (reply.kind === 'fault') throw new Error(`${type} was refused: ${reply.code}`);
      if (outcome !== undefined && outcome.kind !== 'committed') {
        throw new Error(
          `${type} was not committed: ${JSON.stringify(outcome)} ${String(Reflect.get(outcome, 'error'))}`,
        );
      }
      return reply.body as Record<string, unknown>;
    },
  };
}

export async function addSuite(sql: Sql, suiteVersion = 1, taskCount = 3): Promise<number> {
  const [suite] = await sql<{ suiteId: number }[]>`
    insert into suite (suite_version, is_active, execution_kind, benchmark_name, benchmark_number,
                       env_pack_sha256, environment, qualifying_threshold,
                       required_successes_qualifying, required_successes_race, created_at)
    values (${suiteVersion}, ${suiteVersion === 1}, 'envpack', 'shop', 1, ${packSha256}, '{}', 0.55, 2, 2, now())
    returning suite_id as "suiteId"`;
  const suiteId = suite?.suiteId ?? 0;
  for (let ordinal = 0; ordinal < taskCount; ordinal += 1) {
    const taskId = `task-${ordinal}`;
    await sql`
      insert into suite_problem (suite_id, phase, ordinal, problem_id, task_id, family, goal_text, metadata)
      values (${suiteId}, 'QUALIFYING', ${ordinal}, ${problemIdOf(taskId)}, ${taskId},
              ${families[ordinal % 3] ?? ''}, 'buy', '{}')`;
  }
  return suiteId;
}

export interface RaceRow {
  readonly suiteId: number;
  readonly raceNumber?: number;
  readonly status?: string;
  readonly taskCount?: number;
}

/** A race with tasks `race-0`, `race-1` … of its own, which runs unless another status is named. */
export async function addRace(sql: Sql, race: RaceRow): Promise<string> {
  const { suiteId, raceNumber = 1, status = 'RACE_RUNNING', taskCount = 3 } = race;
  const raceId = randomId();
  await sql`
    insert into race (race_id, part, suite_id, race_number, status, policy_version, policy,
                      opened_at, qualifying_closes_at)
    values (${raceId}, 1, ${suiteId}, ${raceNumber}, ${status}, 0, '{}', now(), now())`;
  for (let ordinal = 0; ordinal < taskCount; ordinal += 1) {
    const taskId = `race-${ordinal}`;
    await sql`
      insert into race_task (race_id, ordinal, problem_id, task_id, family)
      values (${raceId}, ${ordinal}, ${problemIdOf(taskId)}, ${taskId}, ${families[ordinal % 3] ?? ''})`;
  }
  return raceId;
}

export const claimOf = (validatorHotkey: string) => ({
  validatorHotkey,
  validatorColdkey: null,
  slot: 0,
  preferred: [],
});

export async function claimRun(desk: Desk, validatorHotkey: string) {
  const { run } = (await desk.ok('claim-work', claimOf(validatorHotkey))) as {
    run: { agentVersionId: string; evalRunId: string };
  };
  return { agentVersionId: run.agentVersionId, evalRunId: run.evalRunId, validatorHotkey };
}
