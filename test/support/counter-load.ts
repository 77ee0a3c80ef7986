import { randomUUID } from 'node:crypto';
import { Fault } from '../../machines/fault.ts';
import type { World } from './runtime-world.ts';

/**
 * Clients that add one at a time to a counter of their own until stopped. A command whose outcome
 * stayed unknown is repeated with its id until it is known, as a validator would.
 */
export function startLoad(world: World, options: { clients: number; partitions: number }) {
  let running = true;
  const acknowledged = new Map<string, number>();
  const gaps: number[] = [];
  const client = async (n: number) => {
    const key = `client-${n}`;
    const part = n % options.partitions;
    for (let expected = 1; running; expected += 1) {
      const startedMs = performance.now();
      const { value } = await addUntilKnown(world, { part, key, id: randomUUID() });
      gaps.push(performance.now() - startedMs);
      if (value !== expected) throw new Error(`${key} is ${value}, not ${expected}`);
      acknowledged.set(key, value);
    }
  };
  const clients = Array.from({ length: options.clients }, (_, n) => client(n));
  const all = Promise.all(clients);
  // Failures are told by stop; until then nobody listens.
  all.catch(() => undefined);
  return {
    /** The counters as the clients know them, and the longest time that one had to wait. */
    async stop() {
      running = false;
      await all;
      return { acknowledged, slowestMs: Math.max(...gaps), commands: gaps.length };
    },
  };
}

async function addUntilKnown(world: World, add: { part: number; key: string; id: string }) {
  for (;;) {
    try {
      return await world.add(add.part, add.key, { id: add.id });
    } catch (error) {
      const isPassing =
        error instanceof Fault &&
        ['OUTCOME_UNKNOWN', 'OWNER_UNAVAILABLE', 'OVERLOADED', 'STORE_UNAVAILABLE'].includes(
          error.code,
        );
      if (!isPassing) throw error;
    }
  }
}

/** Everything that must agree: rows, events, snapshots, and what the clients were told. */
export async function audit(world: World, acknowledged: ReadonlyMap<string, number>) {
  const rows = await world.sql<{ key: string; value: number; additions: number; events: number }[]>`
    select c.key, c.value::integer, c.additions,
           (select count(*)::integer from rt.event e where e.part = c.part and e.key = c.key) as events
    from test_counter c
    order by c.key`;
  const wrong = rows.filter(({ key, value, additions, events }) => {
    const told = acknowledged.get(key);
    return value !== additions || value !== events || (told !== undefined && told !== value);
  });
  const [epochs] = await world.sql<{ back: number }[]>`
    select count(*)::integer as back
    from (
      select epoch < lag(epoch) over (partition by part, key order by seq) as went_back
      from rt.event
    ) as steps
    where went_back`;
  return { wrong, epochsBack: epochs?.back };
}
