import { cpus } from 'node:os';
import { machineBusyUs } from '../../process-cpu.ts';
import type { Auth } from '../../stage.ts';
import { alternate } from '../alternate.ts';
import { type Block, type Figure, mustBeRight } from '../block.ts';
import { type CrowdSide, naiveSide, type Performed, productSide, shedOf } from '../crowd-side.ts';
import { compared, read } from '../judge.ts';
import { cpuText, type Lab, type Product } from '../lab.ts';

/** Seconds between two heartbeats of one validator, in what a rate of them stands for. */
const intervalSeconds = 30;
const connections = 64;
/** Of the runs that are held: each is heard of every second or two, and a second's silence is none. */
const leaseSeconds = 30;
const held = { validators: 200, runsPerValidator: 5 };

interface Held {
  readonly goal: number;
  readonly auth: Auth;
  readonly validators: number;
  readonly busy: { readonly must?: number; readonly aim?: number };
  readonly p99Ms: { readonly must?: number; readonly aim?: number };
}

const everyHeld: readonly Held[] = [
  { ...{ goal: 9, auth: 'signed', validators: 50_000 }, busy: { must: 80 }, p99Ms: { must: 30 } },
  { ...{ goal: 9, auth: 'signed', validators: 100_000 }, busy: { aim: 80 }, p99Ms: {} },
  { ...{ goal: 9, auth: 'session', validators: 50_000 }, busy: {}, p99Ms: {} },
  { ...{ goal: 9, auth: 'session', validators: 100_000 }, busy: {}, p99Ms: {} },
  { ...{ goal: 9, auth: 'session', validators: 300_000 }, busy: {}, p99Ms: {} },
  { ...{ goal: 9, auth: 'session', validators: 500_000 }, busy: { aim: 75 }, p99Ms: { aim: 40 } },
];

/** How many validators a machine holds, and what Postgres pays for one sign of life. */
export const heartbeats: Block = {
  name: 'heartbeats',
  goals: [9, 10],
  isQuick: true,
  async run(lab) {
    await using product = await lab.ownProduct({
      ...held,
      env: { LEASE_SECONDS: String(leaseSeconds) },
    });
    await using ours = await productSide(product);
    await using theirs = await naiveSide(lab, product, false);
    for (const side of [ours, theirs]) await hold(side);
    const figures = await atSaturation(lab, { product, ours, theirs });
    const curve: (readonly [number, Performed])[] = [];
    for (const one of everyHeld) {
      if (lab.isQuick && one.validators > 100_000) continue;
      const measured = await openLoop(lab, ours, one);
      if (one.auth === 'session' && measured.performed !== undefined) {
        curve.push([one.validators / intervalSeconds, measured.performed]);
      }
      figures.push(...measured.figures);
      if (measured.isSaturated) break;
    }
    drawCurve(lab, curve);
    mustBeRight(await falseExpiries(product));
    return figures;
  },
};

/** As many runs as may be held, each begun. */
async function hold(side: CrowdSide): Promise<void> {
  const runs = held.validators * held.runsPerValidator;
  await side.supply(Math.ceil(runs * 1.05));
  const auth = authOf(side);
  await side.perform({ name: 'claims', auth, connections });
  await side.perform({ name: 'first heartbeats', auth, connections });
}

function authOf({ name }: CrowdSide): Auth {
  return name.startsWith('naive') ? 'none' : 'session';
}

interface Sides {
  readonly product: Product;
  readonly ours: CrowdSide;
  readonly theirs: CrowdSide;
}

/** Both as fast as they go; what Postgres spends when nobody asks is not a heartbeat's. */
async function atSaturation(lab: Lab, { product, ours, theirs }: Sides): Promise<Figure[]> {
  const seconds = lab.sized(1.5, 2);
  const beat = (side: CrowdSide) => () =>
    side.perform({ name: 'heartbeats', auth: authOf(side), connections, seconds });
  const sides = { ours: beat(ours), theirs: beat(theirs) };
  await alternate(1, sides);
  const rounds = await alternate(lab.rounds, sides);
  const idleUs = await idlePostgresUs(product);
  const postgresUs = ({ cpuUs, perSecond }: Performed, idle: number) =>
    Math.max(0, (cpuUs['postgres'] ?? 0) - idle / perSecond);
  const pairs = rounds.map((round) => ({
    ours: postgresUs(round.ours, idleUs),
    theirs: postgresUs(round.theirs, 0),
  }));
  const last = rounds.at(-1);
  return [
    compared({
      ...{ goal: null, what: 'heartbeats, by session', unit: '/s', to: 'peer', name: theirs.name },
      pairs: rounds.map(({ ours: a, theirs: b }) => ({ ours: a.perSecond, theirs: b.perSecond })),
      isHigherBetter: true,
      ...(last !== undefined && {
        note: `${cpuText(last.ours.cpuUs)}; naive: ${cpuText(last.theirs.cpuUs)}`,
      }),
    }),
    compared({
      ...{
        goal: 10,
        what: 'Postgres CPU of a heartbeat',
        unit: 'µs',
        to: 'peer',
        name: theirs.name,
      },
      ...{ pairs, must: 1 / 50, isHigherBetter: false },
      note: `without the ${(idleUs / 1e4).toFixed(1)} % of a core that it uses when nobody asks`,
    }),
    read({
      ...{ goal: 10, what: 'Postgres CPU of a heartbeat, alone', unit: 'µs' },
      ...{ values: pairs.map(({ ours: us }) => us), aim: 1, isHigherBetter: false },
    }),
  ];
}

/** A second. */
async function idlePostgresUs(product: Product): Promise<number> {
  const [before, startedMs] = [product.cpuUs()['postgres'] ?? 0, performance.now()];
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const after = product.cpuUs()['postgres'] ?? 0;
  return ((after - before) * 1000) / (performance.now() - startedMs);
}

interface Measured {
  readonly figures: readonly Figure[];
  readonly performed?: Performed;
  readonly isSaturated: boolean;
}

async function openLoop(lab: Lab, side: CrowdSide, one: Held): Promise<Measured> {
  const { goal, auth, validators } = one;
  const rate = validators / intervalSeconds;
  const seconds = lab.sized(2, 3);
  const what = `${validators.toLocaleString('en-GB')} validators, ${auth === 'signed' ? 'signed' : 'by session'}`;
  // Who beats every half minute is known to an edge that runs, and its code is warm.
  await side.perform({ name: 'heartbeats', auth, connections, seconds: 1, rate });
  // Leases must outlive what was signed ahead.
  await side.perform({ name: 'heartbeats', auth: 'session', connections, seconds: 1 });
  const watch = { busyUs: machineBusyUs(), ms: performance.now() };
  const performed = await side
    .perform({ name: 'heartbeats', auth, connections: connections * 4, seconds, rate })
    .catch((error: unknown) => String(error));
  if (typeof performed === 'string')
    return { figures: [beyond(one, what, performed)], isSaturated: true };
  const { result, latency } = performed;
  // Signing ahead is part of neither; the clock of the busy share runs over the same stretch.
  const spanMs = performance.now() - watch.ms;
  const busy = (machineBusyUs() - watch.busyUs) / 10 / spanMs / cpus().length;
  const p = (share: number) => latency.quantileMs(share).toFixed(1);
  const shed = shedOf(result);
  const note =
    `p50 ${p(0.5)}, p99 ${p(0.99)}, p99.9 ${p(0.999)} ms from when it was due; ` +
    `${(result.latenciesMs.length / result.seconds).toFixed(0)} of ${rate.toFixed(0)}/s answered` +
    `${shed === 0 ? '' : `, ${shed} shed`}; the generator itself was ${(result.lateP99Ms ?? 0).toFixed(1)} ms late (p99); ${cpuText(performed.cpuUs)}`;
  return {
    performed,
    isSaturated: result.latenciesMs.length / result.seconds < rate * 0.8,
    figures: [
      read({
        ...{ goal, what: `${what}: machine busy`, unit: '%', values: [busy] },
        ...{ ...one.busy, isHigherBetter: false, note },
      }),
      read({
        ...{ goal, what: `${what}: p99`, unit: 'ms', values: [latency.quantileMs(0.99)] },
        ...{ ...one.p99Ms, isHigherBetter: false },
      }),
    ],
  };
}

/** The machine does not hold so many: that is what the figure says. */
function beyond({ goal, busy }: Held, what: string, why: string): Figure {
  return read({
    ...{ goal, what: `${what}: machine busy`, unit: '%', values: [100] },
    ...{ ...busy, isHigherBetter: false, note: `not held: ${why}` },
  });
}

function drawCurve(lab: Lab, curve: readonly (readonly [number, Performed])[]): void {
  const line = (name: string, share: number) => ({
    name,
    points: curve.map(([rate, { latency }]) => [rate, latency.quantileMs(share)] as const),
  });
  lab.plot({
    kind: 'lines',
    title: 'Heartbeats by session: latency over offered load',
    x: { label: 'heartbeats a second' },
    y: { label: 'ms from when it was due', isLog: true },
    lines: [line('p50', 0.5), line('p99', 0.99), line('p99.9', 0.999)],
  });
}

/** Everybody was heard in time, so no lease may have ended. */
async function falseExpiries({ world }: Product): Promise<readonly string[]> {
  const [row] = await world.sql<{ stale: number }[]>`
    select count(*)::integer as stale from evaluation_run where status = 'STALE'`;
  return row?.stale === 0 ? [] : [`${row?.stale} leases of punctual validators ended`];
}
