import { alternate } from '../alternate.ts';
import type { Block } from '../block.ts';
import { type CrowdSide, productSide } from '../crowd-side.ts';
import { compared, median } from '../judge.ts';
import { cpuText } from '../lab.ts';
import { startPartner } from '../partner-process.ts';
import { leasingPeers, type PeerAnswer, type PeerOrder, type PeersPlan } from '../peers/leasing.ts';

const connections = 128;

/**
 * A run claimed and completed over HTTP by its validator, beside queues that lease and complete in
 * their own process: same server, same durability, one lease at a time.
 */
export const cycles: Block = {
  name: 'cycles',
  goals: [7],
  isQuick: false,
  async run(lab) {
    const product = await lab.product();
    await using ours = await productSide(product);
    const plan: PeersPlan = { databaseUrl: (await lab.database('peers')).url };
    await using peers = await startPartner<PeerOrder, PeerAnswer>('peers/peers-process.ts', plan);
    const count = lab.sized(400, 500);
    const jobs = lab.sized(800, 1_500);
    const perSecond = (peer: PeerOrder['peer']) => async () => {
      const answer = await peers.ask({ peer, jobs });
      return {
        perSecond: jobs / answer.seconds,
        note: `own CPU ${(answer.cpuUs / jobs).toFixed(0)}`,
      };
    };
    const sides = {
      ours: () => cycle(ours, count),
      'skip locked': perSecond('skip locked'),
      'graphile-worker': perSecond('graphile-worker'),
      'pg-boss': perSecond('pg-boss'),
    };
    await alternate(1, sides);
    const rounds = await alternate(lab.rounds, sides);
    const best = leasingPeers
      .map((peer) => ({ peer, rate: median(rounds.map((round) => round[peer].perSecond)) }))
      .reduce((a, b) => (a.rate >= b.rate ? a : b));
    const beside = leasingPeers.map((peer) => {
      return `${peer} ${median(rounds.map((round) => round[peer].perSecond)).toFixed(0)}/s`;
    });
    return [
      compared({
        ...{ goal: 7, what: 'claim and complete, by session', unit: '/s', to: 'peer' },
        ...{ name: best.peer, must: 2, aim: 3, isHigherBetter: true },
        pairs: rounds.map((round) => ({
          ours: round.ours.perSecond,
          theirs: round[best.peer].perSecond,
        })),
        note: `${beside.join(', ')}; ${rounds.at(-1)?.ours.note}`,
      }),
    ];
  },
};

/** The result between the two is stored while nobody looks at the clock. */
async function cycle(side: CrowdSide, count: number) {
  await side.supply(count);
  const stage = { auth: 'session', connections } as const;
  const claimed = await side.perform({ ...stage, name: 'claims', operationsMax: count });
  await side.perform({ ...stage, name: 'item batches' });
  const completed = await side.perform({ ...stage, name: 'completions' });
  const seconds = 1 / claimed.perSecond + 1 / completed.perSecond;
  return {
    perSecond: 1 / seconds,
    note: `claim: ${cpuText(claimed.cpuUs)}; completion: ${cpuText(completed.cpuUs)}`,
  };
}
