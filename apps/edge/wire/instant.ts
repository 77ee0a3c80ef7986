import { z } from 'zod';

/** RFC 3339 in UTC with milliseconds and `Z`, in answers. */
export const instant = z.string().meta({ override: { type: 'string', format: 'date-time' } });

/** From a database instant or Unix milliseconds. */
export function formatInstant(at: Date | number): string {
  return (typeof at === 'number' ? new Date(at) : at).toISOString();
}

export function formatInstantOrNull(at: Date | number | null | undefined): string | null {
  return at === null || at === undefined ? null : formatInstant(at);
}
