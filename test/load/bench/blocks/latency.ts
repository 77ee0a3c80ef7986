import { probeFsync } from '../../fsync-probe.ts';
import { alternate } from '../alternate.ts';
import type { Asker } from '../asking.ts';
import type { Block } from '../block.ts';
import { type CrowdSide, naiveSide, productSide } from '../crowd-side.ts';
import type { HdrHistogram } from '../hdr-histogram.ts';
import { compared, median, read } from '../judge.ts';
import type { Lab } from '../lab.ts';
import { startPartner } from '../partner-process.ts';
import type { PlainServerPlan } from '../plain-server.ts';
import { supplyBoth } from './claims.ts';

const connections = 128;
const half = 0.5;
/** Of our own highest rate. */
const offered = { quick: [half], full: [0.25, half, 0.9] };

/** How long signed claims wait in open loop, at half of what is possible and where naive has enough. */
export const latency: Block = {
  name: 'latency',
  goals: [12],
  isQuick: false,
  async run(lab) {
    const product = await lab.product();
    await using ours = await productSide(product);
    await using theirs = await naiveSide(lab, product, true);
    const count = lab.sized(600, 900);
    await supplyBoth([ours, theirs], count);
    const maxima = await alternate(lab.sized(1, 2), {
      ours: () => maximum(ours, count),
      theirs: () => maximum(theirs, count),
    });
    const max = median(maxima.map((round) => round.ours));
    const naiveMax = median(maxima.map((round) => round.theirs));
    const seconds = (rate: number) => Math.min(3, count / rate / 1.3);
    const claim = (side: CrowdSide, rate: number) => openLoop(side, rate, seconds(rate));
    const curve: (readonly [number, HdrHistogram])[] = [];
    for (const share of lab.sized(offered.quick, offered.full)) {
      curve.push([max * share, await claim(ours, max * share)]);
    }
    draw(lab, curve);
    const atHalf = curve.find(([rate]) => rate === max * half)?.[1].quantileMs(0.99) ?? Number.NaN;
    const bareMs = await bareP99Ms(await lab.asker(), max * half);
    const fsync = await probeFsync(product.world.dataDir);
    const rounds = await alternate(lab.rounds, {
      ours: () => claim(ours, naiveMax),
      theirs: () => claim(theirs, naiveMax),
    });
    return [
      compared({
        ...{ goal: 12, what: 'signed claims at half load, p99', unit: 'ms', to: 'floor' },
        ...{ name: '5 x bare + 5 x fsync', must: 1, isHigherBetter: false },
        pairs: [{ ours: atHalf, theirs: 5 * bareMs + 5 * fsync.p99Ms }],
        note: `at ${(max * half).toFixed(0)}/s; bare node:http p99 ${bareMs.toFixed(1)} ms, fsync p99 ${fsync.p99Ms.toFixed(1)} ms`,
      }),
      compared({
        ...{ goal: 12, what: 'signed claims where naive saturates, p99', unit: 'ms', to: 'peer' },
        ...{ name: theirs.name, must: 1 / 5, aim: 1 / 15, isHigherBetter: false },
        pairs: rounds.map((round) => ({
          ours: round.ours.quantileMs(0.99),
          theirs: round.theirs.quantileMs(0.99),
        })),
        note: `at ${naiveMax.toFixed(0)}/s; our own highest rate is ${max.toFixed(0)}/s`,
      }),
      read({
        ...{ goal: null, what: 'signed claims, highest rate', unit: '/s', isHigherBetter: true },
        values: maxima.map((round) => round.ours),
      }),
    ];
  },
};

async function maximum(side: CrowdSide, count: number): Promise<number> {
  const stage = { name: 'claims', auth: 'signed', connections, operationsMax: count } as const;
  const { perSecond } = await side.perform(stage);
  await side.perform({ name: 'releases', auth: 'session', connections });
  return perSecond;
}

async function openLoop(side: CrowdSide, rate: number, seconds: number): Promise<HdrHistogram> {
  const operationsMax = Math.ceil(rate * seconds * 1.2);
  const stage = { name: 'claims', auth: 'signed', rate, seconds, operationsMax } as const;
  const { latency: histogram } = await side.perform({ ...stage, connections: connections * 2 });
  await side.perform({ name: 'releases', auth: 'session', connections });
  return histogram;
}

async function bareP99Ms(asker: Asker, rate: number): Promise<number> {
  const plan: PlainServerPlan = { kind: 'node:http', body: '{"status":"ok"}' };
  await using server = await startPartner<never, never, string>('plain-server.ts', plan);
  const questions = [{ method: 'POST', path: '/', body: '{}' }];
  const asking = { baseUrls: [server.ready], questions, connections, rate };
  await asker.ask({ ...asking, seconds: 0.5 });
  const { latency: histogram } = await asker.ask({ ...asking, seconds: 2 });
  return histogram.quantileMs(0.99);
}

function draw(lab: Lab, curve: readonly (readonly [number, HdrHistogram])[]): void {
  const line = (name: string, share: number) => ({
    name,
    points: curve.map(([rate, histogram]) => [rate, histogram.quantileMs(share)] as const),
  });
  lab.plot({
    ...{ kind: 'lines', title: 'Signed claims: latency over offered load' },
    ...{ x: { label: 'claims a second' }, y: { label: 'ms from when it was due', isLog: true } },
    lines: [line('p50', 0.5), line('p99', 0.99), line('p99.9', 0.999)],
  });
}
