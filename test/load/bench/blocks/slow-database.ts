import { type Figure, mustBeRight } from '../block.ts';
import {
  measureSlowDatabase,
  type SlowDatabaseFigures,
  type SlowKind,
} from '../faults/measure-slow-database.ts';
import { read } from '../judge.ts';
import type { Lab } from '../lab.ts';

const addedMs = 200;
const answerMaxMs = 5_000;
const recoveryMaxMs = 5_000;
/** What the service must hold in any case (LD1, LD2 and LD4). */
const held = { heartbeats: 50, lifecycles: 5, reads: 300 };

/** OV10: every statement takes the database so much longer, and nobody waits for ever because of it. */
export async function slowDatabaseRows(lab: Lab): Promise<readonly Figure[]> {
  // The rest is longer than what a recovery may take, or none could miss it.
  const quick = { seconds: 5, restSeconds: 6, leases: 200 };
  const full = { seconds: 10, restSeconds: 6, leases: 500 };
  const found = await measureSlowDatabase({ ...held, addedMs, ...lab.sized(quick, full) });
  mustBeRight(found.wrong);
  const { kinds, recoveredMs, stale } = found;
  return [
    ...kinds.flatMap(kindRows),
    row('OV10 normal p99 of heartbeats after it', {
      ...{ value: recoveredMs, unit: 'ms', max: recoveryMaxMs },
      note: noteOf(found),
    }),
    row('OV10 leases of punctual validators that ended', { value: stale, unit: '', max: 0 }),
  ];
}

function kindRows({ kind, fast, slow, odd, slowestMs }: SlowKind): readonly Figure[] {
  const at = `with ${addedMs} ms more for each statement`;
  const ms = (figure: number) => figure.toFixed(0);
  return [
    row(`OV10 slowest answer to ${kind} ${at}`, {
      ...{ value: slowestMs, unit: 'ms', max: answerMaxMs },
      note:
        `of ${slow.offered} ${slow.good} good and ${slow.shed} shed, p50 ${ms(slow.goodMs.p50Ms)} and ` +
        `p99 ${ms(slow.goodMs.p99Ms)} ms; before ${ms(fast.goodMs.p50Ms)} and ${ms(fast.goodMs.p99Ms)} ms`,
    }),
    row(`OV10 ${kind} neither answered well nor told to come later`, {
      ...{ value: odd, unit: '', max: 0 },
    }),
    ...(kind === 'heartbeats'
      ? [
          read({
            ...{ goal: null, unit: '', isHigherBetter: true, must: 0.99 },
            ...{ what: `OV10 heartbeats answered ${at}`, values: [slow.good / slow.offered] },
          }),
        ]
      : []),
  ];
}

function noteOf({ generatorLateP99Ms }: SlowDatabaseFigures): string {
  const rates = `${held.heartbeats} heartbeats, ${held.lifecycles} lifecycles and ${held.reads} status pages`;
  return `${rates} a second; the generator sent ${generatorLateP99Ms.toFixed(1)} ms late (p99)`;
}

function row(
  what: string,
  by: {
    readonly value: number;
    readonly unit: string;
    readonly max: number;
    readonly note?: string;
  },
): Figure {
  const { value, unit, max, note } = by;
  return read({
    ...{ goal: null, what, unit, values: [value], isHigherBetter: false, must: max },
    ...(note !== undefined && { note }),
  });
}
