import { type Block, type Figure, mustBeRight } from '../block.ts';
import { type CrowdSide, type Performed, productSide, shedOf } from '../crowd-side.ts';
import { HdrHistogram } from '../hdr-histogram.ts';
import { compared, median } from '../judge.ts';
import { type Lab, type Product, untilCaughtUp } from '../lab.ts';
import { plantHistory, type Template, templateOf } from '../planted-history.ts';

/** What is asked for may cost so much more with the most than with the least; flat is 1. */
const flat = 1.5;
const connections = 64;
const requiredSuccesses = 40;
/** Of claims and of heartbeats with each amount. */
const slices = { quick: 3, full: 4 };
const claimsPerSlice = { quick: 60, full: 100 };
const heartbeatSeconds = { quick: 0.6, full: 1 };

const amounts: Readonly<
  Record<'leases' | 'runs', Readonly<Record<'full' | 'quick', readonly number[]>>>
> = {
  runs: { quick: [1_000, 10_000], full: [1_000, 10_000, 100_000] },
  leases: { quick: [100, 1_000], full: [100, 1_000, 10_000] },
};

interface Stage {
  readonly lab: Lab;
  readonly product: Product;
  readonly side: CrowdSide;
}

/** What was measured with one amount, a value for each slice. */
interface Point {
  readonly amount: number;
  readonly claims: readonly Performed[];
  readonly heartbeats: readonly Performed[];
}

/** What a claim and a heartbeat cost with more and more finished runs, and more and more live leases. */
export const held: Block = {
  name: 'held',
  goals: [],
  isQuick: false,
  async run(lab) {
    const mostLeases = Math.max(...lab.sized(amounts.leases.quick, amounts.leases.full));
    const room = mostLeases + lab.sized(claimsPerSlice.quick, claimsPerSlice.full) * 5;
    const validators = lab.sized(100, 400);
    const runsPerValidator = Math.ceil((room * 1.1) / validators);
    await using product = await lab.ownProduct({ requiredSuccesses, validators, runsPerValidator });
    await using side = await productSide(product);
    const stage = { lab, product, side };
    const template = await finishedVersion(stage);
    await side.supply(room * 2);
    const figures = [
      ...judged(lab, 'finished runs', await overHistory(stage, template)),
      ...judged(lab, 'live leases', await overLeases(stage)),
    ];
    mustBeRight(await lostLeases(stage));
    return figures;
  },
};

/** The only work there is, so all its runs are had. */
async function finishedVersion({ product, side }: Stage): Promise<Template> {
  await side.supply(requiredSuccesses);
  const stage = { auth: 'session', connections: 4 } as const;
  await side.perform({ ...stage, name: 'claims', operationsMax: requiredSuccesses });
  for (const name of ['first heartbeats', 'item batches', 'completions'] as const) {
    await side.perform({ ...stage, name });
  }
  await untilCaughtUp(product.world.sql);
  return await templateOf(product.world.sql);
}

async function overHistory(stage: Stage, template: Template): Promise<readonly Point[]> {
  const { lab, product, side } = stage;
  const points: Point[] = [];
  let planted = 0;
  const giveBack = () => side.perform({ name: 'releases', auth: 'session', connections });
  await measure(stage, 0, giveBack);
  for (const amount of runAmounts(lab)) {
    const count = Math.ceil(amount / template.runs) - planted;
    await plantHistory(product.world.sql, template, { from: planted, count });
    planted += count;
    points.push(await measure(stage, amount, giveBack));
  }
  return points;
}

/** Powers of ten up to what was asked for, which takes a gigabyte for each hundred thousand. */
function runAmounts(lab: Lab): readonly number[] {
  const { history } = lab;
  if (history === undefined) return lab.sized(amounts.runs.quick, amounts.runs.full);
  const [least = 1] = amounts.runs.quick;
  const powers = Math.ceil(Math.log10(history / least));
  return [...Array.from({ length: powers }, (_, power) => least * 10 ** power), history];
}

/** Nothing is given back: the claims that are measured are held too. */
async function overLeases(stage: Stage): Promise<readonly Point[]> {
  const { lab, side } = stage;
  const points: Point[] = [];
  let live = 0;
  for (const amount of lab.sized(amounts.leases.quick, amounts.leases.full)) {
    const operationsMax = amount - live;
    if (operationsMax > 0) {
      await side.perform({ name: 'claims', auth: 'session', connections, operationsMax });
      await side.perform({ name: 'first heartbeats', auth: 'session', connections });
    }
    const point = await measure(stage, amount, async () => undefined);
    live = amount + point.claims.reduce((sum, each) => sum + each.result.latenciesMs.length, 0);
    points.push(point);
  }
  return points;
}

async function measure(
  { lab, side }: Stage,
  amount: number,
  after: () => Promise<unknown>,
): Promise<Point> {
  const claims: Performed[] = [];
  const heartbeats: Performed[] = [];
  const stage = { auth: 'session', connections } as const;
  const operationsMax = lab.sized(claimsPerSlice.quick, claimsPerSlice.full);
  const seconds = lab.sized(heartbeatSeconds.quick, heartbeatSeconds.full);
  for (let slice = 0; slice < lab.sized(slices.quick, slices.full); slice += 1) {
    claims.push(await side.perform({ ...stage, name: 'claims', operationsMax }));
    await side.perform({ ...stage, name: 'first heartbeats' });
    heartbeats.push(await side.perform({ ...stage, name: 'heartbeats', seconds }));
    await after();
  }
  return { amount, claims, heartbeats };
}

/** The most beside the least of them. */
function judged(lab: Lab, of: string, points: readonly Point[]): readonly Figure[] {
  const [least, most] = [points[0], points.at(-1)];
  if (least === undefined || most === undefined) return [];
  return (['claims', 'heartbeats'] as const).flatMap((kind) => {
    draw(lab, `${kind}: what one costs over ${of}`, points, kind);
    const figure = (what: string, unit: string, measured: (performed: Performed) => number) => {
      const along = points.map((point) => {
        const value = median(point[kind].map(measured));
        return `${value.toFixed(unit === 'ms' ? 1 : 0)} with ${numberText(point.amount)}`;
      });
      return compared({
        ...{ goal: null, what: `${what} with ${numberText(most.amount)} ${of}`, unit },
        ...{ to: 'floor', name: `with ${numberText(least.amount)}` },
        ...{ must: flat, isHigherBetter: false, note: `${unit}: ${along.join(', ')}` },
        pairs: most[kind].map((performed, slice) => ({
          ours: measured(performed),
          theirs: measured(least[kind][slice] ?? performed),
        })),
      });
    };
    return [
      figure(`CPU of ${kind}`, 'µs', serviceUs),
      figure(`p50 of ${kind}`, 'ms', ({ latency }) => latency.quantileMs(0.5)),
    ];
  });
}

/** Of the service and its servers. */
function serviceUs({ cpuUs }: Performed): number {
  const { generator = 0, ...service } = cpuUs;
  return Object.values(service).reduce((sum, us) => sum + us, 0);
}

function draw(
  lab: Lab,
  title: string,
  points: readonly Point[],
  kind: 'claims' | 'heartbeats',
): void {
  const p99Ms = (performed: readonly Performed[]) =>
    performed.reduce((all, { latency }) => all.add(latency), new HdrHistogram()).quantileMs(0.99);
  lab.plot({
    ...{ kind: 'lines', title, x: { label: 'held', isLog: true }, y: { label: 'CPU µs; ms' } },
    lines: [
      {
        name: 'CPU µs',
        points: points.map((each) => [each.amount, median(each[kind].map(serviceUs))] as const),
      },
      { name: 'p99 ms', points: points.map((each) => [each.amount, p99Ms(each[kind])] as const) },
    ],
  });
}

function numberText(amount: number): string {
  return amount.toLocaleString('en-GB');
}

/** Everybody was heard in time, so whatever was claimed and not given back is still held. */
async function lostLeases({ product, side }: Stage): Promise<readonly string[]> {
  const [row] = await product.world.sql<{ stale: number; live: number }[]>`
    select count(*) filter (where status = 'STALE')::integer as stale,
      count(*) filter (where status in ('CLAIMED', 'RUNNING'))::integer as live
    from evaluation_run`;
  const { result } = await side.perform({ name: 'releases', auth: 'session', connections });
  // What was shed was not given back, but was theirs.
  const heldByThem = result.latenciesMs.length + shedOf(result);
  const wrong = row?.stale === 0 ? [] : [`${row?.stale} leases of punctual validators ended`];
  if (row?.live !== heldByThem) wrong.push(`${heldByThem} leases are held and ${row?.live} stored`);
  return wrong;
}
