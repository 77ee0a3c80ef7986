import { z } from 'zod';

/** RFC 3339 in UTC with milliseconds and `Z`, in answers. */
export const instant = z.string().meta({ override: { type: 'string', format: 'date-time' } });

/** The same in requests, with any offset and precision; Unix milliseconds once it is read. */
export const instantIn = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .meta({ override: { type: 'string', format: 'date-time' } });

/** From a database instant or Unix milliseconds. */
export function formatInstant(at: Date | number): string {
  return (typeof at === 'number' ? new Date(at) : at).toISOString();
}

export function formatInstantOrNull(at: Date | number | null | undefined): string | null {
  return at === null || at === undefined ? null : formatInstant(at);
}
