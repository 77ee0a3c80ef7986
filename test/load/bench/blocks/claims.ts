import type { Stage } from '../../stage.ts';
import { alternate } from '../alternate.ts';
import type { Block, Figure } from '../block.ts';
import { type CrowdSide, naiveSide, type Performed, productSide, shedOf } from '../crowd-side.ts';
import { compared } from '../judge.ts';
import { cpuText, type Lab, type Product } from '../lab.ts';

const connections = 128;
const hostileShare = 0.01;

interface Comparison {
  readonly goal: number;
  readonly what: string;
  readonly auth: Stage['auth'];
  readonly must: number;
}

const aim = 4.5;
const comparisons: readonly Comparison[] = [
  { goal: 5, what: 'claims, signed', auth: 'signed', must: 3 },
  { goal: 6, what: 'claims, by session', auth: 'session', must: 3.5 },
];

/** Claims as fast as they are answered, beside the naive service, with and without proofs. */
export const claims: Block = {
  name: 'claims',
  goals: [5, 6],
  isQuick: true,
  async run(lab) {
    const product = await lab.product();
    await using ours = await productSide(product);
    const figures: Figure[] = [];
    for (const comparison of comparisons) {
      figures.push(await compareClaims(lab, { product, ours }, comparison));
    }
    return figures;
  },
};

interface Ours {
  readonly product: Product;
  readonly ours: CrowdSide;
}

async function compareClaims(lab: Lab, { product, ours }: Ours, comparison: Comparison) {
  const { goal, what, auth, must } = comparison;
  const isSigned = auth === 'signed';
  await using theirs = await naiveSide(lab, product, isSigned);
  // What is claimed is given back, so that one supply serves every round. No more of it than this: who
  // gave back most of what is open searches all of it for the rest, which nobody does outside of here.
  const count = isSigned ? 600 : 1_500;
  await supplyBoth([ours, theirs], count);
  const stage = { connections, operationsMax: count, ...(isSigned && { hostileShare }) };
  const sides = {
    ours: () => claimAll(ours, { ...stage, name: 'claims', auth }),
    theirs: () => claimAll(theirs, { ...stage, name: 'claims', auth: isSigned ? auth : 'none' }),
  };
  await alternate(1, sides);
  const rounds = await alternate(lab.rounds, sides);
  return compared({
    ...{ goal, what, unit: '/s', to: 'peer', name: theirs.name, must, aim, isHigherBetter: true },
    pairs: rounds.map((round) => ({ ours: round.ours.perSecond, theirs: round.theirs.perSecond })),
    note: noteOf(rounds),
  });
}

/** Half as much again as is claimed: whoever looks for the last free slot finds it taken. */
export async function supplyBoth(sides: readonly CrowdSide[], runs: number): Promise<void> {
  for (const each of sides) await each.supply(Math.ceil(runs * 1.5));
}

async function claimAll(side: CrowdSide, stage: Stage): Promise<Performed> {
  const performed = await side.perform(stage);
  // No part of what is measured: the naive service believes whoever gives something back.
  await side.perform({ name: 'releases', auth: 'session', connections });
  return performed;
}

function noteOf(rounds: readonly Readonly<Record<'ours' | 'theirs', Performed>>[]): string {
  const last = rounds.at(-1);
  const hostile = rounds.reduce((sum, round) => sum + round.ours.result.hostile, 0);
  const refused = hostile === 0 ? '' : `; ${hostile} forgeries and replays refused`;
  const shed = rounds.reduce((sum, { ours }) => sum + shedOf(ours.result), 0);
  if (last === undefined) return '';
  return `${cpuText(last.ours.cpuUs)}; naive: ${cpuText(last.theirs.cpuUs)}${refused}${shed === 0 ? '' : `; ${shed} shed with 503`}`;
}
