import type { Looked } from './checks/check-all.ts';
import type { Unavailability } from './measures/availability.ts';
import type { Reached } from './measures/reachability.ts';
import type { Reclaims } from './measures/reclaims.ts';
import {
  type Figure,
  figuresOf,
  gradeOf,
  reclaimOf,
  takeoverOf,
  withinTargets,
} from './measures/slowness.ts';
import type { Watched } from './measures/standstill-watch.ts';

export interface ChaosReport {
  readonly verdict: 'PROVED' | 'VIOLATED' | 'VOID';
  readonly seed: number;
  readonly seconds: number;
  readonly faults: number;
  readonly faultsByKind: Readonly<Record<string, number>>;
  readonly lifecycles: number;
  readonly lifecyclesPerMinute: number;
  readonly offeredPerMinute: number;
  readonly unavailability: readonly Unavailability[];
  readonly reclaims: Reclaims;
  readonly watched: readonly Watched[];
  readonly reached: readonly Reached[];
  readonly looked: Looked;
  /** Of the event loop in which clients and proxies live. */
  readonly worstLagMs: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly answers: Readonly<Record<string, number>>;
  readonly troubles: readonly string[];
  readonly violations: readonly string[];
  /** History, faults and logs, when something was violated. */
  readonly evidence: string | null;
}

/** For people. */
export function reportLines(report: ChaosReport): readonly string[] {
  return [
    `seed ${report.seed}, ${report.seconds} s, ${report.faults} faults`,
    '',
    'faults and the time to the next acknowledged write (ms)',
    ...report.unavailability.map(faultLine),
    '',
    ...reclaimLines(report.reclaims),
    '',
    'the longest time that what waits stood still although nothing hindered the service',
    ...report.watched.map(watchedLine),
    '',
    'what was reached',
    ...report.reached.map(
      ({ what, count, minimum }) =>
        `${count < minimum ? '! ' : '  '}${what.padEnd(56)} ${count} of at least ${minimum}`,
    ),
    '',
    'what was looked at',
    line('lifecycles completed', report.lifecycles),
    line('lifecycles per minute', Math.round(report.lifecyclesPerMinute)),
    ...lookedLines(report.looked),
    line('worst lag of this process', `${Math.round(report.worstLagMs)} ms`),
    ...sortedLines(report.counts),
    '',
    'answers',
    ...sortedLines(report.answers),
    ...troubleLines(report.troubles),
    '',
    ...verdictLines(report),
  ];
}

const line = (name: string, value: number | string) => `  ${name.padEnd(56)} ${value}`;

function sortedLines(counts: Readonly<Record<string, number>>): readonly string[] {
  const entries = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([what, count]) => line(what, count));
}

function faultLine(row: Unavailability): string {
  const ms = (value: number | null) => (value === null ? '-' : String(Math.round(value)));
  return (
    `  ${row.kind.padEnd(28)} ${String(row.faults).padStart(3)} times, median ${ms(row.medianMs)}, ` +
    `worst ${ms(row.worstAloneMs)} alone, ${ms(row.worstMs)} with others` +
    (row.targetMs === null ? '' : ` (target ${row.targetMs}: ${gradesOf(takeoverOf(row))})`)
  );
}

function gradesOf(figures: readonly Figure[]): string {
  return figures.map(gradeOf).join() || 'not measured alone';
}

function reclaimLines(found: Reclaims): readonly string[] {
  const ms = (value: number | null) => (value === null ? '-' : `${Math.round(value)} ms`);
  return [
    'work of silent validators offered again after the end of their lease',
    line('runs reclaimed', found.count),
    line('of which no fault met or lengthened the lease', found.undisturbed),
    line('  median', ms(found.medianLateMs)),
    line('  worst', worstReclaim(found)),
    line('worst of all, with faults, from the last end written', ms(found.worstLateOfAllMs)),
  ];
}

function worstReclaim({ worstLateMs, worstRun }: Reclaims): string {
  if (worstLateMs === null) return '-';
  const figure = reclaimOf(worstLateMs);
  const grade = `target ${figure.targetMs}: ${gradeOf(figure)}`;
  return `${Math.round(worstLateMs)} ms (${grade}), run ${worstRun}`;
}

function watchedLine({ rule, longest, mostMs }: Watched): string {
  const found = longest === null ? 'none' : `${Math.round(longest.ms)} ms: ${longest.name}`;
  return line(rule, `${found} (at most ${mostMs})`);
}

function lookedLines(looked: Looked): readonly string[] {
  return [
    line('operations in the histories of runs', looked.operations),
    line('runs with too many possible orders', looked.runsUndecided),
    line('runs judged as punctual', looked.runsPunctual),
    line('runs not judged so for the lag of this process', looked.runsLagged),
    line('times in which a slot was surely held', looked.holds),
    line('answers with standings', looked.standings),
  ];
}

function troubleLines(troubles: readonly string[]): readonly string[] {
  if (troubles.length === 0) return [];
  const shown = [...new Set(troubles.slice(0, 5))].map((text) => `  ${text}`);
  return ['', `${troubles.length} times a participant gave up, such as`, ...shown];
}

function verdictLines(report: ChaosReport): readonly string[] {
  const { verdict, violations, evidence, unavailability, reclaims, seconds } = report;
  if (verdict === 'PROVED') {
    const targets = withinTargets(figuresOf(unavailability, reclaims), seconds);
    return [`PROVED: nothing lost, nothing twice, nothing stuck; ${targets}.`];
  }
  if (verdict === 'VOID') return ['VOID: what was to be survived did not come about often enough.'];
  return ['VIOLATED:', ...violations.map((text) => `  ${text}`), `evidence in ${evidence}`];
}
