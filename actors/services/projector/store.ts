import type { Delivery } from '../../../infra/ports/bus.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { firstCursorOf, type Tidings, tidings } from '../../../machines/feed/public-event.ts';
import type { Projection, Release } from './project-fact.ts';

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
  readonly reason: Release['reason'];
  /** How often it could not be told so far. */
  readonly failures: number;
}

/**
 * Releases whose time has come, in the order of their time. Under the feed's lock.
 *
 * A version that became top before its age released it waits for that news, which is on its way; a
 * race waits until its last runs, cancelled by a message, have ended. Those that judge it again may
 * take days, and are told as they end. Those that are put off are left out.
 */
export async function dueReleases(tx: Transaction, limit: number): Promise<readonly DueRelease[]> {
  return await tx<DueRelease[]>`
    select r.kind, r.id, floor(extract(epoch from r.due_at) * 1000)::float8 as "dueMs", r.reason,
      r.failures
    from public_release r
    where r.told_at is null and r.due_at <= rt.clock()
      and (r.put_off_until is null or r.put_off_until <= rt.wall_clock())
      and not (r.kind = 'CODE' and exists (
        select from top_agent t where t.agent_version_id = r.id and t.top_at < r.due_at))
      and not (r.kind = 'RACE' and exists (
        select from evaluation_run u
        where u.race_id = r.id and u.status in ('CLAIMED', 'RUNNING')
          and u.rejudging_id is null))
    order by r.due_at, r.kind, r.id
    limit ${limit}`;
}

export async function markTold(tx: Transaction, { kind, id }: DueRelease): Promise<void> {
  await tx`
    update public_release set told_at = rt.clock() where kind = ${kind} and id = ${id}`;
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

/** How the runs of a race ended, in the order in which they did. */
export async function endedRuns(tx: Transaction, raceId: string): Promise<readonly EndedRun[]> {
  return await tx<EndedRun[]>`
    select u.eval_run_id as "evalRunId", u.agent_version_id as "agentVersionId",
      u.suite_id as "suiteId", u.race_id as "raceId", u.validator_hotkey as "validatorHotkey",
      u.status, u.score_micro as "scoreMicro",
      floor(extract(epoch from u.completed_at) * 1000)::float8 as "endedAtMs",
      r.status = 'RACE_CANCELLED' as "isRaceCancelled"
    from evaluation_run u
    join race r on r.race_id = u.race_id
    where u.race_id = ${raceId} and u.completed_at is not null
    order by u.completed_at, u.eval_run_id`;
}
