import { z } from 'zod';

/** A score in [0, 1]; exact in the store, a JSON number on the wire. */
export const score = z.number().min(0).max(1).meta({ example: 0.4834 });

/** From an integer of 10^-6; the division is exact to the digit that JSON prints. */
export function fromMicro(micro: number | null): number | null {
  return micro === null ? null : micro / 1_000_000;
}

/** From the decimal text that the database answers for numeric(5,4). */
export function fromDecimal(text: string | null): number | null {
  return text === null ? null : Number(text);
}
