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

/** No fence of the database's lost branches, should it have any, was this high. */
export async function readFenceFloor(sql: Sql): Promise<number> {
  const [row] = await sql<{ floor: number }[]>`select rt.fence_floor()::float8 as floor`;
  return row?.floor ?? 0;
}

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
    await this.#loadRaces(state, racesToRead(state, bodies));
    state.mayRacesHaveEnded = false;
    const versionIds = [
      ...bodies.flatMap(({ agentVersionId }) => agentVersionId ?? []),
      ...bodies.flatMap(({ agentVersionIds }) => agentVersionIds ?? []),
      ...(await this.#versionsRacedBy(
        bodies.flatMap(({ type, hotkey }) => (type === 'hotkey-banned' ? (hotkey ?? []) : [])),
      )),
    ].filter((versionId) => !state.aggregates.has(versionId));
    await this.#loadVersions(state, [...new Set(versionIds)]);
    await this.#refreshSuites(
      state,
      bodies.flatMap(({ type, suiteId }) => (type === 'submit-version' ? (suiteId ?? []) : [])),
    );
    await this.#loadLedgers(
      state,
      bodies.filter(({ type }) => needsLedger.has(type)),
    );
    if (bodies.some(({ type }) => type in evalMessages)) await this.#loadOrders(state, bodies);
  }

  async #loadOrders(state: PartitionState, bodies: readonly Partial<Wanted>[]): Promise<void> {
    const sql = this.#sql;
    const ended = await sql<{ rejudgingId: string }[]>`
      select rejudging_id as "rejudgingId"
      from rejudging
      where rejudging_id = any(${bodies.flatMap(({ rejudgingId }) => rejudgingId ?? [])}::uuid[])
        and (applied_at is not null or cancelled_at is not null)`;
    const [suite] = await sql<{ suiteId: number }[]>`
      select suite_id as "suiteId" from suite where is_active`;
    const bans = await sql<{ hotkey: string }[]>`select hotkey from hotkey_ban`;
    state.orders = {
      activeSuiteId: suite?.suiteId ?? null,
      bannedHotkeys: new Set(bans.map(({ hotkey }) => hotkey)),
      endedRejudgings: new Set(ended.map(({ rejudgingId }) => rejudgingId)),
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
    await this.#loadRaces(
      state,
      aggregates
        .flatMap(([, { items }]) => [...items.values()])
        .flatMap(({ state: { context } }) => context.raceId ?? [])
        .filter((raceId) => !state.races.has(raceId)),
    );
    await this.#loadQueueOrder(state, versionIds);
    for (const [id, aggregate] of aggregates) state.load(id, aggregate, this.#notBeforeMs);
    await this.#keepGifts(state, versionIds);
  }

  /** What an outage gave to leases, as far as the former owner could write it down. */
  async #keepGifts(state: PartitionState, versionIds: readonly string[]): Promise<void> {
    const live = [...state.liveRuns.entries()]
      .filter(([, versionId]) => versionIds.includes(versionId))
      .map(([evalRunId]) => evalRunId);
    if (live.length === 0) return;
    const sql = this.#sql;
    const beats = await sql<{ evalRunId: string; untilMs: number }[]>`
      select eval_run_id as "evalRunId",
             (extract(epoch from lease_until) * 1000)::float8 as "untilMs"
      from run_beat
      where eval_run_id = any(${live}::uuid[])`;
    for (const { evalRunId, untilMs } of beats) state.deadlines.postpone(evalRunId, untilMs);
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
    const suites = await sql<Omit<SuiteRoster, 'qualifying'>[]>`
      select suite_id as "suiteId", execution_kind as "executionKind",
             env_pack_sha256 as "envPackSha256",
             required_successes_qualifying as "requiredSuccessesQualifying"
      from suite
      where suite_id = any(${suiteIds}::int[])`;
    const problems = await sql<(ProblemRow & { suiteId: number })[]>`
      select suite_id as "suiteId", problem_id as "problemId", task_id as "taskId", family
      from suite_problem
      where suite_id = any(${suiteIds}::int[]) and phase = 'QUALIFYING'
      order by suite_id, ordinal`;
    for (const suite of suites) {
      const own = problems.filter(({ suiteId }) => suiteId === suite.suiteId);
      state.suites.set(suite.suiteId, { ...suite, qualifying: rosterOf(own) });
    }
  }

  /** A race that opens may want another number of successes from then on. */
  async #refreshSuites(state: PartitionState, suiteIds: readonly number[]): Promise<void> {
    const known = [...new Set(suiteIds)].filter((suiteId) => state.suites.has(suiteId));
    await this.#loadSuites(state, suiteIds);
    if (known.length === 0) return;
    const sql = this.#sql;
    const rows = await sql<{ suiteId: number; requiredSuccessesQualifying: number }[]>`
      select suite_id as "suiteId", required_successes_qualifying as "requiredSuccessesQualifying"
      from suite
      where suite_id = any(${known}::int[])`;
    for (const { suiteId, requiredSuccessesQualifying } of rows) {
      state.suites.set(suiteId, { ...state.suite(suiteId), requiredSuccessesQualifying });
    }
  }

  async #loadRaces(state: PartitionState, wanted: readonly string[]): Promise<void> {
    const raceIds = [...new Set(wanted)];
    if (raceIds.length === 0) return;
    const sql = this.#sql;
    const races = await sql<{ raceId: string; isRunning: boolean; isJudged: boolean }[]>`
      select race_id as "raceId", status = 'RACE_RUNNING' as "isRunning",
             exists (
               select from evaluation_run r
               join rejudging_run j on j.eval_run_id = r.eval_run_id
               where r.race_id = race.race_id) as "isJudged"
      from race
      where race_id = any(${raceIds}::uuid[])`;
    const evaluated = races.filter(({ isRunning, isJudged }) => isRunning || isJudged);
    const tasks = await sql<(ProblemRow & { raceId: string })[]>`
      select race_id as "raceId", problem_id as "problemId", task_id as "taskId", family
      from race_task
      where race_id = any(${evaluated.map(({ raceId }) => raceId)}::uuid[])
      order by race_id, ordinal`;
    for (const { raceId, isRunning } of races) {
      const roster = rosterOf(tasks.filter((task) => task.raceId === raceId));
      state.races.set(raceId, { isRunning, roster });
    }
  }

  /** Versions with successes by these validators that count in races that run now. */
  async #versionsRacedBy(hotkeys: readonly string[]): Promise<readonly string[]> {
    if (hotkeys.length === 0) return [];
    const sql = this.#sql;
    const rows = await sql<{ versionId: string }[]>`
      select distinct r.agent_version_id as "versionId"
      from evaluation_run r
      join race c on c.race_id = r.race_id
      where r.part = ${this.#part} and r.validator_hotkey = any(${[...hotkeys]}::text[])
        and r.is_included and c.status = 'RACE_RUNNING'`;
    return rows.map(({ versionId }) => versionId);
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
  readonly agentVersionIds: readonly string[];
  readonly raceId: string;
  readonly raceIds: readonly string[];
  readonly rejudgingId: string;
  readonly hotkey: string;
}

interface ProblemRow {
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

/** Those that a message names, and after a failed commit those that may have ended meanwhile. */
function racesToRead(state: PartitionState, bodies: readonly Partial<Wanted>[]): string[] {
  const named = bodies.flatMap(({ raceId, raceIds = [] }) => [
    ...(raceId ? [raceId] : []),
    ...raceIds,
  ]);
  if (!state.mayRacesHaveEnded) return named;
  return [...named, ...[...state.races].flatMap(([id, { isRunning }]) => (isRunning ? [id] : []))];
}

function rosterOf(rows: readonly ProblemRow[]): Roster {
  return {
    problemIds: new Set(rows.map(({ problemId }) => problemId)),
    families: new Map(
      rows.flatMap(({ taskId, family }) => (taskId === null ? [] : [[taskId, family ?? '']])),
    ),
  };
}

function storedOf(rows: readonly { evalRunId: string; stored: string }[], id: string): Set<string> {
  return new Set(rows.filter(({ evalRunId }) => evalRunId === id).map(({ stored }) => stored));
}
