import type { Transaction } from '../../../infra/ports/sql.ts';
import { refusal } from '../../../machines/refusal.ts';

/** Until when the clock is to go, after whatever others have ordered before. */
export async function beginAdvance(tx: Transaction, seconds: number): Promise<number> {
  const [row] = await tx<{ targetMs: number | null }[]>`
    select floor(extract(epoch from rt.begin_advance(${seconds})) * 1000)::float8 as "targetMs"`;
  if (row?.targetMs === null || row === undefined) {
    throw refusal('CLOCK_IS_REAL');
  }
  return row.targetMs;
}
