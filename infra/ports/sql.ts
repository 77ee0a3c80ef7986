import type {
  PendingQuery,
  Sql as PostgresSql,
  TransactionSql as PostgresTransactionSql,
  Row,
} from 'postgres';

/** The tagged-template database handle; the only database API that a store or reads file uses. */
export type Sql = PostgresSql<Record<never, never>>;

/** A piece of a query, to be put into another one. */
export type Fragment = PendingQuery<Row[]>;

/** The same inside `transaction` (infra/postgres/transaction.ts). */
export type Transaction = PostgresTransactionSql<Record<never, never>>;
