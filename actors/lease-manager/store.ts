import type { Sql } from '../../infra/ports/sql.ts';
import { agentVersion } from '../../machines/agent-version/machine.ts';
import { decode } from '../../machines/codec.ts';
import { evaluationRun } from '../../machines/evaluation-run/machine.ts';
import type { Fact, MachineState, Model } from '../../machines/kernel.ts';
import { workItem } from '../../machines/work-item/machine.ts';
import type { Command, SnapshotRow } from '../runtime/partition-actor.ts';
import type { Aggregate, Entity, Ledger, Roster, SuiteRoster } from './aggregate.ts';
import type { EvalLoader } from './eval-partition.ts';
import { evalMessages } from './messages.ts';
import type { PartitionState } from './partition-state.ts';

type StoredSnapshot = Omit<SnapshotRow, 'closed'>;

/** Reads of one partition. All writes go through the commit function. */
export class EvalStore implements EvalLoader {
  readonly #sql: Sql;
  readonly #part: number;
  /** Nothing ends before this: promises of a former owner are unknown. */
  readonly #notBeforeMs: number;

  constructor(sql: Sql, part: number, notBeforeMs: number) {
    this.#sql = sql;
    this.#part = part;
    this.#notBeforeMs = notBeforeMs;
  }

  /** All versions that still wait for something. */
  async loadOpen(state: PartitionState): Promise<void> {
    const sql = this.#sql;
    const rows = await sql<{ actorKey: string }[]>`
      select distinct actor_key as "actorKey"
      from rt.snapshot
      where kind = 'eval' and part = ${this.#part} and not closed`;
    await this.#loadVersions(
      state,
      rows.map(({ actorKey }) => actorKey),
    );
  }

  async load(state: PartitionState, commands: readonly Command[]): Promise<void> {
    const bodies = commands.map(({ type, body }) => ({ type, ...(body as Partial<Wanted>) }));
    const versionIds = bodies
      .flatMap(({ agentVersionId }) => agentVersionId ?? [])
      .filter((versionId) => !state.aggregates.has(versionId));
    await this.#loadVersions(state, [...new Set(versionIds)]);
    await this.#loadSuites(
      state,
      bodies.flatMap(({ type, suiteId }) => (type === 'submit-version' ? (suiteId ?? []) : [])),
    );
    await this.#loadLedgers(
      state,
      bodies.filter(({ type }) => needsLedger.has(type)),
    );
    if (bodies.some(({ type }) => type in evalMessages)) await this.#loadOrders(state);
  }

  async #loadOrders(state: PartitionState): Promise<void> {
    const sql = this.#sql;
    const [suite] = await sql<{ suiteId: number }[]>`
      select suite_id as "suiteId" from suite where is_active`;
    const bans = await sql<{ hotkey: string }[]>`select hotkey from hotkey_ban`;
    state.orders = {
      activeSuiteId: suite?.suiteId ?? null,
      bannedHotkeys: new Set(bans.map(({ hotkey }) => hotkey)),
    };
  }

  async #loadVersions(state: PartitionState, versionIds: readonly string[]): Promise<void> {
    if (versionIds.length === 0) return;
    const sql = this.#sql;
    const rows = await sql<StoredSnapshot[]>`
      select machine, key, actor_key as "actorKey", seq::float8 as seq,
             machine_version as "machineVersion", value, context
      from rt.snapshot
      where kind = 'eval' and part = ${this.#part} and actor_key = any(${[...versionIds]}::text[])`;
    const aggregates = [...Map.groupBy(rows, ({ actorKey }) => actorKey)].map(
      ([versionId, ofVersion]) => [versionId, aggregateOf(ofVersion)] as const,
    );
    await this.#loadSuites(
      state,
      aggregates.map(([, { version }]) => version.state.context.suiteId),
    );
    await this.#loadQueueOrder(state, versionIds);
    for (const [id, aggregate] of aggregates) state.load(id, aggregate, this.#notBeforeMs);
  }

  async #loadQueueOrder(state: PartitionState, versionIds: readonly string[]): Promise<void> {
    const sql = this.#sql;
    const rows = await sql<{ workItemId: string; queueOrderMs: number }[]>`
      select work_item_id as "workItemId",
             (extract(epoch from queue_order_at) * 1000)::float8 as "queueOrderMs"
      from work_item
      where agent_version_id = any(${[...versionIds]}::uuid[]) and state = 'OPEN'`;
    for (const { workItemId, queueOrderMs } of rows) {
      state.queueOrderMs.set(workItemId, queueOrderMs);
    }
  }

  async #loadSuites(state: PartitionState, wanted: readonly number[]): Promise<void> {
    const suiteIds = [...new Set(wanted)].filter((suiteId) => !state.suites.has(suiteId));
    if (suiteIds.length === 0) return;
    const sql = this.#sql;
    const suites = await sql<Omit<SuiteRoster, 'rosters'>[]>`
      select suite_id as "suiteId", execution_kind as "executionKind",
             env_pack_sha256 as "envPackSha256",
             required_successes_qualifying as "requiredSuccessesQualifying"
      from suite
      where suite_id = any(${suiteIds}::int[])`;
    const problems = await sql<ProblemRow[]>`
      select suite_id as "suiteId", phase, problem_id as "problemId", task_id as "taskId", family
      from suite_problem
      where suite_id = any(${suiteIds}::int[])
      order by suite_id, phase, ordinal`;
    for (const suite of suites) {
      const own = problems.filter(({ suiteId }) => suiteId === suite.suiteId);
      const rosters = { QUALIFYING: rosterOf(own, 'QUALIFYING'), RACE: rosterOf(own, 'RACE') };
      state.suites.set(suite.suiteId, { ...suite, rosters });
    }
  }

  async #loadLedgers(state: PartitionState, wanted: readonly Partial<Wanted>[]): Promise<void> {
    const runIds = wanted
      .map(({ evalRunId }) => evalRunId ?? '')
      .filter((evalRunId) => state.liveRuns.has(evalRunId) && !state.ledgers.has(evalRunId));
    if (runIds.length === 0) return;
    const sql = this.#sql;
    const results = await sql<{ evalRunId: string; stored: string }[]>`
      select eval_run_id as "evalRunId", task_id as stored
      from episode_result
      where eval_run_id = any(${runIds}::uuid[])`;
    const artifacts = await sql<{ evalRunId: string; stored: string }[]>`
      select eval_run_id as "evalRunId", artifact_sha256 as stored
      from episode_artifact
      where eval_run_id = any(${runIds}::uuid[])`;
    for (const evalRunId of new Set(runIds)) {
      const ledger: Ledger = {
        taskIds: storedOf(results, evalRunId),
        artifactSha256: storedOf(artifacts, evalRunId),
      };
      state.ledgers.load(evalRunId, ledger);
    }
  }
}

/** What the bodies of commands may name. */
interface Wanted {
  readonly agentVersionId: string;
  readonly evalRunId: string;
  readonly suiteId: number;
}

interface ProblemRow {
  readonly suiteId: number;
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly problemId: string;
  readonly taskId: string | null;
  readonly family: string | null;
}

const needsLedger: ReadonlySet<string> = new Set([
  'append-results',
  'presign-artifact',
  'complete-run',
]);

function aggregateOf(rows: readonly StoredSnapshot[]): Aggregate {
  const [version] = entitiesOf(agentVersion, rows).values();
  if (version === undefined) throw new Error(`${rows[0]?.actorKey} has work but no version`);
  return { version, items: entitiesOf(workItem, rows), runs: entitiesOf(evaluationRun, rows) };
}

function entitiesOf<C, F extends Fact>(
  model: Model<C, F>,
  rows: readonly StoredSnapshot[],
): Map<string, Entity<MachineState<C>>> {
  return new Map(
    rows
      .filter(({ machine }) => machine === model.name)
      .map((row) => [row.key, { state: decode(model, row), seq: row.seq }]),
  );
}

function rosterOf(rows: readonly ProblemRow[], phase: 'QUALIFYING' | 'RACE'): Roster {
  const own = rows.filter((row) => row.phase === phase);
  return {
    problemIds: new Set(own.map(({ problemId }) => problemId)),
    families: new Map(
      own.flatMap(({ taskId, family }) => (taskId === null ? [] : [[taskId, family ?? '']])),
    ),
  };
}

function storedOf(rows: readonly { evalRunId: string; stored: string }[], id: string): Set<string> {
  return new Set(rows.filter(({ evalRunId }) => evalRunId === id).map(({ stored }) => stored));
}
