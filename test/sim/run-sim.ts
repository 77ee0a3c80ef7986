import type { Sql } from '../../infra/ports/sql.ts';
import { type DatabaseCopy, startSimServer } from './database/sim-server.ts';
import type { CrashPoint } from './faults/weather.ts';
import { seededRandomness } from './kernel/seeded-randomness.ts';
import { Trace } from './kernel/trace.ts';
import type { Violation } from './oracle/violations.ts';
import { Counters } from './report/counters.ts';
import { shortCooldowns } from './report/short-cooldowns.ts';
import { Season } from './world/season.ts';
import { SimSession } from './world/sim-session.ts';

export interface SimOptions {
  /** The first seed; the others follow it. */
  readonly seed: number;
  readonly seeds?: number;
  /** Race days of each seed; 1 unless told. */
  readonly days?: number;
  /** True unless told: a world in which nothing fails. */
  readonly hasFaults?: boolean;
  /** Of the faults these alone, by name. */
  readonly onlyFaults?: readonly string[];
  /** Where planned crashes happen; anywhere unless told. */
  readonly crashPoint?: CrashPoint;
  /** A flush of heartbeats may come after its sender has lost the partition. */
  readonly hasLateFlushes?: boolean;
  readonly onTrace?: (line: string) => void;
  readonly onSeed?: (report: SeedReport) => void;
  /** Goes on to the other seeds after a violation; unless told, the first one ends it. */
  readonly isThorough?: boolean;
  /** On the schema before it is copied: a planted defect in SQL. */
  readonly patchSchema?: (sql: Sql) => Promise<void>;
}

export interface SeedReport {
  readonly seed: number;
  readonly days: number;
  readonly steps: number;
  readonly hash: string;
  readonly violations: readonly Violation[];
  /** What led to the first violation. */
  readonly tail: readonly string[];
  readonly tookMs: number;
}

export interface SimReport {
  readonly seeds: readonly SeedReport[];
  readonly days: number;
  readonly steps: number;
  readonly tookMs: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly violations: readonly (Violation & { readonly seed: number })[];
}

/** Plays the seeds one after the other, over one database server that is started for it. */
export async function runSim(options: SimOptions): Promise<SimReport> {
  const startedMs = performance.now();
  await using server = await startSimServer(options.patchSchema);
  const counters = new Counters();
  const seeds: SeedReport[] = [];
  for (let index = 0; index < (options.seeds ?? 1); index += 1) {
    const copy = await server.freshDatabase();
    const report = await playSeed(options.seed + index, copy, { options, counters });
    await server.drop(copy);
    seeds.push(report);
    options.onSeed?.(report);
    if (report.violations.length > 0 && options.isThorough !== true) break;
  }
  return {
    seeds,
    days: seeds.reduce((sum, { days }) => sum + days, 0),
    steps: seeds.reduce((sum, { steps }) => sum + steps, 0),
    tookMs: performance.now() - startedMs,
    counts: counters.all,
    violations: seeds.flatMap(({ seed, violations }) =>
      violations.map((violation) => ({ ...violation, seed })),
    ),
  };
}

async function playSeed(
  seed: number,
  database: DatabaseCopy,
  { options, counters }: { readonly options: SimOptions; readonly counters: Counters },
): Promise<SeedReport> {
  const startedMs = performance.now();
  const { onTrace } = options;
  const trace = new Trace(onTrace === undefined ? {} : { print: onTrace });
  await using session = new SimSession({ seed, database, trace });
  using _ = seededRandomness(session.kernel.randomFor('ids'));
  const { days = 1, hasFaults = true } = options;
  session.faults.onlyNames = options.onlyFaults;
  if (options.crashPoint !== undefined) session.faults.crashPoints = [options.crashPoint];
  session.weather.hasLateFlushes = options.hasLateFlushes ?? false;
  const season = new Season(session, { days, hasFaults });
  try {
    await session.open();
    await season.play();
    for (const text of await shortCooldowns(session.sql)) session.violations.add('INV-22', text);
  } catch (error) {
    session.violations.add(
      'SIM',
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    );
  }
  counters.merge(session.counters.all);
  counters.merge(new Map([...session.metrics].map(([name, count]) => [`metric ${name}`, count])));
  const { steps } = session.kernel;
  const violations = session.violations.found;
  return {
    ...{ seed, days: season.daysPlayed, steps, hash: trace.hash, violations },
    tail: violations.length === 0 ? [] : trace.tail,
    tookMs: performance.now() - startedMs,
  };
}
