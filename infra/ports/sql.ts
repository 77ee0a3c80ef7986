import type { Sql as PostgresSql, TransactionSql as PostgresTransactionSql } from 'postgres';

/** The tagged-template database handle; the only database API that a store or reads file uses. */
export type Sql = PostgresSql<Record<never, never>>;

/** The same inside `transaction` (infra/postgres/transaction.ts). */
export type Transaction = PostgresTransactionSql<Record<never, never>>;
