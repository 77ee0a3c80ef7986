import type { Block } from '../block.ts';
import { measureHeldMemory } from '../faults/measure-held-memory.ts';
import { measureMemory } from '../faults/measure-memory.ts';
import { read } from '../judge.ts';

const megabyte = 1e6;
/** What the goal speaks of; so many are not held here. */
const wanted = 100_000;

/** What the service's own processes hold in memory at full load. */
export const memory: Block = {
  name: 'memory',
  goals: [22],
  isQuick: false,
  async run(lab) {
    const plan = { leases: lab.sized(400, 1_000), seconds: lab.sized(4, 8) };
    const found = await measureMemory(plan, await lab.asker());
    const { started, idle, loaded, leases } = found;
    const held = await measureHeldMemory(lab.sized(500, 2_000));
    const each = held.edge + held.coordinator;
    const extrapolated = loaded.sum + each * (wanted - leases);
    const mb = (bytes: number) => (bytes / megabyte).toFixed(0);
    const note =
      `edge ${mb(loaded.edge)}, coordinator ${mb(loaded.coordinator)} at the most, ` +
      `${mb(idle.edge)} and ${mb(idle.coordinator)} before anything was held, ${mb(started.edge)} and ` +
      `${mb(started.coordinator)} when they had started; ${leases} runs held, ` +
      `${found.heartbeatsPerSecond.toFixed(0)} heartbeats a second, 20 lifecycles`;
    const told = { goal: 22, isHigherBetter: false } as const;
    return [
      read({
        ...{ ...told, what: 'edge and coordinator at full load', unit: 'MB' },
        ...{ values: [loaded.sum / megabyte], must: 350, aim: 250, note },
      }),
      read({
        ...{ ...told, what: 'for each validator that holds a run', unit: 'bytes', values: [each] },
        ...{
          aim: 100,
          note: `by what lives in them: edge ${held.edge.toFixed(0)}, coordinator ${held.coordinator.toFixed(0)}`,
        },
      }),
      read({
        ...{ ...told, what: 'the same with 100,000 validators', unit: 'MB' },
        ...{ values: [extrapolated / megabyte], note: 'reckoned from the two above, not measured' },
      }),
    ];
  },
};
