import type { Sql } from 'postgres';

/**
 * Has every statement take its rows by itself. The library (3.4.9, its issues 1119 and 1181) counts rows
 * per connection and forgets to begin again when a statement fails after its first rows: the next one on
 * that connection is then answered with nothing where its first rows belong, and `[row]` reads as "there
 * is none". It counts only where a statement has no taker; this is one for all of them, put where
 * statements find what is not their own, since the library has no name for it.
 */
export function answerWhole(pool: Sql<Record<never, never>>): void {
  // Never sent: a statement goes out when it is waited for.
  const statements = Object.getPrototypeOf(pool`select 1`) as { forEachFn?: TakeRow };
  statements.forEachFn ??= takeRow;
}

/** Of the library: the row as it was read, and the answer that it belongs to. */
type TakeRow = (row: unknown, answer: unknown[]) => void;

const takeRow: TakeRow = (row, answer) => {
  answer.push(row);
};
