import type { Fragment, Sql, Transaction } from '../../infra/ports/sql.ts';

/** The race that is paid now: the one that was completed last, in whatever suite. */
export function paidRace(sql: Sql | Transaction): Fragment {
  return sql`
    select r.race_id, r.policy from race r
    where r.status = 'RACE_COMPLETE'
    order by r.completed_at desc, r.race_id desc
    limit 1`;
}

/** The race of a suite that was completed last. */
export function lastRaceOf(sql: Sql | Transaction, suiteId: Fragment): Fragment {
  return sql`
    select r.race_id from race r
    where r.suite_id = ${suiteId} and r.status = 'RACE_COMPLETE'
    order by r.race_number desc
    limit 1`;
}

/** Of an entrant of its suite's last race, by its alias: it is in the next field, as rt.race_field has it. */
export function isSurvivor(sql: Sql | Transaction, entrant: Fragment): Fragment {
  return sql`
    not ${entrant}.is_eliminated
      and (${entrant}.race_score is not null or ${entrant}.unfinished_reason = 'NOT_FINISHED')`;
}

/**
 * `isRaceReleased` over a row, by its alias. Where many rows are asked, `now` is a clock that was read once: what
 * may change from row to row finds none by an index.
 */
export function isReleased(
  sql: Sql | Transaction,
  race: Fragment,
  now: Fragment = sql`rt.clock()`,
): Fragment {
  return sql`(${race}.status = 'RACE_COMPLETE' and ${race}.released_at <= ${now})`;
}
