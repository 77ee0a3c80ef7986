import { type Block, mustBeRight } from '../block.ts';
import { barsOf, distributionOf } from '../faults/distribution.ts';
import { measureFailover } from '../faults/measure-failover.ts';
import { read } from '../judge.ts';

const barMs = 50;
const leases = { quick: 96, full: 160 };

/** How long partitions give no good answer when their owner is killed. */
export const failover: Block = {
  name: 'failover',
  goals: [14],
  isQuick: true,
  async run(lab) {
    const kills = lab.kills ?? lab.sized(3, 6);
    const found = await measureFailover({
      ...{ kills, leases: lab.sized(leases.quick, leases.full) },
      ...{ probedPartitions: 32, probesPerSecond: 640, lifecyclesPerSecond: 10 },
    });
    mustBeRight(found.wrong);
    const byKill = distributionOf(found.outagesMs);
    const byPartition = distributionOf(found.partitionsMs);
    const calm = distributionOf(found.calmMs);
    lab.plot({
      ...{ kind: 'bars', title: 'A partition without a good answer after its owner was killed' },
      ...{ x: { label: 'ms' }, y: { label: 'partitions' } },
      bars: barsOf(found.partitionsMs, barMs),
    });
    const answers = Object.entries(found.refusals).map(([what, count]) => `${count} x ${what}`);
    const note =
      `${kills} kills; ${found.probes} probes, one of each partition every ` +
      `${found.probeEveryMs.toFixed(0)} ms; refused: ` +
      `${answers.join(', ') || 'none'}; longest gap without a kill ${calm.maxMs.toFixed(0)} ms; ` +
      `generator late ${found.generatorLateP99Ms.toFixed(1)} ms (p99); ` +
      `${found.acknowledgedClaims} claims and ${found.acknowledgedCompletions} completions were ` +
      'acknowledged, none lost, none twice. Not with 100,000 leases';
    const told = { goal: 14, unit: 'ms', isHigherBetter: false } as const;
    return [
      read({
        ...told,
        what: 'coordinator killed, outage of a kill, median',
        values: [byKill.p50Ms],
      }),
      read({
        ...{ ...told, what: 'coordinator killed, outage of a kill, p99', values: [byKill.p99Ms] },
        ...{ must: 500, aim: 50, note },
      }),
      read({
        ...told,
        what: 'coordinator killed, outage of a partition, p50',
        values: [byPartition.p50Ms],
      }),
    ];
  },
};
