import type { Fragment, Sql } from '../../infra/ports/sql.ts';
import type { Deadlines, Gap } from '../../machines/evaluation-run/decide.ts';
import type { Aggregate, RaceTerms, SuiteRoster } from './aggregate.ts';
import type { PartitionState } from './partition-state.ts';
import { readRaces, readSuites } from './rosters.ts';
import { aggregatesOf, racesOf } from './stored-aggregate.ts';
import { type PlacedSnapshot, readSnapshots } from './stored-snapshots.ts';

/**
 * All versions of some partitions that still wait for something. A process that takes over many partitions
 * asks no more questions than for one.
 */
export interface OpenWork {
  /** No fence of the database's lost branches, should it have any, was this high. */
  readonly fenceFloor: number;
  /** By partition, and by version. */
  readonly aggregates: ReadonlyMap<number, ReadonlyMap<string, Aggregate>>;
  readonly queueOrders: ReadonlyMap<number, readonly QueueOrder[]>;
  readonly beats: ReadonlyMap<number, readonly PlacedBeat[]>;
  readonly gaps: ReadonlyMap<number, readonly Gap[]>;
  readonly suites: ReadonlyMap<number, SuiteRoster>;
  readonly races: ReadonlyMap<string, RaceTerms>;
}

interface QueueOrder {
  readonly part: number;
  readonly workItemId: string;
  readonly queueOrderMs: number;
}

/** What an outage gave to a run, as far as the former owner could write it down. */
export interface Beat {
  readonly evalRunId: string;
  readonly leaseUntilMs: number;
  readonly noProgressUntilMs: number | null;
  readonly runLimitUntilMs: number | null;
}

interface PlacedBeat extends Beat {
  readonly part: number;
}

/** What is read one after the other is of one moment all the same: the former owner is fenced. */
export async function readOpenWork(sql: Sql, parts: readonly number[]): Promise<OpenWork> {
  const [fenceFloor, snapshots, queueOrders, beats, gaps] = await Promise.all([
    readFenceFloor(sql),
    readWaiting(sql, parts),
    readQueueOrders(sql, parts),
    readBeats(sql, parts),
    readGaps(sql, parts),
  ]);
  const aggregates = new Map(
    [...byPart(snapshots)].map(([part, rows]) => [part, aggregatesOf(rows)] as const),
  );
  const all = [...aggregates.values()].flatMap((ofPart) => [...ofPart.values()]);
  const [suites, races] = await Promise.all([
    readSuites(sql, [...new Set(all.map(({ version }) => version.state.context.suiteId))]),
    readRaces(sql, [...new Set(all.flatMap(racesOf))]),
  ]);
  return {
    ...{ fenceFloor, aggregates, races },
    queueOrders: byPart(queueOrders),
    beats: byPart(beats),
    gaps: byPart(gaps),
    suites: new Map(suites.map((suite) => [suite.suiteId, suite])),
  };
}

/**
 * Gives one partition its own.
 *
 * @param notBeforeMs no lease ends before this: promises of a former owner are unknown
 * @param unservedMs for how long there was no owner
 */
export function loadOpenWork(
  state: PartitionState,
  work: OpenWork,
  {
    part,
    notBeforeMs,
    unservedMs = 0,
  }: { readonly part: number; readonly notBeforeMs: number; readonly unservedMs?: number },
): void {
  const aggregates = work.aggregates.get(part) ?? new Map<string, Aggregate>();
  for (const [versionId, aggregate] of aggregates) {
    const { suiteId } = aggregate.version.state.context;
    const suite = work.suites.get(suiteId);
    if (suite !== undefined) state.suites.set(suiteId, suite);
    for (const raceId of racesOf(aggregate)) {
      const race = work.races.get(raceId);
      if (race !== undefined) state.races.set(raceId, race);
    }
    state.load(versionId, aggregate, notBeforeMs);
  }
  for (const { workItemId, queueOrderMs } of work.queueOrders.get(part) ?? []) {
    if (state.openItems.has(workItemId)) state.queueOrderMs.set(workItemId, queueOrderMs);
  }
  const beats = new Map((work.beats.get(part) ?? []).map((beat) => [beat.evalRunId, beat]));
  state.gaps = work.gaps.get(part) ?? [];
  for (const [evalRunId, versionId] of state.liveRuns.entries()) {
    const run = aggregates.get(versionId)?.runs.get(evalRunId);
    const written = writtenOf(beats.get(evalRunId));
    if (run !== undefined)
      state.deadlines.inherit(run.state, { written, gaps: state.gaps, lastGapMs: unservedMs });
  }
}

/** Nothing of what is null: another version of us wrote it, or nobody did. */
export function writtenOf(beat: Beat | undefined): Partial<Deadlines> {
  if (beat === undefined) return {};
  const { leaseUntilMs, noProgressUntilMs, runLimitUntilMs } = beat;
  return {
    leaseUntilMs,
    ...(noProgressUntilMs !== null && { noProgressUntilMs }),
    ...(runLimitUntilMs !== null && { runLimitUntilMs }),
  };
}

/** The columns of a beat `b`. */
export function beatColumns(sql: Sql): Fragment {
  return sql`
    b.eval_run_id as "evalRunId",
    (extract(epoch from b.lease_until) * 1000)::float8 as "leaseUntilMs",
    (extract(epoch from b.no_progress_until) * 1000)::float8 as "noProgressUntilMs",
    (extract(epoch from b.run_limit_until) * 1000)::float8 as "runLimitUntilMs"`;
}

function byPart<R extends { readonly part: number }>(rows: readonly R[]): Map<number, R[]> {
  return Map.groupBy(rows, ({ part }) => part);
}

async function readFenceFloor(sql: Sql): Promise<number> {
  const [row] = await sql<{ floor: number }[]>`select rt.fence_floor()::float8 as floor`;
  return row?.floor ?? 0;
}

function readWaiting(sql: Sql, parts: readonly number[]): Promise<readonly PlacedSnapshot[]> {
  const waiting = () => sql`
    select distinct part, actor_key
    from rt.snapshot
    where kind = 'eval' and part = any(${[...parts]}::int[]) and not closed`;
  return readSnapshots(sql, waiting);
}

function readQueueOrders(sql: Sql, parts: readonly number[]) {
  return sql<QueueOrder[]>`
    select part, work_item_id as "workItemId",
           (extract(epoch from queue_order_at) * 1000)::float8 as "queueOrderMs"
    from work_item
    where part = any(${[...parts]}::int[]) and state = 'OPEN'`;
}

function readGaps(sql: Sql, parts: readonly number[]) {
  return sql<(Gap & { part: number })[]>`
    select part, (extract(epoch from until) * 1000)::float8 as "untilMs", ms::float8 as ms
    from rt.unserved
    where kind = 'eval' and part = any(${[...parts]}::int[])`;
}

function readBeats(sql: Sql, parts: readonly number[]) {
  return sql<PlacedBeat[]>`
    select r.part, ${beatColumns(sql)}
    from evaluation_run r
    join run_beat b using (eval_run_id)
    where r.part = any(${[...parts]}::int[]) and r.status in ('CLAIMED', 'RUNNING')`;
}
