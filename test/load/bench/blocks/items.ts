import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Sql } from '../../../../infra/ports/sql.ts';
import { alternate } from '../alternate.ts';
import type { Block } from '../block.ts';
import { type CrowdSide, naiveSide, productSide } from '../crowd-side.ts';
import type { HdrHistogram } from '../hdr-histogram.ts';
import { compared, median, read } from '../judge.ts';
import { cpuText } from '../lab.ts';

const batch = 500;
/** Each batch is several hundred kilobytes: more of them at once only wait for each other. */
const connections = 4;

/**
 * Signed batches of 500 results, each answered one by one, beside COPY of as many rows, and beside
 * the naive service's loop of inserts.
 */
export const items: Block = {
  name: 'items',
  goals: [11],
  isQuick: true,
  async run(lab) {
    // For seconds, also of COPY: the first few batches meet code that nothing has compiled yet.
    const batches = lab.sized(24, 150);
    await using product = await lab.ownProduct({
      ...{ taskCount: batch, validators: 60, runsPerValidator: 10 },
    });
    await using ours = await productSide(product);
    await using theirs = await naiveSide(lab, product, true);
    const { sql } = await lab.database('copied');
    await copyTable(sql);
    const sides = {
      ours: () => storeBatches(ours, batches),
      naive: () => storeBatches(theirs, Math.ceil(batches / 4)),
      copy: async () => ({ perSecond: await copyRows(sql, batches * batch), note: '' }),
    };
    await alternate(1, sides);
    const rounds = await alternate(lab.rounds, sides);
    const rate = (name: 'copy' | 'naive' | 'ours') => rounds.map((round) => round[name].perSecond);
    const pairsTo = (name: 'copy' | 'naive') =>
      rounds.map((round) => ({ ours: round.ours.perSecond, theirs: round[name].perSecond }));
    const half = median(rate('ours')) / batch / 2;
    const slow = await atHalfLoad(ours, half);
    return [
      compared({
        ...{
          goal: 11,
          what: 'results in batches of 500',
          unit: '/s',
          to: 'floor',
          name: 'one COPY',
        },
        ...{ pairs: pairsTo('copy'), must: 0.5, aim: 0.7, isHigherBetter: true },
        note: rounds.at(-1)?.ours.note ?? '',
      }),
      compared({
        ...{ goal: 11, what: 'results in batches of 500', unit: '/s', to: 'peer' },
        ...{ name: 'one insert each', pairs: pairsTo('naive'), must: 4, isHigherBetter: true },
      }),
      read({
        ...{ goal: 11, what: 'batch of 500 at half load, p99', unit: 'ms' },
        ...{ values: [slow.quantileMs(0.99)], aim: 60, isHigherBetter: false },
        note: `p50 ${slow.quantileMs(0.5).toFixed(0)} ms of ${slow.count} batches at ${half.toFixed(1)}/s`,
      }),
    ];
  },
};

async function storeBatches(side: CrowdSide, batches: number) {
  await side.supply(Math.ceil(batches * 1.05));
  const auth = side.name.startsWith('naive') ? 'signed' : 'session';
  await side.perform({ name: 'claims', auth, connections, operationsMax: batches });
  const { result, cpuUs } = await side.perform({
    name: 'item batches',
    auth: 'signed',
    connections,
  });
  // Ended, so that the next round's claims find room.
  await side.perform({ name: 'completions', auth, connections });
  return { perSecond: result.items / result.seconds, note: `of a batch: ${cpuText(cpuUs)}` };
}

async function atHalfLoad(side: CrowdSide, rate: number): Promise<HdrHistogram> {
  const seconds = 3;
  const batches = Math.max(10, Math.ceil(rate * seconds));
  await side.supply(Math.ceil(batches * 1.05));
  await side.perform({ name: 'claims', auth: 'session', connections, operationsMax: batches });
  const stage = { name: 'item batches', auth: 'signed', connections, seconds, rate } as const;
  const { latency } = await side.perform(stage);
  return latency;
}

async function copyTable(sql: Sql): Promise<void> {
  await sql`
    create table if not exists copied
    (run uuid, task text, id uuid, family text, outcome text, is_correct boolean, checks jsonb,
     rewards jsonb, reward integer, seconds double precision, hash text, steps integer,
     at timestamptz, primary key (run, task))`;
}

/** The columns of a result and its key, and nothing that decides about it. */
async function copyRows(sql: Sql, count: number): Promise<number> {
  const run = crypto.randomUUID();
  const rows = Array.from({ length: count }, (_, index) => {
    const hash = createHash('sha256').update(`${run}${index}`).digest('hex');
    return [
      ...[run, `task-${index}`, crypto.randomUUID(), 'find-product', 'completed', 't'],
      ...['{"cart_matches_goal":"passed"}', '{"reasoning":0.8}', '500000', '12.5', hash, '9'],
      '2026-01-01T00:00:00Z\n',
    ].join('\t');
  });
  const text = rows.join('');
  const startedMs = performance.now();
  await pipeline(Readable.from([text]), await sql`copy copied from stdin`.writable());
  return (count * 1000) / (performance.now() - startedMs);
}
