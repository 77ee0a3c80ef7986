import { defaultPolicy } from '../../../actors/runtime/policy.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { WatchPlan } from './standstill-watch.ts';
import type { Waiting } from './standstills.ts';

const everyMs = 1_000;
/** A pass of flushes over all partitions, a commit and our looks, each of them on a crowded machine. */
const crowdedMs = 5_000;

/**
 * Live runs that are past the end of their lease, as the database has it, while somebody serves their
 * partition: the owner must end them or has moved their ends without having written it yet.
 *
 * None stays so for longer than one flush and a moment:
 *
 * 1. Whatever moves an end (a beat, an amnesty, a takeover's window, the brake) is written by the next
 *    flush of the same owner, ten seconds later at most (`actors/lease-manager/deadlines.ts`,
 *    infra/decisions/0013). Then the end is another one, and counting begins anew.
 * 2. An end that the flush did not move is the end in the owner's memory too. It looks five times a
 *    second what is over, and ends it.
 * 3. A flush can fail, or its owner die before it, only by a fault of the owner, of the database or of
 *    the machine; nobody is ended while the broker or every edge is away. From the end of each of these,
 *    and from each new epoch, counting begins anew (`hindrances.ts`).
 *
 * A run that nobody serves is not looked at: that a partition has no owner is found as stuck.
 */
export function overdueRuns(sql: Sql): WatchPlan {
  return {
    rule: 'runs past the written end of their lease (INV-07)',
    everyMs,
    mostMs: defaultPolicy.flushEveryMs + crowdedMs,
    find: () => findOverdue(sql),
  };
}

async function findOverdue(sql: Sql): Promise<readonly Waiting[]> {
  const rows = await sql<{ id: string; owner: string; epoch: string; endsMs: number }[]>`
    select r.eval_run_id as id, p.owner, p.epoch::text as epoch,
           (extract(epoch from lease.ends_at) * 1000)::float8 as "endsMs"
    from evaluation_run r
    join rt.partition p on p.kind = 'eval' and p.part = r.part
    join rt.member m on m.member_id = p.owner and m.incarnation = p.incarnation
    left join run_beat b on b.eval_run_id = r.eval_run_id
    cross join lateral (
      select greatest(r.lease_expires_at, b.lease_until) as ends_at) as lease
    where r.status in ('CLAIMED', 'RUNNING') and m.lease_until > rt.wall_clock()
      and lease.ends_at < rt.clock()`;
  return rows.map(({ id, owner, epoch, endsMs }) => {
    return { name: `run ${id}`, state: `${epoch} ${endsMs}`, owner };
  });
}
