import type { Sql } from '../../infra/ports/sql.ts';
import { decode } from '../../machines/codec.ts';
import { racePartitions } from '../../machines/partition-of.ts';
import type { FieldCandidate } from '../../machines/race/field.ts';
import { race } from '../../machines/race/machine.ts';
import { policyBasis } from '../../machines/race/policy-overrides.ts';
import { problemName, problemNamespace } from '../../machines/suite/problem-id.ts';
import type { SnapshotRow } from '../runtime/partition-actor.ts';
import type {
  Digested,
  EndGround,
  Grounds,
  HeldOutTask,
  OpenReign,
  SuiteGround,
} from './grounds.ts';
import type { RaceEntity } from './race-state.ts';

/** What a batch may need to know beside the partition's unfinished races. */
export interface Wanted {
  readonly raceIdsToFind: readonly string[];
  readonly raceIdsToClose: readonly string[];
  readonly raceIdsToStart: readonly string[];
  /** Completed if their work is done. */
  readonly raceIdsToLookAt: readonly string[];
  /** Completed whatever is done: their limit passed. */
  readonly raceIdsToComplete: readonly string[];
}

/** Active, and without an unfinished race. */
export interface IdleSuite {
  readonly suiteId: number;
  readonly raceCount: number;
  /** 0 where that is not known. */
  readonly activatedAtMs: number;
}

export interface RaceStoreDeps {
  readonly sql: Sql;
  readonly part: number;
  readonly uuidV5: (namespace: string, name: string) => string;
}

/** Reads of one partition. All writes go through the commit function. */
export class RaceStore {
  readonly #sql: Sql;
  readonly #part: number;
  readonly #uuidV5: RaceStoreDeps['uuidV5'];

  constructor({ sql, part, uuidV5 }: RaceStoreDeps) {
    this.#sql = sql;
    this.#part = part;
    this.#uuidV5 = uuidV5;
  }

  async openRaces(): Promise<ReadonlyMap<string, RaceEntity>> {
    const rows = await this.#sql<StoredRace[]>`
      select key, seq::float8 as seq, machine_version as "machineVersion", value, context
      from rt.snapshot
      where kind = 'race' and part = ${this.#part} and machine = ${race.name} and not closed`;
    return entitiesOf(rows);
  }

  /** Whether the active suite is ours and waits for a race; its message may be long consumed. */
  async suiteWithoutRace(): Promise<IdleSuite | undefined> {
    const [row] = await this.#sql<IdleSuite[]>`
      select suite_id as "suiteId", (
          select count(*)::int from race r where r.suite_id = s.suite_id
        ) as "raceCount",
        coalesce(rt.milliseconds(s.activated_at), 0)::float8 as "activatedAtMs"
      from suite s
      where is_active and suite_id % ${racePartitions} = ${this.#part}
        and not exists (
          select from race r
          where r.suite_id = s.suite_id
            and r.status in ('QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING'))`;
    return row;
  }

  /** @param raceIdsWaiting those that go on for sure while an order about them is on its way */
  async grounds(wanted: Wanted, raceIdsWaiting: ReadonlySet<string>): Promise<Grounds> {
    const ended = [...(await this.#racesDone(wanted.raceIdsToLookAt)), ...wanted.raceIdsToComplete];
    return {
      suites: await this.#suites(),
      reign: await this.#reign(),
      fields: await this.#fields(wanted.raceIdsToClose),
      results: await this.#results(ended, raceIdsWaiting),
      heldOut: await this.#heldOut(wanted.raceIdsToStart),
      finished: await this.#find(wanted.raceIdsToFind),
    };
  }

  async #suites(): Promise<ReadonlyMap<number, SuiteGround>> {
    const rows = await this.#sql<SuiteRow[]>`
      select s.suite_id as "suiteId", s.is_active as "isActive", basis,
             rt.milliseconds(s.activated_at)::float8 as "activatedAtMs",
             md5(basis::text) as "basisMd5",
             coalesce((
               select max(r.race_number) from race r where r.suite_id = s.suite_id
             ), 0) as "lastRaceNumber"
      from suite s
      cross join lateral public.policy_basis(s.suite_id) as basis
      where s.suite_id % ${racePartitions} = ${this.#part} and (s.is_active or exists (
        select from race r
        where r.suite_id = s.suite_id
          and r.status in ('QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING')))`;
    return new Map(
      rows.map(({ basis, basisMd5, ...suite }) => [
        suite.suiteId,
        { ...suite, policyBasis: { value: policyBasis.parse(basis), md5: basisMd5 } },
      ]),
    );
  }

  async #reign(): Promise<OpenReign | null> {
    const [row] = await this.#sql<OpenReign[]>`
      select t.top_id as "topId", t.suite_id as "suiteId", t.agent_version_id as "agentVersionId",
             t.miner_hotkey as "minerHotkey", rt.milliseconds(t.top_at)::float8 as "topAtMs",
             rt.milliseconds(s.activated_at)::float8 as "suiteActivatedAtMs",
             rt.reign_end_reason(t.agent_version_id) as "endReason",
             (select rt.milliseconds(r.completed_at)::float8
              from race r
              where r.suite_id = t.suite_id and r.status in ('RACE_COMPLETE', 'RACE_CANCELLED')
                and r.completed_at is not null
              order by r.race_number desc
              limit 1) as "lastRaceAtMs"
      from top_agent t
      join suite s using (suite_id)
      where t.ended_at is null`;
    return row ?? null;
  }

  async #fields(raceIds: readonly string[]) {
    const fields = new Map<string, Digested<readonly FieldCandidate[]>>();
    for (const raceId of new Set(raceIds)) {
      const [row] = await this.#sql<Digested<FieldCandidate[]>[]>`
        select field as value, md5(field::text) as md5 from rt.race_field(${raceId}) as field`;
      if (row !== undefined) fields.set(raceId, row);
    }
    return fields;
  }

  /**
   * A race may wait for an order for ten minutes, and is asked five times a second: all that it would come to
   * is not read meanwhile. Nothing is pulled out of the subqueries, so that each function is called once or not at
   * all; and it is one statement, in which an order is either on its way or in the results.
   */
  async #results(raceIds: readonly string[], raceIdsWaiting: ReadonlySet<string>) {
    const results = new Map<string, EndGround>();
    for (const raceId of new Set(raceIds)) {
      const [row] = await this.#sql<EndGround[]>`
        select read.inputs as value, md5(read.inputs::text) as md5,
               rt.milliseconds(rt.top_fell_at())::float8 as "topFellAtMs",
               sent."isOrderOnItsWay"
        from (select rt.race_awaits_order(${raceId}) as "isOrderOnItsWay" offset 0) sent
        cross join lateral (
          select rt.race_results(${raceId}) as inputs
          where not (sent."isOrderOnItsWay" and ${raceIdsWaiting.has(raceId)}::boolean)
          offset 0
        ) read`;
      if (row !== undefined) results.set(raceId, row);
    }
    return results;
  }

  /**
   * Of which the inputs are worth reading. They say for themselves whether work is left, with the same
   * condition: some may open again before they are read.
   */
  async #racesDone(raceIds: readonly string[]): Promise<readonly string[]> {
    if (raceIds.length === 0) return [];
    const rows = await this.#sql<{ raceId: string }[]>`
      select r.race_id as "raceId"
      from race r
      where r.race_id = any(${[...raceIds]}::uuid[]) and r.status = 'RACE_RUNNING'
        and not exists (
          select from race_entrant e
          left join work_item w on w.race_id = r.race_id and w.agent_version_id = e.agent_version_id
          where e.race_id = r.race_id and coalesce(w.state, 'OPEN') = 'OPEN'
            and not exists (select from hotkey_ban b where b.hotkey = e.miner_hotkey))`;
    return rows.map(({ raceId }) => raceId);
  }

  async #heldOut(raceIds: readonly string[]) {
    if (raceIds.length === 0) return new Map<string, HeldOutTask[]>();
    const rows = await this.#sql<HeldOutRow[]>`
      select r.race_id as "raceId", r.suite_id as "suiteId", t.problem_id as "problemId",
             t.task_id as "taskId", t.family, t.drawn_family as "drawnFamily",
             t.was_raced as "wasRaced"
      from race r
      cross join lateral rt.held_out_tasks(r.suite_id) t
      where r.race_id = any(${[...raceIds]}::uuid[])`;
    const byRace = Map.groupBy(rows, ({ raceId }) => raceId);
    return new Map(
      raceIds.map((raceId) => [
        raceId,
        (byRace.get(raceId) ?? []).map((row) => this.#heldOutTask(row)),
      ]),
    );
  }

  #heldOutTask(row: HeldOutRow): HeldOutTask {
    const { suiteId, problemId, taskId, family, drawnFamily, wasRaced } = row;
    const id = problemId ?? this.#uuidV5(problemNamespace, problemName(suiteId, taskId ?? ''));
    return {
      taskId: taskId ?? id,
      family: drawnFamily,
      wasRaced,
      row: { problem_id: id, task_id: taskId, family },
    };
  }

  async #find(raceIds: readonly string[]): Promise<ReadonlyMap<string, RaceEntity>> {
    if (raceIds.length === 0) return new Map();
    const rows = await this.#sql<StoredRace[]>`
      select key, seq::float8 as seq, machine_version as "machineVersion", value, context
      from rt.snapshot
      where kind = 'race' and part = ${this.#part} and machine = ${race.name}
        and key = any(${[...raceIds]}::text[])`;
    return entitiesOf(rows);
  }
}

type StoredRace = Pick<SnapshotRow, 'context' | 'key' | 'machineVersion' | 'seq' | 'value'>;

interface SuiteRow extends Omit<SuiteGround, 'policyBasis'> {
  readonly basis: unknown;
  readonly basisMd5: string;
}

interface HeldOutRow {
  readonly raceId: string;
  readonly suiteId: number;
  readonly problemId: string | null;
  readonly taskId: string | null;
  readonly family: string | null;
  readonly drawnFamily: string;
  /** By its id in the pack, or by a goal of its own in any pack, as a task is public (record 69). */
  readonly wasRaced: boolean;
}

function entitiesOf(rows: readonly StoredRace[]): ReadonlyMap<string, RaceEntity> {
  return new Map(rows.map((row) => [row.key, { state: decode(race, row), seq: row.seq }]));
}
