/**
 * Races that close half a day from now, so that a test on the real clock means the same at any hour: at
 * noon Pacific the daily close would come in between. Of one zone without summer time.
 */
export const farClose = {
  RACE_CLOSE_TIME: hoursFromNow(12),
  RACE_TIME_ZONE: 'UTC',
} as const;

function hoursFromNow(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
}
