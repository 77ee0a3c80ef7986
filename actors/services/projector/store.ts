import type { Delivery } from '../../../infra/ports/bus.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { firstCursorOf, type Tidings, tidings } from '../../../machines/feed/public-event.ts';
import { type Projection, type Release, runEndKey } from './project-fact.ts';

export const tables = ['public_event', 'public_release'] as const;

/** Any number will do, as long as nobody else uses it for something else. */
const feedLock = 7_246_001;

/**
 * Whoever writes to the feed does so alone, and takes this first: cursors are given out in the order of
 * commits, so that nobody who has read one finds an earlier one later.
 */
export async function lockFeed(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${feedLock})`;
}

/** A fact, and what it means to the public. */
export interface ProjectedFact extends Projection {
  readonly fact: Pick<Delivery, 'kind' | 'msgId' | 'part'>;
}

/**
 * Proves the consumption of facts and writes what those mean that were not consumed before, in the order
 * given. One call, which takes the feed's lock itself.
 */
export async function project(
  sql: Sql | Transaction,
  facts: readonly ProjectedFact[],
): Promise<void> {
  const rows = facts.map(({ fact: { kind, part, msgId }, ...meaning }) => ({
    ...{ kind, part, msgId },
    ...meaning,
  }));
  await sql`select rt.project_facts(${feedLock}, ${JSON.stringify(rows)}::text::jsonb)`;
}

/** Puts what is new at the end of the feed, in the order given. Under the feed's lock. */
export async function append(tx: Transaction, told: readonly Tidings[]): Promise<void> {
  if (told.length === 0) return;
  await tx`
    insert into public_event (cursor, msg_id, type, body, at)
    select (select coalesce(max(cursor), 0) from public_event) + row_number() over (order by t.place),
      t.key, t.type, t.body, timestamptz 'epoch' + t."atMs" * interval '1 millisecond'
    from rows from (
      jsonb_to_recordset(${JSON.stringify(told)}::text::jsonb)
        as (key text, type text, body jsonb, "atMs" double precision)
    ) with ordinality as t (key, type, body, "atMs", place)
    where not exists (select from public_event e where e.msg_id = t.key)
    order by t.place`;
}

/**
 * Begins the cursors of an accepted branch with the news of it, so that whoever comes with a cursor of
 * the lost one is told all that comes after the fork. Under the feed's lock.
 */
export async function beginBranch(tx: Transaction, branch: number): Promise<void> {
  const [last] = await tx<{ cursor: number; nowMs: number }[]>`
    select coalesce(max(cursor), 0)::float8 as cursor,
      floor(extract(epoch from rt.clock()) * 1000)::float8 as "nowMs"
    from public_event`;
  if (last === undefined) throw new Error('the end of the feed was not told');
  const cursor = firstCursorOf(branch);
  const { key, type, body, atMs } = tidings({
    key: `history-restored:${branch}`,
    type: 'history-restored',
    body: { branch, last_kept_cursor: last.cursor },
    atMs: last.nowMs,
  });
  await tx`
    insert into public_event (cursor, msg_id, type, body, at)
    values (${cursor}, ${key}, ${type}, ${JSON.stringify(body)}::text::jsonb,
      timestamptz 'epoch' + ${atMs} * interval '1 millisecond')`;
}

export interface DueRelease {
  readonly kind: Release['kind'];
  readonly id: string;
  readonly dueMs: number;
  /** How often it could not be told so far. */
  readonly failures: number;
}

export interface DueCode extends DueRelease {
  readonly reason: 'TOP' | 'AGED';
}

/** `r` is a release. Those that are put off are left out. */
const isDue = (sql: Sql | Transaction) => sql`
  r.told_at is null and r.due_at <= rt.clock()
  and (r.put_off_until is null or r.put_off_until <= rt.wall_clock())`;

/**
 * Of code that whose time has come, in the order of its time. Under the feed's lock.
 *
 * A version that became top before its age released it waits for that news, which is on its way.
 */
export async function dueCode(tx: Transaction, limit: number): Promise<readonly DueCode[]> {
  return await tx<DueCode[]>`
    select r.kind, r.id, floor(extract(epoch from r.due_at) * 1000)::float8 as "dueMs", r.failures,
      r.reason
    from public_release r
    where r.kind = 'CODE' and ${isDue(tx)}
      and not exists (
        select from top_agent t where t.agent_version_id = r.id and t.top_at < r.due_at)
    order by r.due_at, r.id
    limit ${limit}`;
}

export async function markTold(tx: Transaction, { kind, id }: DueRelease): Promise<void> {
  await tx`
    update public_release set told_at = rt.clock() where kind = ${kind} and id = ${id}`;
}

export interface DueRace extends DueRelease {
  /** How often one of its runs ended since its release was planned. */
  readonly lateEnds: number;
}

/**
 * The race that is due longest.
 *
 * It waits until its last runs, cancelled by a message, have ended. Those that judge it again may take days, and are
 * told as they end.
 */
export async function dueRace(sql: Sql): Promise<DueRace | undefined> {
  const [race] = await sql<DueRace[]>`
    select r.kind, r.id, floor(extract(epoch from r.due_at) * 1000)::float8 as "dueMs", r.failures,
      r.late_ends as "lateEnds"
    from public_release r
    where r.kind = 'RACE' and ${isDue(sql)}
      -- All that is live, in the words of the one index that holds just that.
      and not exists (
        select from evaluation_run u
        where u.completed_at is null and u.race_id = r.id and u.rejudging_id is null)
    order by r.due_at, r.id
    limit 1`;
  return race;
}

/** Unless another has done so, or one of its runs ended since the race was looked for. Under the feed's lock. */
export async function markRaceTold(
  tx: Transaction,
  { kind, id, lateEnds }: DueRace,
): Promise<boolean> {
  const { count } = await tx`
    update public_release set told_at = rt.clock()
    where kind = ${kind} and id = ${id} and told_at is null and late_ends = ${lateEnds}`;
  return count > 0;
}

/** By the wall clock. Nobody waits for it meanwhile, and a simulated clock goes on. */
export async function putOff(
  tx: Transaction,
  { kind, id }: DueRelease,
  waitMs: number,
): Promise<void> {
  await tx`
    update public_release
    set failures = failures + 1,
      put_off_until = rt.wall_clock() + ${waitMs} * interval '1 millisecond'
    where kind = ${kind} and id = ${id}`;
}

/** Like that, of one that can be told. */
export async function rest(
  tx: Transaction,
  { kind, id }: DueRelease,
  waitMs: number,
): Promise<void> {
  await tx`
    update public_release
    set put_off_until = rt.wall_clock() + ${waitMs} * interval '1 millisecond'
    where kind = ${kind} and id = ${id} and told_at is null`;
}

/** Milliseconds until the next one that is not put off is due; undefined when none is planned. */
export async function msUntilRelease(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ ms: number | null }[]>`
    select (extract(epoch from rt.next_release() - rt.clock()) * 1000)::float8 as ms`;
  return row?.ms ?? undefined;
}

/** What ages from now on goes by the configuration, also where it was another one before. */
export async function followTerms(sql: Sql, codePrivateMs: number): Promise<void> {
  await sql`
    update public_release r
    set due_at = v.submitted_at + ${codePrivateMs} * interval '1 millisecond'
    from agent_version v
    where r.kind = 'CODE' and r.reason = 'AGED' and r.told_at is null
      and v.agent_version_id = r.id
      and r.due_at <> v.submitted_at + ${codePrivateMs} * interval '1 millisecond'`;
}

export interface ReleasedCode {
  readonly agentVersionId: string;
  readonly agentName: string;
  readonly minerHotkey: string;
  readonly suiteId: number;
  readonly versionNumber: number;
  readonly codeSha256: string;
}

export async function codeOf(
  tx: Transaction,
  agentVersionId: string,
): Promise<ReleasedCode | undefined> {
  const [row] = await tx<ReleasedCode[]>`
    select agent_version_id as "agentVersionId", agent_name as "agentName",
      miner_hotkey as "minerHotkey", suite_id as "suiteId", version_number as "versionNumber",
      code_sha256 as "codeSha256"
    from agent_version
    where agent_version_id = ${agentVersionId}`;
  return row;
}

export interface EndedRun {
  readonly evalRunId: string;
  readonly agentVersionId: string;
  readonly suiteId: number;
  readonly raceId: string;
  readonly validatorHotkey: string;
  readonly status: 'SUCCESS' | 'FAILED' | 'TIMED_OUT' | 'STALE' | 'CANCELLED';
  readonly scoreMicro: number | null;
  readonly endedAtMs: number;
  readonly isRaceCancelled: boolean;
}

/** Where the end of a run stands among those of its race. */
export interface EndPlace {
  readonly shownAt: string;
  readonly evalRunId: string;
}

/** Before all of them. */
export const firstEnd: EndPlace = {
  shownAt: '-infinity',
  evalRunId: '00000000-0000-0000-0000-000000000000',
};

/**
 * How runs of a race ended, those behind a place, and which of them the feed tells of already. As they ended; of a
 * cancelled race by their ids, for the order would tell who was judged. Goes through all runs of the race, which of
 * 100,000 takes 0.1 s, and asks the feed of those alone that it gives.
 */
export async function endsBehind(
  tx: Transaction,
  raceId: string,
  { behind, limit }: { readonly behind: EndPlace; readonly limit: number },
): Promise<readonly (EndedRun & EndPlace & { readonly isTold: boolean })[]> {
  return await tx<(EndedRun & EndPlace & { readonly isTold: boolean })[]>`
    select eval_run_id as "evalRunId", agent_version_id as "agentVersionId", suite_id as "suiteId",
      race_id as "raceId", validator_hotkey as "validatorHotkey", status,
      score_micro as "scoreMicro",
      floor(extract(epoch from completed_at) * 1000)::float8 as "endedAtMs",
      is_race_cancelled as "isRaceCancelled", shown_at::text as "shownAt",
      -- A limit is what keeps the planner from reading the whole feed.
      (select true from public_event e
       where e.msg_id = ${runEndKey('')} || looked_at.eval_run_id::text
       limit 1) is not null as "isTold"
    from (
      select ended.*
      from (
        select u.*, r.status = 'RACE_CANCELLED' as is_race_cancelled,
          case r.status when 'RACE_CANCELLED' then timestamptz '-infinity'
            else u.completed_at end as shown_at
        from race r
        join evaluation_run u on u.race_id = r.race_id
        where r.race_id = ${raceId} and u.completed_at is not null) ended
      where (shown_at, eval_run_id)
          > (${behind.shownAt}::text::timestamptz, ${behind.evalRunId}::uuid)
      order by shown_at, eval_run_id
      limit ${limit}) looked_at
    order by shown_at, eval_run_id`;
}
