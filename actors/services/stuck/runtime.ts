import type { StuckKind } from './stuck-kind.ts';

/** Messages that nobody proved to have taken. They are taken within a second where all is well. */
const untaken = (kind: string, isOrder: boolean, why: string): StuckKind => ({
  kind,
  find: (sql) => sql`
    select o.msg_id as id, o.subject as state, o.at as since, o.next_at as deadline, p.owner,
      ${why}::text as why
    from waiting o
    left join owned p on p.kind = o.target_kind and p.part = o.target_part
    where o.is_order = ${isOrder} and not o.is_taken`,
  countOfLookedAt: (sql) => sql`select count(*) from waiting where is_order = ${isOrder}`,
});

export const stuckMessages = untaken('message', false, 'nobody has taken it');

/** What a service was ordered and an actor has not answered. */
export const stuckOrders = untaken('order', true, 'no actor has answered it');

export const stuckParked: StuckKind = {
  kind: 'parked-message',
  find: (sql) => sql`
    select m.msg_id as id, m.subject as state, m.at as since, null::timestamptz as deadline,
      null::text as owner, 'it failed too often: ' || left(m.error, 200) as why
    from rt.poison m`,
};

export const stuckPartitions: StuckKind = {
  kind: 'partition',
  find: (sql) => sql`
    select p.kind || '.' || p.part as id, 'UNOWNED' as state, p.lost_at as since,
      null::timestamptz as deadline, p.owner, 'no live process serves it' as why
    from owned p
    where p.is_lost`,
};

/** A minute is ten times what it takes with every partition there is. */
export const stuckDrains: StuckKind = {
  kind: 'member',
  find: (sql) => sql`
    select m.member_id as id, 'DRAINING' as state, m.draining_at as since,
      m.draining_at + interval '1 minute' as deadline, m.member_id as owner,
      'it still has partitions to hand over' as why
    from rt.member m
    cross join clock
    where m.draining and m.lease_until > clock.wall
      and m.draining_at < clock.wall - interval '1 minute'
      and exists (
        select from rt.partition p
        where p.owner = m.member_id and p.incarnation = m.incarnation)`,
};
