import type { Transaction } from '../../infra/ports/sql.ts';

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/**
 * Does something within a transaction that goes on whatever comes of it: a failure takes back what `body`
 * did and nothing from before. Throws when the transaction itself is lost.
 */
export async function withSavepoint<T>(
  tx: Transaction,
  body: () => Promise<T>,
): Promise<Outcome<T>> {
  await tx`savepoint attempt`;
  const outcome = await body().then(
    (value): Outcome<T> => ({ value }),
    (error: unknown): Outcome<T> => ({ error }),
  );
  if ('error' in outcome) await tx`rollback to savepoint attempt`;
  await tx`release savepoint attempt`;
  return outcome;
}
