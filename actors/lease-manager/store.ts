import type { Sql } from '../../infra/ports/sql.ts';
import { agentVersion } from '../../machines/agent-version/machine.ts';
import type { Command } from '../runtime/partition-actor.ts';
import { ledgerOf } from './aggregate.ts';
import type { EvalLoader } from './eval-partition.ts';
import { evalMessages } from './messages.ts';
import { type Beat, beatColumns, writtenOf } from './open-work.ts';
import type { PartitionState } from './partition-state.ts';
import { readRaces, readSuites } from './rosters.ts';
import { aggregatesOf, racesOf } from './stored-aggregate.ts';
import { readSnapshots } from './stored-snapshots.ts';

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
    const rejudgings = await sql<{ rejudgingId: string; atMs: number; isOver: boolean }[]>`
      select rejudging_id as "rejudgingId", rt.milliseconds(created_at)::float8 as "atMs",
        applied_at is not null or cancelled_at is not null as "isOver"
      from rejudging
      where rejudging_id = any(${bodies.flatMap(({ rejudgingId }) => rejudgingId ?? [])}::uuid[])`;
    const ended = rejudgings.filter(({ isOver }) => isOver);
    const [suite] = await sql<{ suiteId: number; activatedAtMs: number | null }[]>`
      select suite_id as "suiteId", rt.milliseconds(activated_at)::float8 as "activatedAtMs"
      from suite where is_active`;
    const bans = await sql<{ hotkey: string }[]>`select hotkey from hotkey_ban`;
    state.orders = {
      activeSuiteId: suite?.suiteId ?? null,
      activatedAtMs: suite?.activatedAtMs ?? null,
      bannedHotkeys: new Set(bans.map(({ hotkey }) => hotkey)),
      endedRejudgings: new Set(ended.map(({ rejudgingId }) => rejudgingId)),
      rejudgingsOrderedAtMs: new Map(
        rejudgings.map(({ rejudgingId, atMs }) => [rejudgingId, atMs]),
      ),
    };
  }

  async #loadVersions(state: PartitionState, versionIds: readonly string[]): Promise<void> {
    if (versionIds.length === 0) return;
    const named = () => this.#sql`
      select part, actor_key
      from rt.snapshot
      where kind = 'eval' and part = ${this.#part} and machine = ${agentVersion.name}
        and key = any(${[...versionIds]}::text[])`;
    const aggregates = aggregatesOf(await readSnapshots(this.#sql, named));
    await this.#loadSuites(
      state,
      [...aggregates.values()].map(({ version }) => version.state.context.suiteId),
    );
    await this.#loadRaces(
      state,
      [...aggregates.values()].flatMap(racesOf).filter((raceId) => !state.races.has(raceId)),
    );
    await this.#loadQueueOrder(state, versionIds);
    for (const [id, aggregate] of aggregates) state.load(id, aggregate, this.#notBeforeMs);
    await this.#keepGifts(state, versionIds);
  }

  /** What an outage gave to runs, as far as the former owner could write it down. */
  async #keepGifts(state: PartitionState, versionIds: readonly string[]): Promise<void> {
    const live = [...state.liveRuns.entries()].filter(([, versionId]) =>
      versionIds.includes(versionId),
    );
    if (live.length === 0) return;
    const sql = this.#sql;
    const beats = await sql<Beat[]>`
      select ${beatColumns(sql)} from run_beat b
      where b.eval_run_id = any(${live.map(([evalRunId]) => evalRunId)}::uuid[])`;
    const byRun = new Map(beats.map((beat) => [beat.evalRunId, beat]));
    for (const [evalRunId, versionId] of live) {
      const run = state.aggregates.committed(versionId)?.runs.get(evalRunId);
      const written = writtenOf(byRun.get(evalRunId));
      if (run !== undefined)
        state.deadlines.inherit(run.state, { written, gaps: state.gaps, lastGapMs: 0 });
    }
  }

  async #loadQueueOrder(state: PartitionState, versionIds: readonly string[]): Promise<void> {
    const sql = this.#sql;
    const rows = await sql<{ workItemId: string; queueOrderMs: number }[]>`
      select work_item_id as "workItemId",
             (extract(epoch from queue_order_at) * 1000)::float8 as "queueOrderMs"
      from work_item
      where agent_version_id = any(${[...versionIds]}::uuid[]) and closed_at is null`;
    for (const { workItemId, queueOrderMs } of rows) {
      state.queueOrderMs.set(workItemId, queueOrderMs);
    }
  }

  async #loadSuites(state: PartitionState, wanted: readonly number[]): Promise<void> {
    const suiteIds = [...new Set(wanted)].filter((suiteId) => !state.suites.has(suiteId));
    for (const suite of await readSuites(this.#sql, suiteIds))
      state.suites.set(suite.suiteId, suite);
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
    const races = await readRaces(this.#sql, [...new Set(wanted)]);
    for (const [raceId, terms] of races) state.races.set(raceId, terms);
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
      const ledger = ledgerOf(storedOf(results, evalRunId), storedOf(artifacts, evalRunId));
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

const needsLedger: ReadonlySet<string> = new Set([
  'append-results',
  'presign-artifact',
  'authorize-upload',
  'complete-run',
]);

/** Those that a message names, and after a failed commit those that may have ended meanwhile. */
function racesToRead(state: PartitionState, bodies: readonly Partial<Wanted>[]): string[] {
  const named = bodies.flatMap(({ raceId, raceIds = [] }) => [
    ...(raceId ? [raceId] : []),
    ...raceIds,
  ]);
  if (!state.mayRacesHaveEnded) return named;
  return [...named, ...[...state.races].flatMap(([id, { isRunning }]) => (isRunning ? [id] : []))];
}

function storedOf(rows: readonly { evalRunId: string; stored: string }[], id: string): Set<string> {
  return new Set(rows.filter(({ evalRunId }) => evalRunId === id).map(({ stored }) => stored));
}
