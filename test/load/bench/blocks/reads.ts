import { alternate } from '../alternate.ts';
import type { Asker } from '../asking.ts';
import { notGood } from '../asking.ts';
import { type Block, type Figure, mustBeRight } from '../block.ts';
import { compared } from '../judge.ts';
import { cpuUsOf, type Lab } from '../lab.ts';
import { startPartner } from '../partner-process.ts';
import type { PlainServerPlan } from '../plain-server.ts';

interface Comparison {
  readonly goal: number;
  readonly path: string;
  readonly beside: PlainServerPlan['kind'];
  readonly must: number;
  readonly aim: number;
}

const comparisons: readonly Comparison[] = [
  { goal: 3, path: '/health', beside: 'node:http', must: 0.75, aim: 0.85 },
  { goal: 17, path: '/v1/public/top', beside: 'express', must: 0.7, aim: 0.9 },
  { goal: 17, path: '/v1/public/suites', beside: 'express', must: 0.7, aim: 0.9 },
];

/** Reads that everybody may make, beside a server that only answers the same bytes. */
export const reads: Block = {
  name: 'reads',
  goals: [3, 17],
  isQuick: true,
  async run(lab) {
    const figures: Figure[] = [];
    for (const comparison of comparisons) figures.push(await compareRead(lab, comparison));
    return figures;
  },
};

async function compareRead(lab: Lab, { path, beside, goal, must, aim }: Comparison) {
  const { world } = await lab.product();
  const asker = await lab.asker();
  const [baseUrl] = world.service.baseUrls;
  // The plain server answers as many bytes: what they cost the network falls on both.
  const plan: PlainServerPlan = { kind: beside, body: await (await fetch(baseUrl + path)).text() };
  await using plain = await startPartner<never, never, string>('plain-server.ts', plan);
  const seconds = lab.sized(0.8, 3);
  const edgePids = world.service.edges.map(({ pid }) => pid);
  const sides = {
    ours: () => ask(asker, { url: baseUrl + path, seconds, pids: edgePids }),
    theirs: () => ask(asker, { url: plain.ready, seconds, pids: [plain.pid] }),
  };
  await alternate(1, sides);
  const rounds = await alternate(lab.rounds, sides);
  const cpu = (side: 'ours' | 'theirs') =>
    Math.min(...rounds.map((round) => round[side].serverUs)).toFixed(0);
  return compared({
    ...{ goal, what: `GET ${path}`, unit: '/s', to: 'floor', name: beside },
    ...{ must, aim, isHigherBetter: true },
    pairs: rounds.map(({ ours, theirs }) => ({ ours: ours.perSecond, theirs: theirs.perSecond })),
    note: `server CPU µs per request: ${cpu('ours')}, ${beside} ${cpu('theirs')}`,
  });
}

interface Target {
  readonly url: string;
  readonly seconds: number;
  readonly pids: readonly (number | null | undefined)[];
}

async function ask(asker: Asker, { url, seconds, pids }: Target) {
  const { origin, pathname } = new URL(url);
  const before = cpuUsOf(pids);
  const asked = await asker.ask({
    ...{ baseUrls: [origin], connections: 32, seconds },
    questions: [{ method: 'GET', path: pathname }],
  });
  mustBeRight(notGood(asked));
  return {
    perSecond: asked.count / asked.seconds,
    serverUs: (cpuUsOf(pids) - before) / asked.count,
  };
}
