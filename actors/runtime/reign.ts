import type { Fragment, Sql, Transaction } from '../../infra/ports/sql.ts';
import { aheadMs, behindMs } from '../../machines/suite/activation.ts';

/**
 * Whoever has the open reign `t` of the active suite `suite`, with the version `v`, reigns: neither is
 * discarded, banned or of another suite, nor was it since it reigns, though that was taken back, nor was another
 * suite active meanwhile, before the race coordinator has heard of any of it and closed the reign.
 */
export function isReigning(sql: Sql | Transaction): Fragment {
  return sql`
    t.ended_at is null and t.suite_id = suite.suite_id and v.state <> 'DISCARDED'
      and not exists (select from hotkey_ban b where b.hotkey = t.miner_hotkey)
      and rt.top_fell_at() is null
      and not ${isOfFormerActivation(sql, sql`suite`)}`;
}

/** The reign `t` is of an earlier activation of its suite, or what began then: `isOfEarlierActivation` over rows. */
export function isOfFormerActivation(
  sql: Sql | Transaction,
  suite: Fragment,
  beganAt: Fragment = sql`t.top_at`,
): Fragment {
  return sql`
    coalesce(${suite}.activated_at <= rt.clock() + ${aheadMs} * interval '1 millisecond'
      and ${beganAt} < ${suite}.activated_at - ${behindMs} * interval '1 millisecond', false)`;
}
