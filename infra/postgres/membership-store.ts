import type {
  ClaimedPartition,
  ClusterView,
  MemberIdentity,
  MembershipStore,
  NewMember,
  SeenPartition,
} from '../ports/membership-store.ts';
import type { PartitionToken } from '../ports/partition-store.ts';
import type { Sql } from '../ports/sql.ts';

/**
 * Give it pools of its own: a renewal that waits behind commits, or behind claims, looks like a death. Both
 * run as paddock_actor.
 */
export function createMembershipStore(sql: Sql, renewals: Sql = sql): MembershipStore {
  return {
    join: (member) => join(renewals, member),
    renew: (identity, ttlMs) => renew(renewals, identity, ttlMs),
    setDraining: async ({ memberId, incarnation }) => {
      await sql`select rt.drain(${memberId}, ${incarnation})`;
    },
    leave: async ({ memberId, incarnation }) => {
      await sql`select rt.leave(${memberId}, ${incarnation})`;
    },
    eject: async ({ memberId, incarnation }) => {
      const rows = await sql<{ ejected: boolean }[]>`
        select rt.eject(${memberId}, ${incarnation}) as ejected`;
      return rows[0]?.ejected ?? false;
    },
    isConnected: (memberId) => isConnected(sql, memberId),
    view: () => view(sql),
    claim: async (ref, epoch, identity) => (await claimAll(sql, [{ ...ref, epoch }], identity))[0],
    claimAll: (seen, identity) => claimAll(sql, seen, identity),
    release: (token) => release(sql, token),
  };
}

async function join(sql: Sql, member: NewMember): Promise<number> {
  const [row] = await sql<{ at: Date }[]>`
    select rt.join(${member.memberId}, ${member.incarnation}, ${seconds(member.ttlMs)},
                   ${member.codeVersion}, ${[...member.kinds]}::text[],
                   ${member.isAgain === true}) as at`;
  if (row === undefined) throw new Error(`joining as ${member.memberId} gave no clock`);
  return row.at.getTime();
}

async function renew(
  sql: Sql,
  identity: MemberIdentity,
  ttlMs: number,
): Promise<number | undefined> {
  const [row] = await sql<{ at: Date | null }[]>`
    select rt.renew(${identity.memberId}, ${identity.incarnation}, ${seconds(ttlMs)}) as at`;
  return row?.at?.getTime();
}

/** The server cuts names off; whose first bytes are alike then count as one, and alive. */
async function isConnected(sql: Sql, memberId: string): Promise<boolean> {
  const [row] = await sql<{ connected: boolean }[]>`
    select exists (
      select from pg_stat_activity
      where datname = current_database()
        and starts_with(application_name, left(${`${memberId} `}, 63))) as connected`;
  return row?.connected ?? true;
}

function seconds(ms: number): string {
  return `${ms / 1000} seconds`;
}

async function view(sql: Sql): Promise<ClusterView> {
  const [members, partitions] = await Promise.all([
    sql<MemberRow[]>`
      select member_id, incarnation, draining, code_version, kinds
      from rt.member
      where lease_until > rt.wall_clock()`,
    sql<OwnershipRow[]>`
      select kind, part, epoch, owner, incarnation, version_floor
      from rt.partition`,
  ]);
  return {
    members: members.map((row) => ({
      memberId: row.member_id,
      incarnation: row.incarnation,
      draining: row.draining,
      codeVersion: row.code_version,
      kinds: row.kinds,
    })),
    partitions: partitions.map((row) => ({
      kind: row.kind,
      part: row.part,
      epoch: Number(row.epoch),
      owner: row.owner ?? undefined,
      incarnation: row.incarnation ?? undefined,
      versionFloor: row.version_floor,
    })),
  };
}

interface MemberRow {
  readonly member_id: string;
  readonly incarnation: string;
  readonly draining: boolean;
  readonly code_version: number;
  readonly kinds: string[];
}

interface OwnershipRow {
  readonly kind: string;
  readonly part: number;
  readonly epoch: string;
  readonly owner: string | null;
  readonly incarnation: string | null;
  readonly version_floor: number;
}

/** In the order in which commits lock partitions, so that neither waits for the other in a circle. */
async function claimAll(
  sql: Sql,
  seen: readonly SeenPartition[],
  { memberId, incarnation }: MemberIdentity,
): Promise<readonly ClaimedPartition[]> {
  const sorted = seen.toSorted((a, b) => a.kind.localeCompare(b.kind) || a.part - b.part);
  const rows = await sql<ClaimedRow[]>`
    select s.kind, s.part, c.new_epoch, c.claimed_at
    from unnest(${sorted.map(({ kind }) => kind)}::text[], ${sorted.map(({ part }) => part)}::integer[],
                ${sorted.map(({ epoch }) => epoch)}::bigint[]) as s (kind, part, epoch)
    cross join lateral rt.claim(s.kind, s.part, s.epoch, ${memberId}, ${incarnation}) c`;
  const unserved = await unservedBefore(sql, rows);
  return rows.map(({ kind, part, new_epoch, claimed_at }) => ({
    ...{ kind, part },
    epoch: Number(new_epoch),
    nowMs: claimed_at.getTime(),
    unservedMs: unserved.get(`${kind} ${part}`) ?? 0,
  }));
}

/** How long nobody served what was just claimed; what was served all the time is left out. */
async function unservedBefore(
  sql: Sql,
  claimed: readonly ClaimedRow[],
): Promise<ReadonlyMap<string, number>> {
  if (claimed.length === 0) return new Map();
  const rows = await sql<{ kind: string; part: number; ms: number }[]>`
    select u.kind, u.part, u.ms::float8 as ms
    from unnest(${claimed.map(({ kind }) => kind)}::text[], ${claimed.map(({ part }) => part)}::integer[],
                ${claimed.map(({ new_epoch }) => new_epoch)}::bigint[]) as c (kind, part, epoch)
    join rt.unserved u using (kind, part, epoch)`;
  return new Map(rows.map(({ kind, part, ms }) => [`${kind} ${part}`, ms]));
}

interface ClaimedRow {
  readonly kind: string;
  readonly part: number;
  readonly new_epoch: string;
  readonly claimed_at: Date;
}

async function release(sql: Sql, token: PartitionToken): Promise<boolean> {
  const [row] = await sql<{ released: boolean }[]>`
    select rt.release(${token.kind}, ${token.part}, ${token.epoch}, ${token.incarnation}) as released`;
  return row?.released ?? false;
}
