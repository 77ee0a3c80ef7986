export interface DailyClose {
  /** Local time of day, e.g. "12:00". */
  readonly closeTime: string;
  /** IANA name, e.g. "America/Los_Angeles". */
  readonly timeZone: string;
}

/**
 * The first daily close strictly after an instant, both Unix milliseconds. The zone's rules come from
 * the runtime's IANA data. A local time that a change of the clocks leaves out moves past the gap; of
 * one that comes twice the first counts.
 */
export function nextClose(afterMs: number, { closeTime, timeZone }: DailyClose): number {
  const plainTime = Temporal.PlainTime.from(closeTime);
  const after = Temporal.Instant.fromEpochMilliseconds(afterMs);
  const today = after.toZonedDateTimeISO(timeZone).toPlainDate();
  const closeOf = (date: Temporal.PlainDate) =>
    date.toZonedDateTime({ timeZone, plainTime }).epochMilliseconds;
  const close = closeOf(today);
  return close > afterMs ? close : closeOf(today.add({ days: 1 }));
}
