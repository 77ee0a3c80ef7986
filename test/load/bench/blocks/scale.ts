import type { StageName } from '../../stage.ts';
import type { Block, Figure } from '../block.ts';
import { type CrowdSide, productSide } from '../crowd-side.ts';
import { read } from '../judge.ts';
import type { Lab } from '../lab.ts';

const connections = 128;

/** A run's whole life but its waiting. */
const life: readonly StageName[] = ['claims', 'first heartbeats', 'item batches', 'completions'];

/** Lifecycles a second with more processes of each kind. All of them share this machine's cores. */
export const scale: Block = {
  name: 'scale',
  goals: [],
  isQuick: false,
  async run(lab) {
    const figures: Figure[] = [];
    const lines = [];
    for (const edges of lab.sized([1], [1, 2])) {
      const points: (readonly [number, number])[] = [];
      for (const coordinators of lab.sized([1, 2], [1, 2, 4])) {
        const perSecond = await lifecycles(lab, edges, coordinators);
        points.push([coordinators, Math.max(...perSecond)]);
        figures.push(
          read({
            ...{ goal: null, unit: '/s', values: perSecond, isHigherBetter: true },
            what: `lifecycles, ${edges} edges, ${coordinators} coordinators`,
          }),
        );
      }
      lines.push({ name: `${edges} edges`, points });
    }
    lab.plot({
      ...{ kind: 'lines', title: 'Throughput over processes', lines },
      ...{ x: { label: 'coordinators' }, y: { label: 'lifecycles a second' } },
    });
    return figures;
  },
};

async function lifecycles(lab: Lab, edges: number, coordinators: number): Promise<number[]> {
  await using product = await lab.ownProduct({ edges, coordinators });
  await using side = await productSide(product);
  const count = lab.sized(300, 400);
  const perSecond: number[] = [];
  // The first is for warming up.
  for (let round = 0; round < 3; round += 1) {
    // A validator has a version once: of the last few runs there may be none that he may have.
    await side.supply(count * 2);
    perSecond.push(await oneRound(side, count));
  }
  return perSecond.slice(1);
}

/** Each step of all runs after the other; their times add up to that of a life. */
async function oneRound(side: CrowdSide, count: number): Promise<number> {
  let seconds = 0;
  for (const name of life) {
    const limit = name === 'claims' ? { operationsMax: count } : {};
    const { perSecond } = await side.perform({ name, auth: 'session', connections, ...limit });
    seconds += 1 / perSecond;
  }
  return 1 / seconds;
}
