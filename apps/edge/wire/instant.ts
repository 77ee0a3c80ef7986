import { z } from 'zod';

/** RFC 3339 in UTC with milliseconds and `Z`. */
export const instant = z.iso.datetime({ precision: 3 }).meta({ example: '2026-11-21T20:00:00.000Z' });

export function toInstant(at: Date): string {
  return at.toISOString();
}

export function toInstantOrNull(at: Date | null): string | null {
  return at === null ? null : at.toISOString();
}
