import type { Transaction } from '../../../infra/ports/sql.ts';
import { Fault } from '../../../machines/fault.ts';

/** Until when the clock is to go, after whatever others have ordered before. */
export async function beginAdvance(tx: Transaction, seconds: number): Promise<number> {
  const [row] = await tx<{ targetMs: number | null }[]>`
    select floor(extract(epoch from rt.begin_advance(${seconds})) * 1000)::float8 as "targetMs"`;
  if (row?.targetMs === null || row === undefined) {
    throw new Fault('CLOCK_IS_REAL', 'The clock of this service is the real one.');
  }
  return row.targetMs;
}
