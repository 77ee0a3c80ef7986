import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { type Fingerprints, fingerprintFormat } from '../../../machines/submission/fingerprints.ts';
import type { SimilarityReport } from '../../../machines/submission/similarity-report.ts';
import { isDue } from '../is-due.ts';

export const tables = [
  'similarity_version',
  'similarity_code',
  'similarity_fingerprint',
  'similarity_again',
] as const;

/** Any number will do as long as it never changes and no other use has it. */
const registrationLock = 7_220_419;

/** Submissions are written down within seconds of their instant. */
const lateSeconds = 3_600;

/** In the order of submission; an instant as the database spells it, of which nothing is lost. */
export interface SubmissionPlace {
  readonly submittedAt: string;
  readonly agentVersionId: string;
}

const nil = '00000000-0000-0000-0000-000000000000';
export const beginning: SubmissionPlace = { submittedAt: '-infinity', agentVersionId: nil };
const end: SubmissionPlace = { submittedAt: 'infinity', agentVersionId: nil };

export interface Look {
  /** Where the next one begins: behind the last version, or, at the end of all, an hour before it. */
  readonly next: SubmissionPlace;
  readonly isAtEnd: boolean;
}

/**
 * Takes in those of the `limit` versions behind a place that are not yet known; `busy` when another
 * process is at it. What was submitted after one of them is reported on again: it may be a copy of it.
 *
 * One process at a time: of two that could not see each other's rows neither would notice that the
 * later row is reported on without the earlier one. What is being reported on just now may not know of
 * them, so what looks unreported is no exception.
 */
export async function registerVersions(
  tx: Transaction,
  { limit, after }: { readonly limit: number; readonly after: SubmissionPlace },
): Promise<Look | 'busy'> {
  const [lock] = await tx<{ isMine: boolean }[]>`
    select pg_try_advisory_xact_lock(${registrationLock}) as "isMine"`;
  if (lock?.isMine !== true) return 'busy';
  const [seen] = await tx<PageRow[]>`
    with looked_at as materialized (
      select agent_version_id, miner_hotkey, submitted_at, code_sha256
      from agent_version
      where (submitted_at, agent_version_id)
          > (${after.submittedAt}::text::timestamptz, ${after.agentVersionId}::uuid)
      order by submitted_at, agent_version_id
      limit ${limit}
    ), registered as (
      insert into similarity_version (agent_version_id, miner_hotkey, author, submitted_at,
                                      code_sha256)
      select v.agent_version_id, v.miner_hotkey,
        coalesce(
          (select w.miner_coldkey from work_item w
           where w.agent_version_id = v.agent_version_id
           order by w.queued_at, w.work_item_id
           limit 1),
          (select m.coldkey from miner m where m.hotkey = v.miner_hotkey),
          v.miner_hotkey),
        v.submitted_at, v.code_sha256
      from looked_at v
      -- One probe for each: as a join, the planner may read all that is known for each page.
      where (
        select s.version_no from similarity_version s
        where s.agent_version_id = v.agent_version_id) is null
      order by v.submitted_at, v.agent_version_id
      returning submitted_at, agent_version_id
    ), late as (
      select submitted_at, agent_version_id
      from (
        select submitted_at, agent_version_id from registered
        order by submitted_at, agent_version_id
        limit 1) first_new
      -- Of those that were known before.
      where exists (
        select from similarity_version s
        where (s.submitted_at, s.agent_version_id)
            > (first_new.submitted_at, first_new.agent_version_id))
    )
    select last.submitted_at::text as "submittedAt", last.agent_version_id as "agentVersionId",
      (coalesce(last.submitted_at, ${after.submittedAt}::text::timestamptz)
        - ${lateSeconds} * interval '1 second')::text as "hourBefore",
      (select count(*) from looked_at)::integer as count,
      late.submitted_at::text as "lateAt", late.agent_version_id as "lateId"
    from (select) one
    left join late on true
    left join lateral (
      select submitted_at, agent_version_id from looked_at
      order by submitted_at desc, agent_version_id desc
      limit 1) last on true`;
  if (seen === undefined) throw new Error('a page of versions has no end');
  const { submittedAt, agentVersionId, hourBefore, count, lateAt, lateId } = seen;
  if (lateAt !== null && lateId !== null) {
    await reportAgain(tx, { submittedAt: lateAt, agentVersionId: lateId });
  }
  const isAtEnd = count < limit || submittedAt === null || agentVersionId === null;
  if (isAtEnd) return { next: { submittedAt: hourBefore, agentVersionId: nil }, isAtEnd };
  return { next: { submittedAt, agentVersionId }, isAtEnd };
}

/** Of the last version that was looked at; nulls where there was none. */
interface PageRow {
  readonly submittedAt: string | null;
  readonly agentVersionId: string | null;
  readonly hourBefore: string;
  readonly count: number;
  /** Of the first new one, where one that was submitted after it was known. */
  readonly lateAt: string | null;
  readonly lateId: string | null;
}

/** A version whose file this process alone may read, until the lease ends. */
export interface UnreadVersion {
  readonly versionNo: number;
  readonly agentVersionId: string;
  readonly minerHotkey: string;
  readonly codeSha256: string;
  readonly token: string;
  /** This one counts; since it was set aside, where it was. */
  readonly attempts: number;
  /** The store did not give it, so that the versions behind it were reported on without it. */
  readonly isSetAside: boolean;
}

/** Those set aside when no other is due: they hold up nobody any more. */
export async function leaseUnread(sql: Sql, leaseMs: number): Promise<UnreadVersion | undefined> {
  return (await leaseFirst(sql, leaseMs, false)) ?? (await leaseFirst(sql, leaseMs, true));
}

/** That of a file which was set aside. */
const longestWaitMs = 3_600_000;

async function leaseFirst(
  sql: Sql,
  leaseMs: number,
  isSetAside: boolean,
): Promise<UnreadVersion | undefined> {
  const [row] = await sql<UnreadVersion[]>`
    update similarity_version s
    set lease_token = gen_random_uuid(), attempts = attempts + 1,
      next_attempt_at = rt.wall_clock() + ${leaseMs} * interval '1 millisecond'
    from (
      select version_no from similarity_version
      where fingerprinted_at is null and ${isDue(sql, sql`next_attempt_at`, longestWaitMs)}
        and (unreadable is not null) = ${isSetAside}
      order by submitted_at, agent_version_id
      limit 1
      for update skip locked) due
    where s.version_no = due.version_no
    returning s.version_no as "versionNo", s.agent_version_id as "agentVersionId",
      s.miner_hotkey as "minerHotkey", s.code_sha256 as "codeSha256", s.lease_token as token,
      s.attempts, s.unreadable is not null as "isSetAside"`;
  return row;
}

/** Gives the lease back. `isTry` false: it was no fault of the file's. */
export async function postpone(
  sql: Sql,
  { versionNo, token }: UnreadVersion,
  { pauseMs, isTry }: { readonly pauseMs: number; readonly isTry: boolean },
): Promise<void> {
  await sql`
    update similarity_version
    set lease_token = null, attempts = attempts - ${isTry ? 0 : 1},
      next_attempt_at = rt.wall_clock() + ${pauseMs} * interval '1 millisecond'
    where version_no = ${versionNo} and lease_token = ${token}`;
}

/**
 * Another file that was read, submitted soon after this version or else before it: what a store keeps
 * back are old files rather than new ones. Looks no further than a hundred versions on either side.
 */
export async function nearestRead(
  sql: Sql,
  { versionNo }: Pick<UnreadVersion, 'versionNo'>,
): Promise<string | undefined> {
  const [row] = await sql<{ codeSha256: string }[]>`
    select near.code_sha256 as "codeSha256"
    from similarity_version this
    cross join lateral (
      (select s.*, 1 as side from similarity_version s
       where (s.submitted_at, s.agent_version_id) > (this.submitted_at, this.agent_version_id)
       order by s.submitted_at, s.agent_version_id
       limit 100)
      union all
      (select s.*, 2 from similarity_version s
       where (s.submitted_at, s.agent_version_id) < (this.submitted_at, this.agent_version_id)
       order by s.submitted_at desc, s.agent_version_id desc
       limit 100)) near
    where this.version_no = ${versionNo} and near.fingerprinted_at is not null
      and near.unreadable is null and near.code_sha256 <> this.code_sha256
    order by near.side
    limit 1`;
  return row?.codeSha256;
}

export async function saveUnreadable(
  sql: Sql,
  { versionNo, token }: UnreadVersion,
  reason: string,
): Promise<void> {
  await sql`
    update similarity_version
    set fingerprinted_at = rt.wall_clock(), unreadable = ${reason}, lease_token = null
    where version_no = ${versionNo} and lease_token = ${token}`;
}

/**
 * Lets the versions behind it be reported on without it, and is read later: after as long again as it has waited, an
 * hour at most. The store may have it back any time.
 */
export async function setAside(
  sql: Sql,
  { versionNo, token }: UnreadVersion,
  reason: string,
): Promise<void> {
  await sql`
    update similarity_version
    set unreadable = ${reason}, lease_token = null, attempts = 0,
      next_attempt_at = rt.wall_clock() + least(interval '1 hour',
        greatest(interval '1 minute', rt.wall_clock() - registered_at))
    where version_no = ${versionNo} and lease_token = ${token}`;
}

/** Of a file that was read before, in whichever version. */
export async function knownFingerprints(
  sql: Sql | Transaction,
  codeSha256: string,
): Promise<Fingerprints | undefined> {
  const [row] = await sql<Fingerprints[]>`
    select token_count as "tokenCount", modulus, hashes, first_lines as "firstLines",
      last_lines as "lastLines"
    from similarity_code
    where code_sha256 = ${codeSha256}`;
  return row;
}

/** What the same hotkey had before is not written again. May be done twice. */
export async function saveFingerprints(
  tx: Transaction,
  held: UnreadVersion,
  { tokenCount, modulus, hashes, firstLines, lastLines }: Fingerprints,
): Promise<void> {
  const { versionNo, token, codeSha256, minerHotkey } = held;
  await tx`
    insert into similarity_code (code_sha256, format, token_count, modulus, hashes, first_lines,
                                 last_lines)
    values (${codeSha256}, ${fingerprintFormat}, ${tokenCount}, ${modulus}, ${hashes}::bigint[],
            ${firstLines}::integer[], ${lastLines}::integer[])
    on conflict (code_sha256) do nothing`;
  await tx`
    insert into similarity_fingerprint (hash, version_no)
    select h.hash, ${versionNo}::integer
    from unnest(${hashes}::bigint[]) as h (hash)
    where not exists (
      select from similarity_fingerprint f
      where f.hash = h.hash and f.version_no = any(array(
        select o.version_no from similarity_version o
        where o.miner_hotkey = ${minerHotkey}
          and (o.submitted_at, o.agent_version_id) < (
            select submitted_at, agent_version_id from similarity_version
            where version_no = ${versionNo}))))
    on conflict do nothing`;
  const [read] = await tx<(SubmissionPlace & { isReported: boolean })[]>`
    update similarity_version
    set fingerprinted_at = rt.wall_clock(), unreadable = null, lease_token = null
    where version_no = ${versionNo} and lease_token = ${token}
    returning submitted_at::text as "submittedAt", agent_version_id as "agentVersionId",
      reported_at is not null as "isReported"`;
  if (read?.isReported !== true) return;
  await tx`update similarity_version set reported_at = null where version_no = ${versionNo}`;
  await reportAgain(tx, read);
}

/**
 * Has all that were submitted behind a place reported on again, in their order; until then what was said of
 * each stays. That costs the same however many they are.
 */
async function reportAgain(
  tx: Transaction,
  { submittedAt, agentVersionId }: SubmissionPlace,
): Promise<void> {
  // Held before it is compared: whoever is at it may be about to pass the place by.
  const [row] = await tx<{ isBehind: boolean }[]>`
    select (submitted_at, agent_version_id)
        > (${submittedAt}::text::timestamptz, ${agentVersionId}::uuid) as "isBehind"
    from similarity_again
    for update`;
  if (row?.isBehind === true) await movePlace(tx, { submittedAt, agentVersionId });
}

/** A version that may be reported on: all that were submitted before it are. */
export interface DueVersion {
  readonly versionNo: number;
  readonly agentVersionId: string;
  readonly minerHotkey: string;
  readonly author: string;
  readonly codeSha256: string;
  readonly unreadable: string | null;
}

const dueColumns = (tx: Transaction) => tx`
  version_no as "versionNo", agent_version_id as "agentVersionId", miner_hotkey as "minerHotkey",
  author, code_sha256 as "codeSha256", unreadable`;

/** Locked until the transaction ends; undefined when there is none, or another process has it. */
export async function lockUnreported(tx: Transaction): Promise<DueVersion | undefined> {
  const [row] = await tx<DueVersion[]>`
    select ${dueColumns(tx)}
    from similarity_version
    where version_no = (
        select version_no from similarity_version
        where reported_at is null
        order by submitted_at, agent_version_id
        limit 1)
      -- As a condition of its own it would let all that is unreported be read: an index holds just that.
      and case when reported_at is null then fingerprinted_at is not null or unreadable is not null end
    for update skip locked`;
  return row;
}

/**
 * The next one that is reported on again, locked as above; undefined when there is none, another process is at
 * it, or one before it was never reported on.
 *
 * Waits for no version: whoever gives a file back holds that version when it asks for the place.
 */
export async function lockReported(tx: Transaction): Promise<DueVersion | undefined> {
  const [place] = await tx<SubmissionPlace[]>`
    select submitted_at::text as "submittedAt", agent_version_id as "agentVersionId"
    from similarity_again
    where submitted_at < 'infinity'
    for update skip locked`;
  if (place === undefined) return undefined;
  const [next] = await tx<(SubmissionPlace & { versionNo: number })[]>`
    select version_no as "versionNo", submitted_at::text as "submittedAt",
      agent_version_id as "agentVersionId"
    from similarity_version
    where (submitted_at, agent_version_id)
        > (${place.submittedAt}::text::timestamptz, ${place.agentVersionId}::uuid)
    order by submitted_at, agent_version_id
    limit 1`;
  const version = next && (await lockIfReported(tx, next.versionNo));
  // Only when nothing is behind it: what is registered from now on is reported on with all that is there.
  if (next === undefined || version !== undefined) await movePlace(tx, next ?? end);
  return version;
}

async function lockIfReported(tx: Transaction, versionNo: number): Promise<DueVersion | undefined> {
  const [row] = await tx<DueVersion[]>`
    select ${dueColumns(tx)}
    from similarity_version
    where version_no = ${versionNo} and reported_at is not null
      and coalesce((
        select (head.submitted_at, head.agent_version_id)
            > (similarity_version.submitted_at, similarity_version.agent_version_id)
        from similarity_version head
        where head.reported_at is null
        order by head.submitted_at, head.agent_version_id
        limit 1), true)
    for update skip locked`;
  return row;
}

async function movePlace(
  tx: Transaction,
  { submittedAt, agentVersionId }: SubmissionPlace,
): Promise<void> {
  await tx`
    update similarity_again
    set submitted_at = ${submittedAt}::text::timestamptz, agent_version_id = ${agentVersionId},
      moved_at = rt.wall_clock()`;
}

/** Null: nothing can be said about it. */
export async function saveReport(
  tx: Transaction,
  versionNo: number,
  report: SimilarityReport | null,
): Promise<void> {
  const text = report === null ? null : JSON.stringify(report);
  await tx`
    update similarity_version
    set reported_at = rt.wall_clock(), verdict = ${report?.verdict ?? null},
      report = ${text}::text::jsonb
    where version_no = ${versionNo}`;
}
