import type { Fragment, Sql } from '../../../infra/ports/sql.ts';

/** One kind of record, and which of them are stuck. */
export interface StuckKind {
  readonly kind: string;
  /**
   * Selects `id text, state text, since timestamptz, deadline timestamptz, owner text, why text` of
   * the stuck ones. It may read, beside the tables:
   *
   * - `clock` (one row): `now` of the domain, for leases, races and rows with domain times; `wall` for
   *   processes; `grace`, longer than it takes to miss a dead owner.
   * - `owned`: `kind, part, owner, is_lost` of each partition; lost is one that nobody has served for
   *   longer than the grace.
   * - `waiting`: messages that wait for longer than one is under way that a process had in hand when it
   *   died, with `is_order` and `is_taken`; of a pile so many of both sorts, whose next try is nearest.
   */
  find(sql: Sql): Fragment;
  /** Where it goes by `waiting`: how many of these are its. */
  countOfLookedAt?(sql: Sql): Fragment;
}

export interface StuckRecord {
  readonly kind: string;
  readonly id: string;
  readonly state: string;
  /** When it came to its state. */
  readonly since: Date | null;
  /** What it has missed; null where it waits without one. */
  readonly deadline: Date | null;
  /** The process in charge. */
  readonly owner: string | null;
  readonly why: string;
}
