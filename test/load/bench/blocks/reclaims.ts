import { type Block, mustBeRight } from '../block.ts';
import { barsOf } from '../faults/distribution.ts';
import { measureReclaims } from '../faults/measure-reclaims.ts';
import { read } from '../judge.ts';

const barMs = 5;

/** How late the work of validators that went silent is another's. */
export const reclaims: Block = {
  name: 'reclaims',
  goals: [13],
  isQuick: false,
  async run(lab) {
    const quick = { validators: 100, spreadSeconds: 4, leaseSeconds: 8 };
    const full = { validators: 500, spreadSeconds: 10, leaseSeconds: 20 };
    const found = await measureReclaims(lab.sized(quick, full));
    const { distribution, lateMs, leases, early, double, unclaimed } = found;
    const lost = unclaimed === 0 ? [] : [`${unclaimed} of ${leases} were nobody's afterwards`];
    mustBeRight([...early, ...double, ...lost]);
    lab.plot({
      ...{ kind: 'bars', title: 'From the end of a lease to the next claim' },
      ...{ x: { label: 'ms' }, y: { label: 'leases' }, bars: barsOf(lateMs, barMs) },
    });
    const note =
      `${leases} leases of silent validators, none early and none twice by the history of fences; ` +
      `the generator of claims sent ${found.generatorLateP99Ms.toFixed(1)} ms late (p99). ` +
      'Not with 100,000 leases beside them';
    const told = { goal: 13, unit: 'ms', isHigherBetter: false } as const;
    return [
      read({ ...told, what: 'reclaim after expiry, p50', values: [distribution.p50Ms] }),
      read({
        ...{ ...told, what: 'reclaim after expiry, p99', values: [distribution.p99Ms] },
        ...{ must: 100, aim: 30, note },
      }),
      read({ ...told, what: 'reclaim after expiry, worst', values: [distribution.maxMs] }),
    ];
  },
};
