import type { HostileReport } from './hostile-run.ts';
import type { ProcessFigures } from './process-figures.ts';

/** The lines of a report, for a person. */
export function reportLines(report: HostileReport): readonly string[] {
  const { tally, tookMs, canary, changedTable, floodExcess } = report;
  const seconds = tookMs / 1000;
  const rate = Math.round(tally.done / seconds);
  const byName = [...tally.byCategory].sort(([one], [other]) => one.localeCompare(other));
  return [
    `${tally.done} hostile requests in ${seconds.toFixed(1)} s: ${rate}/s`,
    ...byName.map(([name, { tried, accepted, failed, statuses }]) => {
      const seen = [...statuses].sort(([one], [other]) => one - other);
      const shown = seen.map(([status, count]) => `${status || 'cut'}: ${count}`).join(', ');
      return `  ${name.padEnd(38)} ${tried} tried, ${accepted} accepted, ${failed} 5xx (${shown})`;
    }),
    `honest: ${canary.answered} requests, ${canary.failures.length} failed, p50 ${canary.p50Ms.toFixed(0)} ms, p99 ${canary.p99Ms.toFixed(0)} ms`,
    ...canary.failures.slice(0, 10).map((failure) => `  ${failure}`),
    `rows: ${changedTable === undefined ? 'unchanged apart from bookkeeping' : `changed in ${changedTable}`}`,
    `floods: ${floodExcess} answered beyond the limit`,
    ...tally.findings.map(
      ({ id, category, why, sent, got }) =>
        `\nFINDING ${id} (${category}): ${why}\n  sent ${sent}\n  got  ${got}`,
    ),
  ];
}

export function figureLine(name: string, figures: readonly (ProcessFigures | undefined)[]): string {
  const shown = figures.map((each) =>
    each === undefined ? 'gone' : `${each.residentMiB} MiB, ${each.descriptors} descriptors`,
  );
  return `  ${name.padEnd(16)} ${shown.join(' -> ')}`;
}
