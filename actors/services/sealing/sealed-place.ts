import type { Fragment, Sql, Transaction } from '../../../infra/ports/sql.ts';

type Query = Sql | Transaction;

/** A column, or a field of one, that holds sealed texts. */
export interface SealedPlace {
  /** As the view `sealed_text` calls it. */
  readonly name: string;
  readonly table: string;
  readonly idColumn: string;
  /** The text; null where there is none. */
  text(sql: Query): Fragment;
  /** An assignment, for `update … set`. */
  assign(sql: Query, sealed: string): Fragment;
  /** What says whose secret it is, as `text[]`. */
  owner(sql: Query): Fragment;
  /** What the text is sealed for (infra/ports/seal.ts). */
  context(owner: readonly string[]): string;
}

export function columnPlace(place: {
  readonly table: string;
  readonly idColumn: string;
  readonly column: string;
  readonly ownerColumns: readonly [string, ...string[]];
  readonly context: (...owner: string[]) => string;
}): SealedPlace {
  const { table, idColumn, column } = place;
  return {
    ...{ name: `${table}.${column}`, table, idColumn },
    text: (sql) => sql`${sql(column)}`,
    assign: (sql, sealed) => sql`${sql(column)} = ${sealed}`,
    owner: (sql) =>
      place.ownerColumns
        .map((each) => sql`array[${sql(each)}::text]`)
        .reduce((all, each) => sql`${all} || ${each}`),
    context: (owner) => place.context(...owner),
  };
}

/** Of first answers that are kept, a field beside another one that says whose secret it is. */
export function replyPlace(place: {
  readonly table: string;
  readonly idColumn: string;
  readonly field: string;
  readonly ownerField: string;
  readonly context: (owner: string) => string;
}): SealedPlace {
  const { table, idColumn, field, ownerField } = place;
  return {
    ...{ name: `${table}.reply`, table, idColumn },
    text: (sql) => sql`(reply ->> ${field}::text)`,
    assign: (sql, sealed) =>
      sql`reply = jsonb_set(reply, array[${field}::text], to_jsonb(${sealed}::text))`,
    owner: (sql) => sql`array[reply ->> ${ownerField}::text]`,
    context: ([owner = '']) => place.context(owner),
  };
}
