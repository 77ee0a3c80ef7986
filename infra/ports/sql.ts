import type { Sql as PostgresSql } from 'postgres';

/** The tagged-template database handle; the only database API that a store or reads file uses. */
export type Sql = PostgresSql<Record<never, never>>;
