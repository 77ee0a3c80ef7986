import { backlogMax } from '../../../infra/ports/outbox-store.ts';
import type { Fragment, Sql } from '../../../infra/ports/sql.ts';

export interface PartitionRow {
  readonly kind: string;
  readonly part: number;
  readonly epoch: number;
  readonly owner: string | null;
  readonly isOwnerLive: boolean;
}

export async function listPartitions(sql: Sql): Promise<readonly PartitionRow[]> {
  return await sql<PartitionRow[]>`
    select p.kind, p.part, p.epoch::float8 as epoch, p.owner,
      (m.lease_until is not null and m.lease_until > rt.wall_clock()) as "isOwnerLive"
    from rt.partition p
    left join rt.member m on m.member_id = p.owner and m.incarnation = p.incarnation
    order by p.kind, p.part`;
}

export interface MemberRow {
  readonly memberId: string;
  readonly isLive: boolean;
  readonly isDraining: boolean;
  readonly joinedAt: Date;
  readonly partitionCount: number;
}

export async function listMembers(sql: Sql): Promise<readonly MemberRow[]> {
  return await sql<MemberRow[]>`
    select m.member_id as "memberId", m.lease_until > rt.wall_clock() as "isLive",
      m.draining as "isDraining", m.joined_at as "joinedAt", count(p.part)::int as "partitionCount"
    from rt.member m
    left join rt.partition p on p.owner = m.member_id and p.incarnation = m.incarnation
    group by m.member_id
    order by m.member_id`;
}

export interface UnfinishedRaceRow {
  readonly raceId: string;
  readonly raceNumber: number;
  readonly status: string;
  readonly qualifyingClosesAtMs: number;
  /** Null until it runs. */
  readonly deadlineAtMs: number | null;
  readonly work: RaceWork;
}

/** Of one race, each entrant having one work item; all zero until it runs. */
export interface RaceWork {
  readonly items: number;
  readonly open: number;
  readonly liveRuns: number;
  /** Of the open ones, those that are offered to nobody. */
  readonly held: readonly HeldWork[];
}

export interface HeldWork {
  readonly reason: string;
  readonly items: number;
  /** When the first of them is offered again; null where that takes an order. */
  readonly nextEndsAtMs: number | null;
}

export interface OverviewRow {
  readonly activeSuiteId: number | null;
  /** Of the active suite. */
  readonly race: UnfinishedRaceRow | null;
  readonly openWorkItems: number;
  readonly liveRuns: number;
  readonly waitingVersions: number;
  readonly bannedHotkeys: number;
  readonly validatorsActive: number;
  readonly outboxPending: number;
  readonly outboxOldestAt: Date | null;
  /** Of a pile so many are counted, and the oldest is the oldest of these. */
  readonly mayMoreBePending: boolean;
  readonly parkedMessages: number;
  readonly partitionsWithoutOwner: number;
}

export async function readOverview(sql: Sql): Promise<OverviewRow> {
  const [row] = await sql<OverviewRow[]>`
    select
      (select suite_id from suite where is_active) as "activeSuiteId",
      (select jsonb_build_object('raceId', r.race_id, 'raceNumber', r.race_number,
          'status', r.status,
          'qualifyingClosesAtMs', floor(extract(epoch from r.qualifying_closes_at) * 1000),
          'deadlineAtMs', floor(extract(epoch from r.deadline_at) * 1000),
          'work', (${raceWork(sql)}))
        from race r
        join suite s on s.suite_id = r.suite_id
        where s.is_active and r.status in ('QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING')
      ) as race,
      -- All that is open or live, in the words of the one index that holds just that.
      (select count(*)::int from work_item where closed_at is null) as "openWorkItems",
      (select count(*)::int from evaluation_run where completed_at is null) as "liveRuns",
      (select count(*)::int from agent_version where state in ('RECEIVED', 'QUEUED', 'RUNNING'))
        as "waitingVersions",
      (select count(*)::int from hotkey_ban) as "bannedHotkeys",
      (select count(*)::int from validator where last_seen_at > rt.clock() - interval '5 minutes')
        as "validatorsActive",
      backlog.pending as "outboxPending",
      backlog.oldest_at as "outboxOldestAt",
      backlog.may_be_more as "mayMoreBePending",
      (select count(*)::int from rt.poison) as "parkedMessages",
      (select count(*)::int from rt.partition p
        where not exists (
          select from rt.member m
          where m.member_id = p.owner and m.incarnation = p.incarnation
            and m.lease_until > rt.wall_clock())) as "partitionsWithoutOwner"
    from rt.outbox_backlog(${backlogMax / 2}) backlog`;
  if (row === undefined) throw new Error('the overview has one row');
  return row;
}

/** Of the race `r`, as JSON. Under seal: what holds its work says how runs of it ended. */
function raceWork(sql: Sql): Fragment {
  return sql`
    select jsonb_build_object('items', count(*), 'open', count(*) filter (where w.state = 'OPEN'),
      'liveRuns', coalesce(sum(w.live_count), 0),
      'held', (
        select coalesce(jsonb_agg(h order by h.reason), '[]')
        from (
          select o.hold_reason as reason, count(*) as items,
            floor(extract(epoch from min(o.hold_until) filter (where o.hold_reason <> 'MINER_BANNED')) * 1000)
            as "nextEndsAtMs"
          from work_item o
          where o.race_id = r.race_id and o.rejudging_id is null and o.state = 'OPEN'
            and (o.hold_until > rt.clock() or o.hold_reason = 'MINER_BANNED')
          group by o.hold_reason) h))
    from work_item w
    where w.race_id = r.race_id and w.rejudging_id is null`;
}

export interface ParkedRow {
  readonly msgId: string;
  readonly subject: string;
  /** Of its inbox; null where it was parked before that was kept. */
  readonly consumer: string | null;
  readonly error: string;
  readonly body: string;
  readonly isBodyCut: boolean;
  readonly parkedAt: Date;
  readonly canBeResent: boolean;
}

/** A look at the body; a whole one may be as long as a message. */
const bodyLengthMax = 4_000;

/** The longest parked first. */
export async function parkedPage(
  sql: Sql,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly messages: readonly ParkedRow[] }> {
  const [[count], messages] = await Promise.all([
    sql<{ total: number }[]>`select count(*)::int as total from rt.poison`,
    sql<ParkedRow[]>`
      select msg_id as "msgId", subject, target_consumer as consumer, error,
        left(body, ${bodyLengthMax}) as body, length(body) > ${bodyLengthMax} as "isBodyCut",
        at as "parkedAt", sender_kind is not null as "canBeResent"
      from rt.poison
      order by at, msg_id
      limit ${page.limit} offset ${page.offset}`,
  ]);
  return { total: count?.total ?? 0, messages };
}

export interface AuditRow {
  readonly seq: number;
  readonly actor: string;
  readonly action: string;
  readonly object: string;
  readonly reason: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly prevHash: string;
  readonly hash: string;
  readonly committedAt: Date;
}

/** Newest first. */
export async function auditPage(
  sql: Sql,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly entries: readonly AuditRow[] }> {
  const [newest] = await sql<{ total: number }[]>`
    select coalesce(max(seq), 0)::float8 as total from audit_log`;
  const total = newest?.total ?? 0;
  // Numbers have no gaps, so a page is a range of them.
  const entries = await sql<AuditRow[]>`
    select seq::float8 as seq, actor, action, object, reason, detail, prev_hash as "prevHash", hash,
      committed_at as "committedAt"
    from audit_log
    where seq <= ${total - page.offset}
    order by seq desc
    limit ${page.limit}`;
  return { total, entries };
}

/** Whether the log has a later entry of a change of this hotkey's registration than the one at `auditSeq`. */
export async function isRegistrationNotedAfter(
  sql: Sql,
  hotkey: string,
  auditSeq: number,
): Promise<boolean> {
  const rows = await sql`
    select 1 from audit_log
    where seq > ${auditSeq} and object = ${`hotkey/${hotkey}`} and action like 'registration.%'
    limit 1`;
  return rows.length > 0;
}
