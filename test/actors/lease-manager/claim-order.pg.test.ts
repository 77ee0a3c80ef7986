import test from 'ava';
import { claimView } from '../../../actors/lease-manager/reads.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

const claimer = { validatorHotkey: 'val-a', validatorColdkey: null, slots: 10, limit: 6 };

interface Tried {
  readonly status: string;
  readonly endReason?: string;
  readonly exclusionReason?: string;
}

interface Work {
  readonly phase: 'QUALIFYING' | 'RACE';
  /** How the runs of these ended; the claimer is val-a. */
  readonly runs?: Readonly<Record<string, Tried>>;
  /** How often it was given out. */
  readonly leases?: number;
}

/** Puts the works in the queue, each younger than the one before, and says in which order they are offered. */
async function offered(sql: Sql, works: readonly Work[]): Promise<number[]> {
  const id = (kind: number, number: number) =>
    `0000000${kind}-0000-4000-8000-${String(number).padStart(12, '0')}`;
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    let runs = 0;
    for (const [index, { phase, runs: tried = {}, leases = 1 }] of works.entries()) {
      await tx`
        insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase,
          state, required_successes, next_fence, queued_at, queue_order_at)
        values (${id(1, index)}, 1, ${id(2, index)}, 'miner', 1, ${phase}, 'OPEN', 3, ${leases + 1}, rt.clock(),
          rt.clock() + ${index} * interval '1 second')`;
      for (const [hotkey, { status, endReason = null, exclusionReason = null }] of Object.entries(
        tried,
      )) {
        runs += 1;
        await tx`
          insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id,
            phase, execution_kind, validator_hotkey, slot, fence, status, end_reason,
            exclusion_reason, claimed_at, lease_expires_at, completed_at, expected_items)
          values (${id(3, runs)}, 1, ${id(1, index)}, ${id(2, index)}, 1, ${phase}, 'envpack',
            ${hotkey}, 0, ${runs}, ${status}, ${endReason}, ${exclusionReason}, rt.clock(),
            rt.clock(), rt.clock(), 30)`;
      }
    }
  });
  const { candidates } = await claimView(sql, claimer);
  return candidates.map(({ workItemId }) => Number(workItemId.slice(-12)));
}

const failed: Tried = { status: 'FAILED' };
const inVain: readonly Tried[] = [
  failed,
  { status: 'TIMED_OUT' },
  { status: 'STALE', endReason: 'LEASE_EXPIRED' },
  { status: 'STALE', endReason: 'RECLAIMED' },
  { status: 'CANCELLED', endReason: 'RELEASED' },
  { status: 'SUCCESS', exclusionReason: 'INCOMPLETE' },
];

for (const tried of inVain) {
  const how = Object.values(tried).join(' ');
  test(`work that a validator tried in vain is offered to it last: ${how}`, async (t) => {
    const { sql } = await testDatabase();
    const works: Work[] = [
      { phase: 'QUALIFYING', runs: { 'val-a': tried } },
      { phase: 'QUALIFYING', runs: { 'val-b': tried } },
      { phase: 'QUALIFYING' },
    ];

    t.deepEqual(await offered(sql, works), [1, 2]);
  });
}

test('other runs of a validator put their work no further back', async (t) => {
  const { sql } = await testDatabase();
  const others: readonly Tried[] = [
    { status: 'CANCELLED', endReason: 'MINER_BANNED' },
    { status: 'SUCCESS', exclusionReason: 'BEYOND_REQUIRED' },
  ];
  const works: Work[] = [
    ...others.map((run): Work => ({ phase: 'QUALIFYING', runs: { 'val-a': run } })),
    { phase: 'QUALIFYING' },
  ];

  t.deepEqual(await offered(sql, works), [0, 1, 2]);
});

const runs = { 'val-a': failed };
const orders: readonly [string, readonly Work[], readonly number[]][] = [
  [
    'a race before all, whatever else was tried',
    [{ phase: 'QUALIFYING' }, { phase: 'RACE' }],
    [1, 0],
  ],
  [
    'of a race what was not tried',
    [{ phase: 'QUALIFYING' }, { phase: 'RACE', runs }, { phase: 'RACE' }],
    [2, 0],
  ],
  [
    'a race’s that was tried before qualifying work',
    [{ phase: 'QUALIFYING' }, { phase: 'RACE', runs }, { phase: 'RACE', runs }],
    [1, 2],
  ],
  [
    'what was tried when there is nothing else',
    [
      { phase: 'QUALIFYING', runs },
      { phase: 'QUALIFYING', runs },
    ],
    [0, 1],
  ],
  [
    'of what it tried what was given out least often',
    [
      { phase: 'QUALIFYING', runs, leases: 3 },
      { phase: 'QUALIFYING', runs, leases: 2 },
      { phase: 'QUALIFYING', runs, leases: 2 },
    ],
    [1, 2, 0],
  ],
];

for (const [what, works, expected] of orders) {
  test(`a validator is offered first ${what}`, async (t) => {
    const { sql } = await testDatabase();

    t.deepEqual(await offered(sql, works), expected);
  });
}
