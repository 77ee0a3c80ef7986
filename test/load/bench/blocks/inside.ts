import { alternate } from '../alternate.ts';
import { type Block, type Figure, mustBeRight } from '../block.ts';
import type { InsideAnswer, InsideOrder, InsidePlan, OpenWork } from '../inside/orders.ts';
import { compared, read } from '../judge.ts';
import { cpuText, cpuUsOf, cpuUsPerOperation, type Lab, type Product } from '../lab.ts';
import { type PartnerProcess, startPartner } from '../partner-process.ts';
import type { PeerAnswer, PeerOrder, PeersPlan } from '../peers/leasing.ts';

const inFlight = 64;
/** Whoever groups commits needs many that wait for the same one. */
const leasesInFlight = 512;
const requiredSuccesses = 50;
const mapWindow = 100_000;

type Inside = PartnerProcess<InsideOrder, InsideAnswer>;

interface Stage {
  readonly lab: Lab;
  readonly product: Product;
  readonly inside: Inside;
}

/** What lies behind HTTP, asked without it: proofs of nonces, the way to an owner, the lease engine. */
export const inside: Block = {
  name: 'inside',
  goals: [2, 4, 8],
  isQuick: false,
  async run(lab) {
    await using product = await lab.ownProduct({
      ...{ requiredSuccesses, validators: 1 },
      env: { WORK_HOLD_FAILURES: '1000000' },
    });
    const plan: InsidePlan = { natsUrl: product.world.neighbours.access.edge.natsUrl };
    await using partner = await startPartner<InsideOrder, InsideAnswer>(
      'inside/inside-process.ts',
      plan,
    );
    const stage = { lab, product, inside: partner };
    const leases = await leaseEngine(stage);
    return [...(await replayChecks(stage)), ...leases];
  },
};

async function asked({ product, inside: partner }: Stage, order: InsideOrder) {
  const cpuUs = () => ({ ...product.cpuUs(), caller: cpuUsOf([partner.pid]) });
  const before = cpuUs();
  const answer = await partner.ask(order);
  mustBeRight(answer.wrong);
  const {
    edge: _edge,
    'S3, chain': _servers,
    ...each
  } = cpuUsPerOperation(before, cpuUs(), answer.count);
  const sumUs = Object.values(each).reduce((sum, us) => sum + us, 0);
  return { ...answer, each, sumUs };
}

async function replayChecks(stage: Stage): Promise<readonly Figure[]> {
  const { lab, product } = stage;
  const count = lab.sized(2_000, 5_000);
  const bytes = async () => {
    const [row] = await product.world.sql<{ bytes: number }[]>`
      select pg_total_relation_size('nonce')::float8 as bytes`;
    return row?.bytes ?? Number.NaN;
  };
  const before = await bytes();
  const rounds = await alternate(lab.rounds, {
    ours: () => asked(stage, { what: 'nonces', count, inFlight: 256 }),
    map: () => asked(stage, { what: 'map', count, window: mapWindow }),
  });
  const last = rounds.at(-1);
  return [
    compared({
      ...{ goal: 2, what: 'replay check, CPU', unit: 'µs', to: 'peer' },
      ...{ name: 'a Map that forgets its oldest', isHigherBetter: false },
      pairs: rounds.map(({ ours, map }) => ({ ours: ours.sumUs, theirs: map.cpuUs / map.count })),
      note: `one place for all edges, durable; ${last === undefined ? '' : cpuText(last.ours.each)}`,
    }),
    read({
      ...{ goal: 2, what: 'replay check, alone', unit: 'µs', isHigherBetter: false },
      ...{ values: rounds.map(({ ours }) => ours.sumUs), must: 1, aim: 0.6 },
    }),
    read({
      ...{ goal: 2, what: 'a live nonce', unit: 'bytes', must: 32, isHigherBetter: false },
      values: [((await bytes()) - before) / (count * lab.rounds)],
      note: 'of the table and its indexes, in the database',
    }),
  ];
}

async function leaseEngine(stage: Stage): Promise<readonly Figure[]> {
  const { lab, product } = stage;
  const count = lab.sized(500, 700);
  const jobs = lab.sized(4_000, 8_000);
  // A failed run's place is free again, so one supply serves every round.
  await product.supply(count * 1.5);
  const work = await openWork(product);
  const peersPlan: PeersPlan = { databaseUrl: (await lab.database('peers')).url };
  await using peers = await startPartner<PeerOrder, PeerAnswer>(
    'peers/peers-process.ts',
    peersPlan,
  );
  const hops: Awaited<ReturnType<typeof hop>>[] = [];
  const sides = {
    ours: async () => {
      const claimed = await asked(stage, { what: 'claims', count, inFlight: leasesInFlight, work });
      hops.push(await hop(stage));
      const done = await asked(stage, { what: 'completions', inFlight: leasesInFlight });
      const seconds = claimed.seconds / claimed.count + done.seconds / done.count;
      const shed = claimed.shed + done.shed;
      const note = `claim: ${cpuText(claimed.each)}; completion: ${cpuText(done.each)}; asked again: ${shed}`;
      return { perSecond: 1 / seconds, note };
    },
    theirs: async () => {
      const { seconds } = await peers.ask({ peer: 'graphile batched', jobs });
      return { perSecond: jobs / seconds, note: '' };
    },
  };
  await alternate(1, sides);
  hops.length = 0;
  const rounds = await alternate(lab.rounds, sides);
  const lastHop = hops.at(-1)?.busy;
  return [
    read({
      ...{ goal: 4, what: 'heartbeat behind HTTP, CPU', unit: 'µs', isHigherBetter: false },
      ...{ values: hops.map(({ busy }) => busy.sumUs), must: 20, aim: 10 },
      note: `${inFlight} in flight; ${lastHop === undefined ? '' : cpuText(lastHop.each)}`,
    }),
    read({
      ...{ goal: 4, what: 'heartbeat behind HTTP, p50', unit: 'ms', isHigherBetter: false },
      ...{ values: hops.map(({ calm }) => calm.p50Ms), must: 1, note: 'one after the other' },
    }),
    compared({
      ...{ goal: 8, what: 'claim and complete behind HTTP', unit: '/s', to: 'peer' },
      ...{ name: 'graphile-worker, batched', must: 1, aim: 1.5, isHigherBetter: true },
      pairs: rounds.map(({ ours, theirs }) => ({
        ours: ours.perSecond,
        theirs: theirs.perSecond,
      })),
      note: `each to a caller and fenced; ${rounds.at(-1)?.ours.note}`,
    }),
  ];
}

/** To the owner of a run and back, with many under way and with one. */
async function hop(stage: Stage) {
  const seconds = stage.lab.sized(0.8, 1);
  await asked(stage, { what: 'starts', inFlight: leasesInFlight });
  const busy = await asked(stage, { what: 'heartbeats', seconds, inFlight });
  const calm = await asked(stage, { what: 'heartbeats', seconds: seconds / 2, inFlight: 1 });
  return { busy, calm };
}

async function openWork({ world }: Product): Promise<readonly OpenWork[]> {
  return await world.sql<OpenWork[]>`
    select part, work_item_id as "workItemId" from work_item where state = 'OPEN'`;
}
