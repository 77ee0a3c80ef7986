import { type Block, type Figure, mustBeRight } from '../block.ts';
import { read } from '../judge.ts';
import type { Lab } from '../lab.ts';
import {
  itemsEach,
  type KindFigures,
  type MixFigures,
  type MixPlan,
  measureMix,
} from '../measure-mix.ts';

const floor = { leases: 500, heartbeats: 50, lifecycles: 5, reads: 300 };
const target = { leases: 5_000, heartbeats: 500, lifecycles: 25, reads: 1_500 };

interface Bounds {
  readonly must: number;
  readonly aim: number;
}

/** Milliseconds, of what may never be kept waiting and of what everybody may read. */
const bounds = {
  classZeroP50: { must: 15, aim: 6 },
  classZeroP99: { must: 150, aim: 60 },
  classZeroP999: { must: 500, aim: 200 },
  readsP99: { must: 100, aim: 30 },
  batchP99: { must: 500, aim: 150 },
} as const;
const mib = 2 ** 20;

/** Everything at once, in open loop: heartbeats, lifecycles, batches, reads and submissions. */
export const mix: Block = {
  name: 'mix',
  goals: [],
  isQuick: false,
  async run(lab) {
    const figures: Figure[] = [];
    for (const load of lab.sized([floor], [floor, target])) {
      const plan = { ...load, seconds: lab.sized(6, 8) };
      const found = await measureMix(plan);
      mustBeRight(found.wrong);
      figures.push(...figuresOf(lab, plan, found));
    }
    return figures;
  },
};

function figuresOf(lab: Lab, plan: MixPlan, found: MixFigures): readonly Figure[] {
  const { leases, heartbeats, lifecycles, reads } = plan;
  const at = `with ${leases.toLocaleString('en-GB')} leases`;
  const offered = sum(found.kinds.map((each) => each.offered));
  const good = sum(found.kinds.map(({ goodMs }) => goodMs.count));
  const errors = Object.entries(found.refusals).map(([what, count]) => `${count} x ${what}`);
  lab.say(`mix ${at}: ${found.kinds.map(kindText).join('; ')}`);
  return [
    read({
      ...{ goal: null, what: `LD1 to LD4 answered well ${at}`, unit: '' },
      ...{ values: [good / offered], must: 0.99, isHigherBetter: true },
      note:
        `${heartbeats} heartbeats, ${lifecycles} lifecycles, ${lifecycles * itemsEach} results, ` +
        `${reads} reads a second; ${found.completed} completed, ${found.items} results stored; ` +
        `the generator sent ${found.generatorLateP99Ms.toFixed(1)} ms late (p99)`,
    }),
    read({
      ...{ goal: null, what: `LD7 refusals and errors ${at}`, unit: '', must: 0 },
      ...{ values: [sum(Object.values(found.refusals))], isHigherBetter: false },
      ...(errors.length > 0 && { note: errors.join(', ') }),
    }),
    ...found.kinds.flatMap((each) => kindFigures(each, at)),
    read({
      ...{ goal: null, what: `LD8 largest process ${at}`, unit: 'MiB', must: 512, aim: 300 },
      ...{ values: [found.peakBytes / mib], isHigherBetter: false },
    }),
  ];
}

function kindFigures({ kind, goodMs }: KindFigures, at: string): readonly Figure[] {
  const told = { goal: null, unit: 'ms', isHigherBetter: false } as const;
  const { p50, p99, p999 } = boundsOf(kind);
  return [
    read({ ...told, what: `${kind}, p50 ${at}`, values: [goodMs.p50Ms], ...p50 }),
    read({ ...told, what: `${kind}, p99 ${at}`, values: [goodMs.p99Ms], ...p99 }),
    // Of fewer it would be the slowest one.
    ...(p999 === undefined || goodMs.count < 1_000
      ? []
      : [read({ ...told, what: `${kind}, p99.9 ${at}`, values: [goodMs.p999Ms], ...p999 })]),
  ];
}

interface KindBounds {
  readonly p50?: Bounds;
  readonly p99?: Bounds;
  readonly p999?: Bounds;
}

/** LD5, LD6 and LD10; of claims and submissions none is said. */
function boundsOf(kind: string): KindBounds {
  const classZero = { p50: bounds.classZeroP50, p99: bounds.classZeroP99 };
  switch (kind) {
    case 'heartbeats':
      return { ...classZero, p999: bounds.classZeroP999 };
    case 'first heartbeats':
    case 'completions':
      return classZero;
    case 'batches':
      return { p99: bounds.batchP99 };
    case 'reads':
      return { p99: bounds.readsP99 };
    default:
      return {};
  }
}

function kindText({ kind, offered, goodMs }: KindFigures): string {
  return `${kind} ${goodMs.count} of ${offered}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
